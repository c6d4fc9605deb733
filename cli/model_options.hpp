// Options of every command that reads a profile: --profile, --set, --clock, --kernels; and runs:
// --runs.
#pragma once

#include <string>
#include <vector>

#include "cli/inputs.hpp"

namespace CLI {
class App;
}

namespace rooftile::cli {

struct ModelOptions {
  std::string profile, clock, kernels;
  std::vector<std::string> set;

  void define(CLI::App& app);
  /// The profile with the what-if edits applied; the notice names them.
  ProfileInput load_profile() const;
  bool what_if() const { return !set.empty() || !clock.empty(); }
};

struct MeasuredInput {
  ProfileInput profile;
  RunsInput runs;
};

/// Options of every command that sets measured runs beside the model: those above and --runs.
struct MeasuredOptions {
  ModelOptions model;
  std::vector<std::string> runs;

  void define(CLI::App& app);
  MeasuredInput load() const;
};

/// "1.83GHz", "1830MHz" or Hz. Throws InputError.
double parse_clock_hz(const std::string& text);

}  // namespace rooftile::cli
