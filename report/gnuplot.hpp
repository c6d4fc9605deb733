// Runs gnuplot without a shell.
#pragma once

#include <optional>
#include <span>
#include <string>

namespace rooftile::report {

struct GnuplotResult {
  bool ok = false;     ///< exit code 0 within the time
  std::string errors;  ///< what gnuplot wrote to stderr, or why it could not run
};

/// The first executable `gnuplot` on PATH.
std::optional<std::string> find_gnuplot();

/// Runs all `scripts` (names relative to `folder`) in one process with `folder` as its working
/// directory, without the user's start-up files. After `timeout_s` it is killed.
GnuplotResult run_gnuplot(const std::string& executable, const std::string& folder,
                          std::span<const std::string> scripts, double timeout_s);

}  // namespace rooftile::report
