#include "cli/changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/error.hpp"

namespace rooftile::cli {
namespace {

struct Choice {
  std::string name;
  Tile tile;
};

/// Those that the variant can be built with.
std::vector<Choice> choices(const Variant& variant, const Tile& tile) {
  std::vector<Choice> all;
  const auto add = [&](std::string name, const auto& change) {
    Choice choice{std::move(name), tile};
    change(choice.tile);
    if (!variant.illegal(choice.tile)) all.push_back(std::move(choice));
  };
  add("one more stage", [](Tile& t) { ++t.stages; });
  add("one stage less", [](Tile& t) { --t.stages; });
  add(fmt::format("BK {}", 2 * tile.BK), [](Tile& t) { t.BK *= 2; });
  if (tile.BK % 2 == 0) add(fmt::format("BK {}", tile.BK / 2), [](Tile& t) { t.BK /= 2; });
  return all;
}

/// nullopt where the predictor lacks code or cannot read it, or the kernel does not fit on an SM.
std::optional<TileChange> changed(const Variant& variant, const Tile& tile, const Choice& choice,
                                  const GemmProblem& problem, const Predictor& predictor) {
  try {
    const double before = predictor.time_s(variant.describe(tile, problem), problem);
    const double time = predictor.time_s(variant.describe(choice.tile, problem), problem);
    if (!std::isfinite(time)) return std::nullopt;
    return TileChange{choice.name, choice.tile, std::string(predictor.name()), time,
                      before / time - 1};
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace

std::vector<Tile> changed_tiles(const Variant& variant, const Tile& tile) {
  std::vector<Tile> tiles;
  for (const Choice& choice : choices(variant, tile)) tiles.push_back(choice.tile);
  return tiles;
}

std::vector<TileChange> tile_changes(const Variant& variant, const Tile& tile,
                                     const GemmProblem& problem, const Predictor& predictor,
                                     const Predictor* fallback) {
  std::vector<TileChange> changes;
  for (const Choice& choice : choices(variant, tile)) {
    auto change = changed(variant, tile, choice, problem, predictor);
    if (!change && fallback != nullptr) change = changed(variant, tile, choice, problem, *fallback);
    if (change) changes.push_back(std::move(*change));
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const auto& a, const auto& b) { return a.gain > b.gain; });
  return changes;
}

std::unique_ptr<Predictor> changes_fallback(const ProfileInput& profile) {
  try {
    return make_predictor("analytic", profile.profile);
  } catch (const MissingMetric&) {
    return nullptr;
  }
}

}  // namespace rooftile::cli
