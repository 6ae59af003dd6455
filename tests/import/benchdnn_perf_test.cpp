// The output of benchdnn as measurements.
#include <doctest/doctest.h>

#include "collectors/import/benchdnn_perf.hpp"
#include "ridge/error.hpp"
#include "ridge/run_store.hpp"
#include "tests/support/run_ridge.hpp"

namespace ridge::test {
namespace {

using namespace ridge::import;

BenchdnnRun read_text(const std::string& text) {
    const auto bytes = bytes_in_memory({text.data(), text.size()}, "out");
    BenchdnnOptions options;
    options.name = "out";
    return read_benchdnn_perf(*bytes, options, "out");
}

const std::string inner =
    "perf,cpu,\"resnet:ip1\",mb112oc1000ic2048n\"resnet:ip1\",0.458752,0,0.521729,879.293,0.576451,"
    "795.822\n";

}  // namespace

TEST_SUITE("behaviour") {
    TEST_CASE("lines of three releases, and one that announces its template") {
        const BenchdnnRun run = read_text(
            "create: something\n" + inner +
            "perf,\"a:b,c\",mb2_ic16oc16_ih7oh7kh5ph2_n\"a:b,c\",0.000861184,0,0.01,86.1184,0.02,"
            "43.0592\n"
            "perf,cpu,jit:avx2,\"p\",--mode=P --pool --dir=BWD_D --alg=avg_np "
            "mb8ic96ih55oh27kh3sh2ph0n\"p\",0,0.5,1.5,0,2,0\n"
            "Output template: perf,%prb%,%-time%,%0time%\n"
            "perf,--matmul --dt=bf16 64x1024:1024x512,0.25,0.5\n"
            "tests:4 passed:4\n");
        REQUIRE(run.rows.size() == 4);
        CHECK(run.damaged == 0);
        CHECK(run.rows[0].row.problem == "ip:mb112ic2048oc1000,bias=0");
        CHECK(run.rows[0].row.key.layer == "resnet:ip1");
        CHECK(run.rows[0].row.time.time.value() == doctest::Approx(0.521729e-3));
        CHECK(run.rows[0].row.time.median.value() == doctest::Approx(0.576451e-3));
        CHECK(run.rows[1].row.kind == LayerKind::convolution);
        CHECK(run.rows[1].row.key.layer == "a:b,c");
        CHECK(run.rows[2].row.key.pass == Pass::backward);
        CHECK(run.rows[2].row.implementation == "jit:avx2");
        CHECK(run.rows[3].row.dtype == DataType::bf16);
        CHECK(run.rows[3].row.problem == "matmul:64x1024:1024x512,dtype=bf16");
    }

    TEST_CASE("operations, time and rate must agree; damage is counted, never guessed") {
        std::string wrong = inner;
        wrong.replace(wrong.find("0.521729"), 8, "5.521729");
        const BenchdnnRun run = read_text(inner + wrong +
                                          "perf,1,2,3\nperf,cpu,\"x\",??,1,0,1,1000,"
                                          "2,500\n");
        CHECK(run.measured == 1);
        CHECK(run.damaged == 3);
        CHECK(run.notes.size() == 3);
        CHECK_THROWS_AS((void)read_text("nothing\n"), Error);
    }

    TEST_CASE("the run goes into a store") {
        const BenchdnnRun run = read_text(inner + inner);
        std::vector<const ImportedRow*> rows;
        for (const auto& row : run.rows) rows.push_back(&row);
        const TemporaryFolder folder;
        RunStore store(folder.file("runs.db"));
        const auto id = store.import_run(run_document(run.info, rows), "out");
        CHECK(store.load_run(id).rows[1].key.layer == "resnet:ip1 #2");
    }
}

}  // namespace ridge::test
