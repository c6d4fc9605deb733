// Values of options: sizes, shapes, axes, tiles, thresholds, clocks, what-if edits, name patterns.
// What prints its own form must read it.
#include "cli/axes.hpp"
#include "cli/compare_inputs.hpp"
#include "cli/filter.hpp"
#include "cli/model_options.hpp"
#include "cli/name_pattern.hpp"
#include "cli/quantity.hpp"
#include "cli/threshold.hpp"
#include "cli/what_if.hpp"
#include "fuzz.hpp"
#include "model/kernel/tile.hpp"

namespace rooftile::fuzz {
namespace {

const DeviceProfile& recorded() {
  static const DeviceProfile profile =
      DeviceProfile::load(std::string(ROOFTILE_SOURCE_DIR) + "/data/h200/profile.json");
  return profile;
}

void read_shapes(const std::string& text) {
  const std::vector<GemmProblem> problems = cli::parse_shapes({text});
  expect(!problems.empty() && problems.size() <= 100'000, "1 to 100000 problems");
  for (const GemmProblem& problem : problems)
    expect(problem.M >= 1 && problem.N >= 1 && problem.K >= 1, "sizes are at least 1");
}

void read_tile(const std::string& text) {
  const Tile tile = parse_tile(text, Tile{});
  expect(tile.threads() >= 0, "threads fit an int");
  expect(parse_tile(tile_name(tile), Tile{}) == tile, "a tile's name is read as that tile");
}

}  // namespace
}  // namespace rooftile::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rooftile;
  using namespace rooftile::fuzz;
  const std::string text(text_of(data, size));
  read_or_refuse([&] { read_shapes(text); });
  read_or_refuse([&] { cli::cubes_hint({text, text, text}); });
  read_or_refuse([&] { expect(parse_size(text) >= 1, "a size is at least 1"); });
  read_or_refuse([&] { read_tile(text); });
  read_or_refuse([&] { cli::parse_number(text, "input"); });
  read_or_refuse([&] { cli::parse_threshold(text, "--fail-above", true); });
  read_or_refuse([&] { cli::parse_tolerance(text); });
  read_or_refuse([&] { expect(cli::parse_clock_hz(text) > 0, "a clock is positive"); });
  read_or_refuse([&] { cli::expanded_name(text, [] { return std::string("GPU-1"); }); });
  read_or_refuse([&] { cli::filter_names({"ffma.latency", "l2.latency"}, text, "--filter"); });
  read_or_refuse([&] {
    if (text.find('=') == std::string::npos) return;  // refused, and a copy of a profile takes long
    DeviceProfile profile = recorded();
    cli::apply_what_if(profile, {text});
  });
  return 0;
}
