// Numbers as a person reads them: a unit that fits, as many digits as mean something, and a dash
// where there is nothing finite to show.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "model/profile/device_profile.hpp"

namespace rooftile::report {

inline constexpr const char* no_value = "\u2013";

/// `digits` significant digits in plain notation ("0.0041", "65.3", "1978"); no_value unless
/// finite.
std::string significant(double x, int digits);
/// Fixed decimals with a true minus sign.
std::string fixed(double x, int decimals);

/// A duration in ns, µs, ms or s with four significant digits.
std::string format_time(double seconds);
/// A rate in TFLOP/s: one decimal, two below 1. Without the unit.
std::string tflops(double flop_per_second);
std::string format_tflops(double flop_per_second);
/// 0.0912 -> "9.1 %". `signed_value` writes the plus sign.
std::string format_percent(double fraction, bool signed_value = false);
std::string format_percent(std::optional<double> fraction, bool signed_value = false);

/// A unit for display: shown = value / scale.
struct DisplayUnit {
  double scale = 1;
  std::string name;
};
/// byte/s becomes GB/s or TB/s, byte KiB to GiB, Hz MHz, s ns to s, flop/s TFLOP/s; "1" and "count"
/// have no name; others stay.
DisplayUnit display_unit(const std::string& unit, double value);

/// Value and half-width of the 95 % interval in the same display unit; the digits of the value end
/// where the uncertainty begins (two digits of it).
struct Shown {
  std::string value, plus_minus, unit;
};
Shown show(const Metric& metric);
/// Any value in its display unit with `digits` significant digits, e.g. "4.62 TB/s".
std::string show_value(double value, const std::string& unit, int digits = 3);

/// `text` with each character that `replacements` names replaced, and what steers a page
/// (model/record/control_text.hpp; white space is text) by U+FFFD; the others stay.
std::string replace_characters(
    const std::string& text, std::initializer_list<std::pair<char, std::string_view>> replacements);

std::string plural(std::size_t n, const std::string& one, const std::string& many);

}  // namespace rooftile::report
