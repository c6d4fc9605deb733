// Units and digits. Values are shown, never computed on, here.
#include "report/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/record/control_text.hpp"

namespace rooftile::report {
namespace {

constexpr const char* space = "\u00a0";  // a value and its unit stay on one line

int magnitude(double x) {
  return x == 0 ? 0 : static_cast<int>(std::floor(std::log10(std::abs(x))));
}

DisplayUnit time_unit(double seconds) {
  const double size = std::abs(seconds);
  if (size < 1e-6) return {1e-9, "ns"};
  if (size < 1e-3) return {1e-6, "µs"};
  return size < 1 ? DisplayUnit{1e-3, "ms"} : DisplayUnit{1, "s"};
}

DisplayUnit byte_unit(double bytes) {
  if (bytes < 1024) return {1, "B"};
  if (bytes < 1024.0 * 1024) return {1024, "KiB"};
  return bytes < 1024.0 * 1024 * 1024 ? DisplayUnit{1024.0 * 1024, "MiB"}
                                      : DisplayUnit{1024.0 * 1024 * 1024, "GiB"};
}

std::string with_unit(const std::string& value, const std::string& unit) {
  return unit.empty() ? value : value + space + unit;
}

}  // namespace

std::string fixed(double x, int decimals) {
  if (!std::isfinite(x)) return no_value;
  if (std::abs(x) >= 1e15) return fmt::format("{:.3e}", x);
  const std::string text = fmt::format("{:.{}f}", std::abs(x), decimals);
  const bool zero = text.find_first_not_of("0.") == std::string::npos;
  return (x < 0 && !zero ? "\u2212" : "") + text;
}

std::string significant(double x, int digits) {
  if (!std::isfinite(x)) return no_value;
  const int decimals = digits - 1 - magnitude(x);
  const double rounding = std::pow(10.0, decimals);
  const double rounded = std::isfinite(rounding) && decimals > 0 && decimals < 15
                             ? std::round(x * rounding) / rounding
                             : x;  // 9.996 to three digits is 10.0, not 10.00
  return fixed(x, std::clamp(digits - 1 - magnitude(rounded), 0, 12));
}

std::string format_time(double seconds) {
  if (!std::isfinite(seconds)) return no_value;
  const DisplayUnit unit = time_unit(seconds);
  return with_unit(significant(seconds / unit.scale, 4), unit.name);
}

std::string tflops(double flop_per_second) {
  const double t = flop_per_second / 1e12;
  return fixed(t, std::abs(t) < 0.995 ? 2 : 1);
}

std::string format_tflops(double flop_per_second) {
  return with_unit(tflops(flop_per_second), "TFLOP/s");
}

std::string format_percent(double fraction, bool signed_value) {
  if (!std::isfinite(fraction)) return no_value;
  const double percent = 100 * fraction;
  const std::string text = fixed(percent, std::abs(percent) < 999.95 ? 1 : 0);
  return (signed_value && percent > 0 ? "+" : "") + text + space + "%";
}

std::string format_percent(std::optional<double> fraction, bool signed_value) {
  return fraction ? format_percent(*fraction, signed_value) : no_value;
}

DisplayUnit display_unit(const std::string& unit, double value) {
  const double size = std::abs(value);
  if (unit == "s") return time_unit(value);
  if (unit == "byte") return byte_unit(size);
  if (unit == "byte/s") return size < 1e12 ? DisplayUnit{1e9, "GB/s"} : DisplayUnit{1e12, "TB/s"};
  if (unit == "flop/s") return {1e12, "TFLOP/s"};
  if (unit == "Hz") return {1e6, "MHz"};
  if (unit == "cycle") return {1, size == 1 ? "cycle" : "cycles"};
  if (unit == "fma/cycle/SM") return {1, "FMA/cycle/SM"};
  if (unit == "byte/cycle") return {1, "B/cycle"};
  if (unit == "byte/cycle/SM") return {1, "B/cycle/SM"};
  if (unit == "degC") return {1, "°C"};
  if (unit == "1" || unit == "count") return {1, ""};
  return {1, unit};
}

Shown show(const Metric& metric) {
  if (!metric.value || !std::isfinite(*metric.value)) return {no_value, "", ""};
  const double value = *metric.value;
  const DisplayUnit unit = display_unit(metric.unit, value);
  Shown shown;
  shown.unit = unit.name;
  const double half = metric.ci95 ? (metric.ci95->hi - metric.ci95->lo) / 2 / unit.scale : -1;
  const double scaled = value / unit.scale;
  if (half > 0 && std::isfinite(half)) {
    const int decimals = std::clamp(1 - magnitude(half), 0, std::max(0, 5 - magnitude(scaled)));
    shown.value = fixed(scaled, decimals);
    shown.plus_minus = half < 0.5 * std::pow(10.0, -decimals)
                           ? "< " + fixed(std::pow(10.0, -decimals), decimals)
                           : fixed(half, decimals);
    return shown;
  }
  const bool whole = scaled == std::floor(scaled) && std::abs(scaled) < 1e15;
  shown.value = whole ? fixed(scaled, 0) : significant(scaled, 4);
  if (half == 0) shown.plus_minus = "0";
  return shown;
}

std::string show_value(double value, const std::string& unit, int digits) {
  if (!std::isfinite(value)) return no_value;
  const DisplayUnit shown = display_unit(unit, value);
  return with_unit(significant(value / shown.scale, digits), shown.name);
}

std::string replace_characters(
    const std::string& text,
    std::initializer_list<std::pair<char, std::string_view>> replacements) {
  std::string result;
  for (const char c : without_steering(text, "\uFFFD", "\t\n\r")) {
    const auto* found = std::find_if(replacements.begin(), replacements.end(),
                                     [c](const auto& entry) { return entry.first == c; });
    if (found != replacements.end())
      result += found->second;
    else
      result += c;
  }
  return result;
}

std::string plural(std::size_t n, const std::string& one, const std::string& many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

}  // namespace rooftile::report
