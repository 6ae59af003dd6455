#include "tests/browser/chromium.hpp"

#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

#include "core/files.hpp"
#include "tests/support/run_ridge.hpp"

namespace ridge::test {
namespace {

constexpr const char* listen = R"(<script>
window.pageErrors = [];
addEventListener('error', e => pageErrors.push(String(e.message)), true);
addEventListener('securitypolicyviolation', e => pageErrors.push('blocked ' + e.blockedURI));
</script>
)";

std::string questions(const std::string& script) {
    return R"(<script>
addEventListener('load', () => setTimeout(() => {
  let answers;
  try {
    answers = (() => {)" +
           script + R"(})();
  } catch (e) {
    answers = {};
    pageErrors.push('question: ' + e.message);
  }
  answers.errors = pageErrors;
  const out = document.createElement('script');
  out.type = 'application/json';
  out.id = 'answers';
  out.textContent = JSON.stringify(answers).replaceAll('<', '\\u003c');
  document.body.append(out);
}, 50));
</script>
)";
}

std::string between(const std::string& text, const std::string& from, const std::string& to) {
    const std::size_t start = text.rfind(from);
    if (start == std::string::npos) throw std::runtime_error("the browser gave no answer");
    const std::size_t end = text.find(to, start + from.size());
    return text.substr(start + from.size(), end - start - from.size());
}

}  // namespace

std::optional<std::string> find_chromium() {
    const char* path = std::getenv("PATH");
    std::string folders = path ? path : "";
    folders += ':';
    for (std::size_t at = 0, end; (end = folders.find(':', at)) != std::string::npos; at = end + 1)
        for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
            const std::string candidate = folders.substr(at, end - at) + "/" + name;
            if (access(candidate.c_str(), X_OK) == 0) return candidate;
        }
    return std::nullopt;
}

Json ask_page(const std::string& page, const std::string& script, const std::string& hash,
              int width) {
    TemporaryFolder folder;
    std::string html = page;
    html.insert(html.find("<style>"), listen);
    html.insert(html.rfind("</body>"), questions(script));
    write_file(folder.file("page.html"), html);
    const auto outcome = run_program(
        {*find_chromium(), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
         "--disable-dev-shm-usage", "--enable-logging=stderr",
         "--user-data-dir=" + folder.file("profile"),
         "--window-size=" + std::to_string(width) + ",1000", "--virtual-time-budget=10000",
         "--dump-dom", "file://" + folder.file("page.html") + hash},
        {"HOME=" + folder.path()});
    if (outcome.exit_code != 0)
        throw std::runtime_error("the browser failed: " + outcome.err.substr(0, 2000));
    Json answers = Json::parse(
        between(outcome.out, "<script type=\"application/json\" id=\"answers\">", "</script>"));
    for (std::size_t at = 0; (at = outcome.err.find(":CONSOLE", at)) != std::string::npos; ++at)
        answers["errors"].push_back(outcome.err.substr(at, outcome.err.find('\n', at) - at));
    return answers;
}

}  // namespace ridge::test
