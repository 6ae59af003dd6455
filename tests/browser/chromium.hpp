// Loads a page in headless Chromium and asks it questions. There is no driver: the questions are a
// script inside the page, which writes its answers into the document that Chromium then prints.
#pragma once

#include <optional>
#include <string>

#include "core/json.hpp"

namespace ridge::test {

/// The browser on PATH; nothing when there is none.
[[nodiscard]] std::optional<std::string> find_chromium();

/// Opens `page` from a file, with `hash` behind its address and a window of `width` pixels, runs
/// `script` once everything is drawn and returns the object that it evaluates to, with
/// "errors": what the page or the browser's console complained about.
[[nodiscard]] Json ask_page(const std::string& page, const std::string& script,
                            const std::string& hash = {}, int width = 1280);

}  // namespace ridge::test
