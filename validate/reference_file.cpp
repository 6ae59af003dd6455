// Reference measurements as CSV: comment lines with the provenance, a header, one row per distinct
// problem. Numbers have four digits, which is more than any measurement of a time.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>

#include "core/files.hpp"
#include "model/predict/cpu/analytic_demand.hpp"
#include "ridge/error.hpp"
#include "ridge/format.hpp"
#include "validate/reference_rows.hpp"

namespace ridge::validate {
namespace {

constexpr const char* header =
    "network,batch,threads,state,count,pass,part,problem,implementation,time_us,spread,quiet,"
    "samples,upper_bound,fma512,fma256,fma_narrow,vector512,vector256,vector_narrow,divisions,"
    "loads,load_bytes,broadcasts,stores,store_bytes,non_temporal_bytes,instructions,calls,"
    "sse_transitions,chained,l2_read_bytes,l2_written_bytes,l3_read_bytes,l3_written_bytes,busiest,"
    "reuse_bytes";
constexpr std::size_t described = 14, counted = 23;

std::string number(double value) {
    if (value == std::floor(value) && std::abs(value) < 1e4) return fmt::format("{:.0f}", value);
    return fmt::format("{:.4g}", value);
}

std::vector<double> counts_of(const ReferenceRow& row) {
    const PassDemand& d = row.demand;
    const auto wide = static_cast<std::size_t>(VectorWidth::bits512);
    const auto narrow = [&](const ByWidth& w) { return w[wide - 2] + w[wide - 3]; };
    const auto level = [&](std::size_t i, bool read) {
        if (i >= d.levels.size()) return 0.0;
        return read ? d.levels[i].read.value() : d.levels[i].written.value();
    };
    return {d.fma[wide],
            d.fma[wide - 1],
            narrow(d.fma),
            d.other_arithmetic[wide],
            d.other_arithmetic[wide - 1],
            narrow(d.other_arithmetic),
            d.divisions,
            d.loads.accesses,
            d.loads.bytes,
            d.broadcasts,
            d.stores.accesses,
            d.stores.bytes,
            d.non_temporal.value(),
            d.instructions,
            d.calls,
            d.sse_transitions,
            d.chained_share,
            level(0, true),
            level(0, false),
            level(1, true),
            level(1, false),
            d.busiest_share,
            row.reuse_bytes};
}

PassDemand demand_of(const ReferenceRow& row, const std::vector<double>& c) {
    PassDemand d;
    d.source = Source::traced;
    const auto wide = static_cast<std::size_t>(VectorWidth::bits512);
    d.fma[wide] = c[0], d.fma[wide - 1] = c[1], d.fma[wide - 2] = c[2];
    d.other_arithmetic[wide] = c[3], d.other_arithmetic[wide - 1] = c[4];
    d.other_arithmetic[wide - 2] = c[5];
    d.executed = Flops(32 * c[0] + 16 * c[1] + 8 * c[2]);
    d.divisions = c[6];
    d.loads = {c[7], c[8]};
    d.broadcasts = c[9];
    d.stores = {c[10], c[11]};
    d.non_temporal = Bytes(c[12]);
    d.instructions = c[13];
    d.calls = c[14];
    d.sse_transitions = c[15];
    d.chained_share = c[16];
    d.levels = {{"L2", Bytes(c[17]), Bytes(c[18])}, {"L3", Bytes(c[19]), Bytes(c[20])}};
    d.busiest_share = c[21];
    d.threads = row.threads;
    cpu::set_distinct_bytes(d, row.layer, row.work());
    if (c[22] > 0) d.footprint = Bytes(c[22]);  // 0: the row's own
    return d;
}

/// Fields of a CSV line; quotes may hold commas and doubled quotes.
std::vector<std::string> fields_of(const std::string& line) {
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"')
            fields.back() += line[++i];
        else if (c == '"')
            quoted = !quoted;
        else if (c == ',' && !quoted)
            fields.emplace_back();
        else
            fields.back() += c;
    }
    return fields;
}

class Reader {
public:
    explicit Reader(std::string path) : path_(std::move(path)) {}

    void read(ReferenceSet& set) {
        const std::string text = read_file(path_);
        std::size_t start = 0;
        while (start < text.size()) {
            const std::size_t end = std::min(text.find('\n', start), text.size());
            std::string line = text.substr(start, end - start);
            start = end + 1;
            ++line_;
            if (line.ends_with('\r')) line.pop_back();
            take(line, set);
        }
        if (!header_seen_) throw wrong("a header", "none");
    }

private:
    [[nodiscard]] Error wrong(std::string_view expected, std::string_view found) const {
        return bad_input(fmt::format("{}:{}", path_, line_), expected, found);
    }

    void take(const std::string& line, ReferenceSet& set) {
        if (line.empty()) return;
        if (line.front() == '#') {
            comment(line, set);
            return;
        }
        if (!header_seen_) {
            if (line != header)
                throw wrong("the header of reference measurements", "'" + line + "'");
            header_seen_ = true;
            return;
        }
        const auto fields = fields_of(line);
        if (fields.size() != described && fields.size() != described + counted)
            throw wrong(fmt::format("{} or {} fields", described, described + counted),
                        std::to_string(fields.size()));
        set.rows.push_back(row_of(fields));
    }

    void comment(const std::string& line, ReferenceSet& set) {
        const std::string text = line.substr(std::min<std::size_t>(2, line.size()));
        if (text.starts_with("machine: ")) machine_ = text.substr(9);
        if (text.starts_with("library: ")) library_ = text.substr(9);
        set.description += text + "\n";
    }

    double value(const std::string& text, double least) const {
        double v = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
        if (error != std::errc() || end != text.data() + text.size() || !(v >= least) || v > 1e30)
            throw wrong(fmt::format("a number from {}", least), "'" + text + "'");
        return v;
    }

    ReferenceRow row_of(const std::vector<std::string>& f) const {
        ReferenceRow row;
        row.machine = machine_;
        row.library = library_;
        row.network = f[0];
        row.batch = static_cast<std::int64_t>(value(f[1], 1));
        row.threads = static_cast<int>(value(f[2], 1));
        const auto state = cache_state_from_string(f[3]);
        if (!state) throw wrong("cold, warm or in_step", "'" + f[3] + "'");
        row.state = *state;
        row.count = static_cast<int>(value(f[4], 1));
        const auto pass = pass_from_string(f[5]);
        if (!pass) throw wrong("a pass", "'" + f[5] + "'");
        row.pass = *pass;
        row.part = f[6];
        row.layer = parse_layer(f[7]);
        row.implementation = f[8];
        row.time_s = value(f[9], 1e-6) * 1e-6;
        row.spread = value(f[10], -1);
        row.quiet_samples = static_cast<int>(value(f[11], 0));
        row.samples = static_cast<int>(value(f[12], 0));
        row.upper_bound = value(f[13], 0) != 0;
        if (f.size() == described) return row;
        std::vector<double> counts;
        for (std::size_t i = described; i < f.size(); ++i) counts.push_back(value(f[i], 0));
        row.demand = demand_of(row, counts);
        row.reuse_bytes = counts.back();
        row.has_demand = true;
        return row;
    }

    std::string path_, machine_, library_;
    int line_ = 0;
    bool header_seen_ = false;
};

}  // namespace

ReferenceSet load_reference(const std::string& path) {
    ReferenceSet set;
    std::vector<std::string> files;
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) {
        for (const auto& entry : std::filesystem::directory_iterator(path, error))
            if (entry.path().extension() == ".csv") files.push_back(entry.path().string());
        std::sort(files.begin(), files.end());
    } else {
        files.push_back(path);
    }
    for (const std::string& file : files) Reader(file).read(set);
    if (set.rows.empty()) throw bad_input(path, "reference measurements (.csv)", "none");
    return set;
}

void save_reference(const ReferenceSet& set, const std::string& path) {
    std::string out;
    std::size_t start = 0;
    while (start < set.description.size()) {
        const std::size_t end = std::min(set.description.find('\n', start), set.description.size());
        out += "# " + one_line(set.description.substr(start, end - start)) + "\n";
        start = end + 1;
    }
    out += std::string(header) + "\n";
    for (const ReferenceRow& r : set.rows) {
        out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{}", csv_field(r.network),
                           r.batch, r.threads, to_string(r.state), r.count, to_string(r.pass),
                           csv_field(r.part), csv_field(to_line(r.layer)),
                           csv_field(r.implementation), number(r.time_s * 1e6), number(r.spread),
                           r.quiet_samples, r.samples, r.upper_bound ? 1 : 0);
        if (r.has_demand)
            for (const double value : counts_of(r)) out += "," + number(value);
        out += "\n";
    }
    write_file(path, out);
}

}  // namespace ridge::validate
