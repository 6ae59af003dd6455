// Exported runs: any text is a run that is stored and exported equal, or one Error that leaves the
// store as it was.

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "core/json.hpp"
#include "ridge/run_store.hpp"

namespace {

/// A store in a folder of its own, removed at the end.
class Store {
public:
    Store() {
        std::string pattern = (std::filesystem::temp_directory_path() / "ridge-fuzz-XXXXXX");
        if (!mkdtemp(pattern.data())) std::abort();
        folder_ = pattern;
        store_ = std::make_unique<ridge::RunStore>(folder_ + "/runs.db");
    }
    ~Store() {
        store_.reset();
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;
    ridge::RunStore& operator*() { return *store_; }

private:
    std::string folder_;
    std::unique_ptr<ridge::RunStore> store_;
};

/// The export without its id.
std::string content_of(const ridge::RunStore& store, std::int64_t run) {
    auto json = ridge::Json::parse(store.export_run(run));
    json["run"].erase("id");
    return json.dump();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static Store shared;
    ridge::RunStore& store = *shared;
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        const auto first = store.import_run(text, "fuzz.json");
        const auto second = store.import_run(store.export_run(first), "again.json");
        if (content_of(store, first) != content_of(store, second)) std::abort();
        if (!store.check().empty()) std::abort();
        store.delete_run(first);
        store.delete_run(second);
    } catch (const ridge::Error&) {
    }
    if (!store.list_runs().empty()) std::abort();
    return 0;
}
