// A bar rewritten in place on a terminal; otherwise whole lines, at most one every two seconds, so
// that logs stay short. Time left = elapsed x (total - done) / done.
#include "gpu/progress.hpp"

#include <fmt/core.h>
#include <unistd.h>
#include <cmath>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace rooftile {
namespace {

constexpr double redraw_s = 0.1;
constexpr double line_s = 2;
constexpr int bar_cells = 24;

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool is_terminal() {
  const char* kind = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && !(kind != nullptr && std::string(kind) == "dumb");
}

bool use_color() {
  const char* no_color = std::getenv("NO_COLOR");  // no-color.org: set and not empty
  return no_color == nullptr || *no_color == '\0';
}

std::string duration(double seconds) {
  if (!(seconds < 360'000)) return "over 100 h";
  const auto whole = std::llround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02d} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02d} min", whole / 3600, whole % 3600 / 60);
}

std::string bar(double fraction) {
  const int filled = static_cast<int>(fraction * bar_cells);
  std::string text = std::string(static_cast<std::size_t>(filled), '#');
  text.resize(bar_cells, '.');
  return use_color() ? "\x1b[36m" + text + "\x1b[0m" : text;
}

/// A log that cannot be written (closed, full disk) must not stop the measurement: fmt::print()
/// would throw.
void say(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace

Progress::Progress(std::string title, double total_weight, bool quiet)
    : title_(std::move(title)),
      total_(total_weight),
      started_s_(now_s()),
      quiet_(quiet),
      terminal_(is_terminal()) {}

Progress::~Progress() {
  if (quiet_ || printed_s_ < 0) return;
  say(fmt::format("{}{}: {:.0f} % in {}\n", terminal_ ? "\r\x1b[K" : "", title_,
                  total_ > 0 ? std::min(100.0, 100 * done_ / total_) : 100.0,
                  duration(now_s() - started_s_)));
}

void Progress::advance(double weight, const std::string& label) {
  done_ += std::max(0.0, weight);
  if (quiet_) return;
  const double now = now_s();
  if (printed_s_ >= 0 && now - printed_s_ < (terminal_ ? redraw_s : line_s)) return;
  printed_s_ = now;
  const double fraction = total_ > 0 ? std::clamp(done_ / total_, 0.0, 1.0) : 1.0;
  const auto left = done_ > 0
                        ? ", " + duration((now - started_s_) * (1 - fraction) / fraction) + " left"
                        : std::string();
  const auto percent = fmt::format("{:3.0f} %{}", 100 * fraction, left);
  if (terminal_)
    say(fmt::format("\r\x1b[K{} {} {}  {:.40}", title_, bar(fraction), percent, label));
  else
    say(fmt::format("{}: {}  {}\n", title_, percent, label));
}

}  // namespace rooftile
