// Numbers for people: unit prefixes and a fixed number of significant digits. Files keep full
// precision; only tables go through here.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rooftile::cli {

/// `value` in `unit` with the prefix that leaves 1 to 3 digits before the point:
///   s -> ns, us, ms, s     flop/s, byte/s, Hz, byte -> k, M, G, T (powers of 1000)
///   percent -> a fraction as "12.3 %"     count -> digits as they are     1 and others -> 4 digits
std::string format_quantity(double value, std::string_view unit);

/// A duration for progress and plans: "12 s", "3 min 20 s", "2 h 5 min".
std::string format_duration(double seconds);

/// A finite double from all of `text`. Throws InputError naming `what` and the text otherwise.
double parse_number(const std::string& text, const std::string& what);

}  // namespace rooftile::cli
