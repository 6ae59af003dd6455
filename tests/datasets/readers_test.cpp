// Readers of public data sets on small files written here: columns by name, units, skipped rows.

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "ridge/error.hpp"
#include "ridge/machine.hpp"
#include "tests/support/run_ridge.hpp"
#include "validate/datasets/csv_rows.hpp"
#include "validate/datasets/dataset.hpp"
#include "validate/datasets/layer_shapes.hpp"

using namespace ridge;
using namespace ridge::validate;

namespace {

/// A data set's folder with made-up files.
class Folder {
public:
    void write(const std::string& name, const std::string& text) const {
        std::ofstream(folder_.file(name)) << text;
    }
    [[nodiscard]] const std::string& path() const { return folder_.path(); }

private:
    test::TemporaryFolder folder_;
};

struct Read {
    std::vector<KernelRow> rows;
    ReadReport report;
};

Read read(ReadReport (*reader)(const std::string&, const RowSink&), const Folder& folder) {
    Read result;
    result.report =
        reader(folder.path(), [&](KernelRow&& row) { result.rows.push_back(std::move(row)); });
    return result;
}

std::string error_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

constexpr const char* deepbench_header =
    "time_ms,device,precision,op,pass,app,M,N,K,tA,tB,W,H,C,batch,Kout,R,S,pad_h,pad_w,stride_h,"
    "stride_w,P,Q,hidden,timesteps,algo\n";

}  // namespace

TEST_SUITE("behaviour") {
    TEST_CASE("columns are found by name, quoted fields keep their commas") {
        const Folder folder;
        folder.write("a.csv", "b,\"a\",c\r\n1,\"x, \"\"y\"\"\",\r\n\n2.5,z,16.0\n");
        CsvRows rows(folder.path() + "/a.csv", {"a", "b", "c"});
        REQUIRE(rows.next());
        CHECK(rows.text(0) == "x, \"y\"");
        CHECK(rows.whole(1) == 1);
        CHECK_FALSE(rows.number(2));
        REQUIRE(rows.next());
        CHECK(rows.line() == 4);
        CHECK(rows.number(1) == 2.5);
        CHECK_FALSE(rows.whole(1));
        CHECK(rows.whole(2) == 16);
        CHECK_FALSE(rows.next());
    }

    TEST_CASE("a missing column, a short row and an absent file are told with their place") {
        const Folder folder;
        folder.write("a.csv", "a,b\n1,2\n3\n");
        const std::string path = folder.path() + "/a.csv";
        CHECK(has(error_of([&] { CsvRows(path, {"c"}); }), "a column 'c'"));
        CHECK(has(error_of([&] {
                      CsvRows rows(path, {"a"});
                      while (rows.next()) {
                      }
                  }),
                  "a.csv:3: expected 2 fields, found 1"));
        CHECK(has(error_of([&] { CsvRows(folder.path() + "/none.csv", {"a"}); }), "none.csv"));
        CHECK(has(error_of([] { (void)data_set("deepbensh"); }), "neusight"));
        CHECK(has(error_of([] {
                      (void)read_data_set(data_set("triosim"), "/nonexistent", [](KernelRow&&) {});
                  }),
                  "there is no folder"));
    }

    TEST_CASE("DeepBench: sizes, passes, precision, and every skipped row with its reason") {
        const Folder folder;
        folder.write("deepbench_train.csv",
                     std::string(deepbench_header) +
                         "2.5,NV_M40,fp32,gemm,gemm,,64,32,16,T,N,,,,,,,,,,,,,,,,\n"
                         "0.5,NV_V100,fp16in_mixed_tensorcore,conv,bwd_data,,,,,,,28,14,8,4,16,3,5,"
                         "1,2,1,1,14.5,28,,,WINOGRAD\n"
                         "1,NV_M40,fp32,lstm,fwd,,,,,,,,,,32,,,,,,,,,,512,25,\n"
                         "1,NV_M40,fp32,allreduce,allreduce,,,,,,,,,,,,,,,,,,,,,,\n"
                         "1,NV_M40,fp32,gemm,gemm,,64,0,16,N,N,,,,,,,,,,,,,,,,\n"
                         "0,NV_M40,fp32,gemm,gemm,,64,8,16,N,N,,,,,,,,,,,,,,,,\n"
                         "1,ABACUS,fp32,gemm,gemm,,64,8,16,N,N,,,,,,,,,,,,,,,,\n");
        const auto data = read(read_deepbench, folder);
        CHECK(data.report.rows == 7);
        REQUIRE(data.rows.size() == 3);
        std::size_t skipped = 0;
        for (const auto& [reason, count] : data.report.skipped) skipped += count;
        CHECK(skipped == 4);
        CHECK(data.report.skipped.at("not a kernel of one device: allreduce") == 1);
        CHECK(data.report.skipped.at("device without a machine file: ABACUS") == 1);
        CHECK(data.report.skipped.at("no positive time") == 1);

        const auto& gemm = data.rows[0];
        CHECK(gemm.time_s == doctest::Approx(2.5e-3));
        CHECK(gemm.machine == "m40");
        CHECK(gemm.work.transpose_a);
        CHECK(gemm.work.accumulate);
        CHECK(work_flops(gemm.work).value() == 2.0 * 64 * 32 * 16);

        const auto& conv = data.rows[1];
        CHECK(conv.work.pass == Pass::backward_data);
        CHECK(conv.work.tensor_units);
        CHECK(conv.work.dtype == DataType::f16);
        CHECK(conv.work.dims.iw == 28);
        CHECK(conv.work.dims.ih == 14);
        CHECK(conv.work.dims.kh == 3);
        CHECK(conv.work.dims.kw == 5);
        CHECK(conv.work.dims.oh == 14);  // the sheet did not round it
        CHECK(conv.kernel == "WINOGRAD");

        CHECK(data.rows[2].work.gates == 4);
        CHECK(data.rows[2].work.timesteps == 25);
        CHECK(work_flops(data.rows[2].work).value() == 2.0 * 4 * 25 * 32 * 512 * 512);
    }

    TEST_CASE("NeuSight: linear and batched products in cuBLAS' order, functions, output sizes") {
        const Folder folder;
        const std::string tail = ",Torch Version\n";
        folder.write("train_linear_fwd.csv",
                     "Device,Latency,B,M,N,K,kernel" + tail + "Tesla T4,1,2,3,5,7,k_tn,p\n");
        folder.write("train_bmm_fwd.csv",
                     "Device,Latency,B,M,N,K,kernel" + tail + "Tesla T4,1,2,3,5,7,k_nn,p\n");
        folder.write(
            "train_conv_fwd.csv",
            "Device,Latency,B,Input_Channel,Output_Channel,Kernel_Szie,Input_Size,Stride,"
            "Padding,kernel\nTesla P4,2,8,3,64,7,224,2,3,x\nTesla P4,2,8,3,64,9,4,1,0,x\n");
        folder.write("train_vec_fwd.csv",
                     "OPName,Device,Latency,B,H\nadd,Tesla T4,1,4,8\nrelu,Tesla T4,1,4,8\n"
                     "ln,Tesla T4,1,4,8\nsoftmax,Tesla T4,1,4,8\nsinh,Tesla T4,1,4,8\n");
        for (const char* op : {"linear", "bmm"})
            folder.write(std::string("test_") + op + "_fwd.csv",
                         "Device,Latency,B,M,N,K,kernel\nUnknown,1,1,1,1,1,\n");
        folder.write("test_vec_fwd.csv", "OPName,Device,Latency,B,H\n");
        const auto data = read(read_neusight, folder);
        CHECK(data.report.rows == 11);
        REQUIRE(data.rows.size() == 7);
        CHECK(data.report.skipped.at("unknown function sinh") == 1);
        CHECK(data.report.skipped.at("the filter is larger than the padded image") == 1);
        CHECK(data.report.skipped.at("device without a machine file: Unknown") == 2);
        const auto& conv = data.rows[0].work;
        CHECK(conv.dims.oh == 112);
        const auto& linear = data.rows[1].work;
        CHECK(linear.m == 7);
        CHECK(linear.n == 6);
        CHECK(linear.k == 5);
        const auto& bmm = data.rows[2].work;
        CHECK(bmm.batch == 2);
        CHECK(bmm.n == 3);
        CHECK(work_flops(linear).value() == work_flops(bmm).value());
        CHECK(data.rows[3].work.reads == 2);
        CHECK(data.rows[4].work.reads == 1);
        CHECK(data.rows[5].work.kind == gpu::WorkKind::layer_norm);
        CHECK(data.rows[6].work.kind == gpu::WorkKind::softmax);
    }

    TEST_CASE("aiconfigurator: tokens are cuBLAS' n; other types are skipped") {
        const Folder folder;
        folder.write("x.csv",
                     "device,dtype,m,n,k,latency_ms\nNVIDIA H200,bfloat16,3,5,7,0.25\n"
                     "NVIDIA H200,fp8,3,5,7,0.25\n");
        const auto data = read(read_aiconfigurator, folder);
        REQUIRE(data.rows.size() == 1);
        CHECK(data.rows[0].work.m == 5);
        CHECK(data.rows[0].work.n == 3);
        CHECK(data.rows[0].work.dtype == DataType::bf16);
        CHECK(data.rows[0].time_s == doctest::Approx(2.5e-4));
        CHECK(data.report.skipped.at("data type fp8") == 1);
    }

    TEST_CASE("Caffe logs: two passes a layer, shapes with blanks, kinds without a model") {
        const Folder folder;
        const std::string header =
            "framework,net,layer,type,in_shape_NCHW,out_shape_NCHW,kernel,stride,pad,group,fwd_ms,"
            "bwd_ms\n";
        folder.write("titanx_caffe_layerwise.csv",
                     header + "caffe_cudnnR4,a,c1,Convolution,8 3 32 32,8 16 32 32,5,1,2,1,1,2\n" +
                         "caffe_cudnnR4,a,f,InnerProduct,8 16 2 2,8 10,,,,,1,2\n" +
                         "caffe_cudnnR4,a,d,Input,,8 3 32 32,,,,,0.1,0.1\n");
        folder.write("cpu_i7-5930K_caffe_layerwise.csv", header);
        const auto data = read(read_convnet_benchmarks, folder);
        REQUIRE(data.rows.size() == 4);
        CHECK(data.rows[1].work.pass == Pass::backward);
        CHECK(data.rows[1].time_s == doctest::Approx(2e-3));
        CHECK(data.rows[0].work.stack.cudnn == 4.0);
        CHECK(data.rows[2].work.k == 64);
        CHECK(data.report.rows == 6);
    }

    TEST_CASE("Justus: SAME and VALID output sizes; combined times are skipped") {
        const Folder folder;
        folder.write("conv.csv",
                     "gpu,pass,batch,in_hw,cin,cout,k,stride,padding,time_median_ms,time_min_ms,"
                     "time_max_ms\nK40,fwd,4,9,2,3,4,2,SAME,1,0.9,1.1\nK40,fwd,4,9,2,3,4,2,VALID,1,"
                     "1,1\nK40,fwd+bwd+update,4,9,2,3,4,2,VALID,1,1,1\n");
        const auto data = read(read_justus2018, folder);
        REQUIRE(data.rows.size() == 2);
        CHECK(data.rows[0].work.dims.oh == 5);
        CHECK(data.rows[1].work.dims.oh == 3);
        CHECK(data.rows[0].spread == doctest::Approx(0.2));
        CHECK(data.report.skipped.size() == 1);
    }

    TEST_CASE("TrioSim: TF32 convolutions, f32 products, no gradient of the network's input") {
        const Folder folder;
        folder.write("h100_bs128_vgg13_layers_joined.csv",
                     "model,op_id,op,in_shape,weight_shape,out_shape,fwd_us,bwd_us\n"
                     "v,1,conv2d,2x3x8x8,4x3x3x3,2x4x8x8,10,20\nv,2,conv2d,2x4x8x8,4x4x3x3,2x4x8x8,"
                     "10,20\nv,3,linear,2x256,10x256,2x10,1,\nv,4,adaptive_avg_pool2d,2x4x8x8,,"
                     "2x4x7x7,1,\n");
        const auto data = read(read_triosim, folder);
        REQUIRE(data.rows.size() == 5);
        CHECK(data.rows[0].work.dtype == DataType::tf32);
        CHECK(data.rows[1].work.pass == Pass::backward_weights);
        CHECK(data.rows[3].work.pass == Pass::backward);
        CHECK(data.rows[4].work.dtype == DataType::f32);
        CHECK(data.report.skipped.at("no positive time") == 1);
    }

    TEST_CASE("shapes in text") {
        CHECK(shape_of("128 3 224", ' ') == std::vector<std::int64_t>{128, 3, 224});
        CHECK(shape_of("1x2", 'x') == std::vector<std::int64_t>{1, 2});
        CHECK(shape_of("1,2", 'x').empty());
        CHECK(shape_of("0x2", 'x').empty());
        CHECK(shape_of("", 'x').empty());
    }
}

TEST_SUITE("formula") {
    TEST_CASE("compulsory bytes: each tensor once, the output of beta = 1 twice") {
        gpu::Work work;
        work.m = 4;
        work.n = 5;
        work.k = 6;
        CHECK(work_bytes(work).value() == 4.0 * (24 + 30 + 20));
        work.accumulate = true;
        CHECK(work_bytes(work).value() == 4.0 * (24 + 30 + 40));
        work.dtype = DataType::bf16;
        CHECK(work_bytes(work).value() == 2.0 * (24 + 30 + 40));
    }

    TEST_CASE("a shape's key ignores batch and pass of a convolution, and its precision") {
        gpu::Work a;
        a.kind = gpu::WorkKind::convolution;
        a.dims = {8, 1, 64, 128, 14, 14, 14, 14, 3, 3, 1, 1, 0, 0, 1, 1};
        gpu::Work b = a;
        b.dims.mb = 16;
        b.pass = Pass::backward_weights;
        b.dtype = DataType::f16;
        CHECK(shape_key(a) == shape_key(b));
        b.dims.oc = 64;
        CHECK(shape_key(a) != shape_key(b));
    }
}
