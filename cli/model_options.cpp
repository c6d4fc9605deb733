// --profile, --set, --clock and --runs; a clock given here sets both clocks of the profile.
#include "cli/model_options.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/quantity.hpp"
#include "cli/what_if.hpp"
#include "model/error.hpp"

namespace rooftile::cli {

void ModelOptions::define(CLI::App& app) {
  app.add_option("--profile", profile,
                 "Device profile (default: ROOFTILE_PROFILE, ./profile.json, recorded data)")
      ->type_name("FILE")
      ->group("Model");
  app.add_option("--set", set, "What if: a metric times a factor (ID=2x) or with a value (ID=128)")
      ->type_name("ID=VALUE...")
      ->group("Model");
  app.add_option("--kernels", kernels,
                 "Compiled kernels for the sass predictor (default: ./kernels, recorded data)")
      ->type_name("FOLDER")
      ->group("Model");
  app.add_option("--clock", clock, "What if the SM clock were 1.83GHz or 1830MHz")
      ->type_name("CLOCK")
      ->group("Model");
}

void MeasuredOptions::define(CLI::App& app) {
  model.define(app);
  app.add_option("--runs", runs, "Measured runs (default: ./runs.jsonl, recorded data)")
      ->type_name("FILE...")
      ->group("Model");
}

MeasuredInput MeasuredOptions::load() const {
  MeasuredInput input{model.load_profile(), {}};
  input.runs = find_runs(runs, input.profile);
  return input;
}

double parse_clock_hz(const std::string& text) {
  std::string number = text;
  double factor = 1;
  for (const auto& [suffix, value] : {std::pair{"GHz", 1e9}, {"MHz", 1e6}, {"Hz", 1.0}}) {
    const std::string unit = suffix;
    if (number.size() <= unit.size() || number.substr(number.size() - unit.size()) != unit)
      continue;
    number.resize(number.size() - unit.size());
    factor = value;
    break;
  }
  const double hz = factor * parse_number(number, "--clock");
  if (hz < 1e7 || hz > 1e10)
    throw InputError(
        fmt::format("--clock: '{}' is {} Hz; an SM clock lies between 10MHz and 10GHz", text, hz));
  return hz;
}

ProfileInput ModelOptions::load_profile() const {
  ProfileInput input = find_profile(profile, kernels);
  std::vector<std::string> edits = set;
  if (!clock.empty())
    for (const char* id : {"clock.ffma", "clock.light"})
      edits.push_back(fmt::format("{}={}", id, parse_clock_hz(clock)));
  apply_what_if(input.profile, edits);
  if (!edits.empty())
    input.origin.notice += fmt::format("{}what if {}", input.origin.notice.empty() ? "" : "; ",
                                       fmt::join(edits, ", "));
  return input;
}

}  // namespace rooftile::cli
