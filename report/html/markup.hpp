// Building blocks of the HTML report. Everything that comes from a name, a file or a library goes
// through escape() or embed().
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/json.hpp"
#include "report/table.hpp"

namespace ridge::report {

/// Text for element content and double-quoted attributes. Bytes that are not UTF-8 and control
/// characters become '?'.
[[nodiscard]] std::string escape(std::string_view text);

/// <script type="application/json" id="ID">: read by the page's scripts and by other programs.
/// Nothing in it can end the element.
[[nodiscard]] std::string embed(std::string_view id, const Json& json);

struct HtmlTableOptions {
    std::string id = {};
    std::string caption = {};
    bool sortable = true;
    std::string attributes = {};                 ///< of <table>, already escaped
    std::vector<std::string> row_ids = {};       ///< id of each <tr>; may be empty
    std::vector<std::string> long_columns = {};  ///< headers of columns of sentences
    std::vector<std::string> note_columns = {};  ///< headers of columns of remarks, mostly empty
};
/// Exact values of numbers are in data-v, for sorting; "" where a value is missing.
[[nodiscard]] std::string html_table(const Table& table, const HtmlTableOptions& options);

/// A definition list of facts; entries with an empty value say "not known".
[[nodiscard]] std::string html_facts(const std::vector<std::pair<std::string, std::string>>& facts);

}  // namespace ridge::report
