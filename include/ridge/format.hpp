// Numbers as people read them. Decimal point always, whatever the locale.
#pragma once

#include <string>

#include "ridge/units.hpp"

namespace ridge {

/// Three significant digits with an SI prefix: "1.23 ms", "45.6 GFLOP/s", "11.5 GB/s", "0 s".
[[nodiscard]] std::string format(Seconds t);
[[nodiscard]] std::string format(Flops f);
[[nodiscard]] std::string format(Bytes b);  ///< SI: "51.5 MB"
[[nodiscard]] std::string format(BytesPerSecond r);
[[nodiscard]] std::string format(FlopsPerSecond r);
[[nodiscard]] std::string format(Hertz f);
[[nodiscard]] std::string format(FlopsPerByte i);  ///< "22.5 FLOP/B"
/// IEC, for capacities: "48 KiB", "2 MiB".
[[nodiscard]] std::string format_iec(Bytes b);
/// "12.3 %"
[[nodiscard]] std::string format_percent(double share);

/// "2MiB", "1.5 GB", "64" (bytes). Throws Error bad_input naming `where`.
[[nodiscard]] Bytes parse_bytes(const std::string& text, const std::string& where);

/// RFC 4180 field: quoted when it holds a comma, a quote or a line break.
[[nodiscard]] std::string csv_field(const std::string& text);

}  // namespace ridge
