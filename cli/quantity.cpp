// Formatting with four significant digits; parsing that takes the whole text or nothing.
#include "cli/quantity.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "model/error.hpp"

namespace rooftile::cli {
namespace {

struct Prefix {
  double factor;
  const char* text;
};
constexpr std::array<Prefix, 4> small{{{1, ""}, {1e-3, "m"}, {1e-6, "u"}, {1e-9, "n"}}};
constexpr std::array<Prefix, 5> large{{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}}};

/// The first prefix under which the rounded number is at least 1; the last one otherwise.
template <std::size_t N>
Prefix choose(double magnitude, const std::array<Prefix, N>& prefixes) {
  for (const Prefix& prefix : prefixes)
    if (magnitude >= 0.9995 * prefix.factor) return prefix;
  return prefixes.back();
}

std::string four_digits(double value) {
  const double magnitude = std::fabs(value);
  const int decimals = magnitude >= 999.5 ? 0 : magnitude >= 99.95 ? 1 : magnitude >= 9.995 ? 2 : 3;
  return fmt::format("{:.{}f}", value, decimals);
}

std::string unit_name(std::string_view unit) {
  if (unit == "flop/s") return "FLOP/s";
  if (unit == "byte/s") return "B/s";
  return unit == "byte" ? "B" : std::string(unit);
}

}  // namespace

std::string format_quantity(double value, std::string_view unit) {
  if (unit == "percent") return fmt::format("{:.1f} %", 100 * value);
  if (unit == "count") return fmt::format("{:.0f}", value);
  const bool is_time = unit == "s";
  const bool is_large = unit == "flop/s" || unit == "byte/s" || unit == "byte" || unit == "Hz";
  if (value == 0 && (is_time || is_large)) return fmt::format("0 {}", unit_name(unit));
  if (!is_time && !is_large)
    return value != 0 && std::fabs(value) < 0.001 ? fmt::format("{:.3g}", value)
                                                  : four_digits(value);
  const Prefix prefix = is_time ? choose(std::fabs(value), small) : choose(std::fabs(value), large);
  return fmt::format("{} {}{}", four_digits(value / prefix.factor), prefix.text, unit_name(unit));
}

std::string format_duration(double seconds) {
  const auto whole = static_cast<long long>(std::ceil(seconds));
  if (whole < 120) return fmt::format("{} s", whole);
  if (whole < 7200) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

double parse_number(const std::string& text, const std::string& what) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc() || result.ptr != end || !std::isfinite(value))
    throw InputError(fmt::format("{}: '{}' is not a number", what, text));
  return value;
}

}  // namespace rooftile::cli
