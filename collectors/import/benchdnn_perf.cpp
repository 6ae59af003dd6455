#include "collectors/import/benchdnn_perf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "ridge/error.hpp"

namespace ridge::import {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 28;

std::string read_all(ByteStream& bytes, const std::string& file) {
    std::string text;
    std::vector<char> buffer(std::size_t{1} << 18);
    while (const std::size_t got = bytes.read(buffer)) {
        text.append(buffer.data(), got);
        if (text.size() > most_bytes) throw bad_input(file, "at most 256 MiB of output", "more");
    }
    return text;
}

/// Splits at commas that are not within quotes; names contain commas.
std::vector<std::string> split(std::string_view line) {
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (const char c : line) {
        if (c == '"') quoted = !quoted;
        if (c == ',' && !quoted)
            fields.emplace_back();
        else
            fields.back() += c;
    }
    return fields;
}

std::optional<double> number(const std::string& text) {
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || rest != end || !std::isfinite(value)) return std::nullopt;
    return value;
}

/// Which field of a line is what, by the words of the template.
using Columns = std::map<std::string, std::size_t>;

Columns columns_of(std::string_view text) {
    Columns columns;
    const auto words = split(text);
    for (std::size_t i = 0; i < words.size(); ++i) {
        std::string word = words[i];
        std::erase(word, '%');
        columns.emplace(word, i);
    }
    return columns;
}

/// Of releases that did not announce their template.
std::optional<Columns> usual_columns(std::size_t fields) {
    switch (fields) {
        case 11:
            return columns_of("perf,engine,impl,name,prb,Gops,+ctime,-time,-Gflops,0time,0Gflops");
        case 10:
            return columns_of("perf,engine,name,prb,Gops,+ctime,-time,-Gflops,0time,0Gflops");
        case 9:
            return columns_of("perf,name,prb,Gops,freq,-time,-Gflops,0time,0Gflops");
        default:
            return std::nullopt;
    }
}

struct Problem {
    std::string driver, direction = "FWD_D", type = "f32", algorithm, text;
};

/// "--conv --dir=BWD_D --dt=f32 mb16ic64...": newer releases print the options too.
Problem problem_of(const std::string& field, const BenchdnnOptions& options) {
    Problem problem;
    problem.driver = options.driver;
    std::string_view rest = field;
    while (!rest.empty()) {
        const auto end = rest.find(' ');
        const std::string_view word = rest.substr(0, end);
        rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
        const auto value = [&](std::string_view key) {
            return std::string(word.substr(key.size(), word.find(',') - key.size()));
        };
        if (word.starts_with("--dir="))
            problem.direction = value("--dir=");
        else if (word.starts_with("--dt="))
            problem.type = value("--dt=");
        else if (word.starts_with("--cfg="))
            problem.type = value("--cfg=");
        else if (word.starts_with("--alg="))
            problem.algorithm = value("--alg=");
        else if (word.starts_with("--")) {
            if (layer_kind_from_string(word.substr(2))) problem.driver = word.substr(2);
        } else if (!word.empty()) {
            problem.text = word;
        }
    }
    return problem;
}

/// Of a problem that does not say what it is: by the keys that only one driver has.
std::string guessed_driver(std::string_view problem) {
    problem = problem.substr(
        0, problem.find('n', problem.find('"') == std::string_view::npos ? problem.size()
                                                                         : problem.find('"') - 1));
    const auto has = [&](std::string_view key) {
        return problem.find(key) != std::string_view::npos;
    };
    if (has(":")) return "matmul";
    if (has("kh") || has("kw")) return has("oc") ? "conv" : "pool";
    if (has("oc")) return "ip";
    if (has("ls")) return "lrn";
    if (has("ic")) return "bnorm";
    return {};
}

Pass pass_of(const std::string& direction, const Layer& layer) {
    const auto passes = training_passes(layer);
    const auto has = [&](Pass pass) {
        return std::find(passes.begin(), passes.end(), pass) != passes.end();
    };
    if (direction == "BWD_D")
        return has(Pass::backward_data) ? Pass::backward_data : Pass::backward;
    if (direction == "BWD_W" || direction == "BWD_WB")
        return has(Pass::backward_weights) ? Pass::backward_weights : Pass::backward;
    if (direction == "BWD_DW") return Pass::backward;
    return Pass::forward;
}

Layer layer_of(const Problem& problem) {
    const std::string driver =
        problem.driver.empty() ? guessed_driver(problem.text) : problem.driver;
    if (driver.empty()) throw bad_input("'" + problem.text + "'", "a driver (--driver)", "none");
    std::string line = driver + ":" + problem.text;
    std::string algorithm = problem.algorithm;
    std::transform(algorithm.begin(), algorithm.end(), algorithm.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const bool choice = driver == "pool" || driver == "eltwise" || driver == "lrn";
    if (choice && !algorithm.empty()) line += ",alg=" + algorithm;
    if (driver == "conv" || driver == "pool") line += ",asymmetric=1";
    Layer layer = parse_layer(line);
    if (const auto type = data_type_from_string(problem.type)) layer.dtype = *type;
    if (driver == "conv" || driver == "ip")
        layer.bias = problem.direction == "FWD_B" || problem.direction == "BWD_WB";
    return layer;
}

class Reader {
public:
    Reader(const BenchdnnOptions& options, std::string file)
        : options_(options), file_(std::move(file)) {}

    BenchdnnRun read(ByteStream& bytes) {
        const std::string text = read_all(bytes, file_);
        for (std::string_view rest = text; !rest.empty();) {
            const auto end = rest.find('\n');
            std::string_view line = rest.substr(0, end);
            rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
            while (!line.empty() && (line.back() == '\r' || line.back() == ' '))
                line.remove_suffix(1);
            ++run_.lines;
            constexpr std::string_view announced = "Output template: ";
            if (line.starts_with(announced))
                columns_ = columns_of(line.substr(announced.size()));
            else if (line.starts_with("perf,") && !line.starts_with("perf,%"))
                take(split(line));
        }
        if (run_.rows.empty())
            throw bad_input(file_, "lines 'perf,...' of benchdnn --mode=P with a time",
                            fmt::format("{} lines, {} of them damaged", run_.lines, run_.damaged));
        finish();
        return std::move(run_);
    }

private:
    void take(const std::vector<std::string>& fields) {
        const auto columns =
            columns_ && columns_->size() == fields.size() ? columns_ : usual_columns(fields.size());
        const auto text = [&](const char* name) {
            const auto found = columns->find(name);
            // A template that repeats a column has more places than names.
            const bool there = found != columns->end() && found->second < fields.size();
            return there ? fields[found->second] : std::string();
        };
        if (!columns) return damaged("a layout that is not known");
        const auto least = number(text("-time")), average = number(text("0time"));
        const auto operations = number(text("Gops")), rate = number(text("-Gflops"));
        if (!least || !average || !(*least > 0) || *average < *least || *average > 3e10)
            return damaged("no times, or an average below the least");
        // Gop / ms = Top/s; the rate is printed in Gop/s.
        if (operations && rate && *operations > 0 &&
            std::abs(*operations / *least * 1e3 / *rate - 1) > 0.01)
            return damaged("operations, time and rate that contradict each other");
        const Problem problem = problem_of(text("prb"), options_);
        try {
            add(layer_of(problem), problem, text("impl"), *least, *average);
        } catch (const Error& error) {
            damaged(error.what());
        }
    }

    void add(Layer layer, const Problem& problem, const std::string& implementation, double least,
             double average) {
        ImportedRow added;
        Measurement& row = added.row;
        row.kind = layer.kind;
        row.dtype = layer.dtype;
        row.key.pass = pass_of(problem.direction, layer);
        std::string name = layer.name.empty()
                               ? fmt::format("{}{}", to_string(layer.kind), run_.rows.size() + 1)
                               : layer.name;
        row.key.layer = name;
        for (int n = 2; !keys_.insert(row.key).second; ++n)
            row.key.layer = fmt::format("{} #{}", name, n);
        layer.name.clear();
        row.problem = to_line(layer);
        row.implementation = implementation;
        row.ordinal = static_cast<int>(run_.rows.size());
        row.time.time = row.time.raw_min = Seconds(least * 1e-3);
        row.time.median = Seconds(average * 1e-3);
        row.time.samples = 1;
        row.time.upper_bound = true;
        added.samples_s = {least * 1e-3};
        run_.info.batch = layer.dims.mb;
        run_.info.dtype = layer.dtype;
        run_.rows.push_back(std::move(added));
        ++run_.measured;
    }

    void damaged(const std::string& reason) {
        ++run_.damaged;
        constexpr std::size_t most_notes = 10;
        if (run_.notes.size() < most_notes)
            run_.notes.push_back(fmt::format("line {}: {}", run_.lines, one_line(reason)));
    }

    void finish() {
        RunInfo& info = run_.info;
        info.network = options_.name;
        info.machine = options_.machine;
        info.threads = info.environment.threads = options_.threads;
        info.state = CacheState::warm;
        info.library = info.environment.library = "onednn";
        info.started_at = options_.imported_at;
        info.complete = true;
        info.command = options_.command;
        info.environment.ridge_version = options_.ridge_version;
        info.protocol = fmt::format(
            "imported from benchdnn: {} problems, each the least of its repetitions; the median "
            "column holds the average",
            run_.measured);
    }

    const BenchdnnOptions& options_;
    std::string file_;
    std::optional<Columns> columns_;
    std::set<RowKey> keys_;
    BenchdnnRun run_;
};

}  // namespace

BenchdnnRun read_benchdnn_perf(ByteStream& bytes, const BenchdnnOptions& options,
                               const std::string& file) {
    return Reader(options, file).read(bytes);
}

}  // namespace ridge::import
