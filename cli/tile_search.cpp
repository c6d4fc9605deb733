// From variants to candidates, from candidates to the fastest and what ties with it.
#include "cli/tile_search.hpp"

#include <fmt/format.h>

#include <utility>

#include "model/error.hpp"

namespace rooftile::cli {
namespace {

/// Evaluated tiles that the profile's uncertainty cannot tell from the best.
std::size_t ties_of(const SearchResult& search, const Prediction& best) {
  std::vector<Prediction> times(search.ranked.size());
  for (std::size_t i = 0; i < times.size(); ++i) times[i].time_s = search.ranked[i].time_s;
  times.front() = best;
  return count_ties(times);
}

[[noreturn]] void refuse(const TileSearch& found) {
  const std::string shape = shape_name(found.problem);
  if (found.search.without_sass > 0)
    throw InputError(fmt::format(
        "--predictor: sass has the code of none of {} tiles for {}; it reads kernels that were "
        "compiled and listed (--kernels)",
        found.search.considered, shape));
  throw InputError(fmt::format(
      "--shape: not one of {} tiles for {} fits on an SM of this profile; check its device.* "
      "metrics and --set",
      found.search.considered, shape));
}

}  // namespace

std::vector<KernelDescription> candidates(const std::vector<const Variant*>& selected,
                                          const GemmProblem& problem) {
  std::vector<KernelDescription> kernels;
  if (const auto why = not_applicable(problem))
    throw InputError(fmt::format("--shape: {}: {}", shape_name(problem), *why));
  for (const Variant* variant : selected)
    for (const Tile& tile : variant->tile_space())
      if (!variant->illegal(tile)) kernels.push_back(variant->describe(tile, problem));
  if (kernels.empty())
    throw InputError(
        fmt::format("--shape: no selected variant has a legal tile for {}", shape_name(problem)));
  return kernels;
}

TileSearch search_tiles(const GemmProblem& problem, const std::vector<const Variant*>& selected,
                        const Predictor& roofline, const Predictor& evaluator, std::size_t most,
                        bool pruned) {
  TileSearch found{problem, {}, {}, 1, {}, 0};
  auto kernels = candidates(selected, problem);
  const std::size_t kept = pruned ? most : kernels.size();
  found.search = search(std::move(kernels), problem, roofline, evaluator, kept);
  for (const SearchCandidate& candidate : found.search.ranked)
    if (found.top.size() < most) found.top.push_back(evaluator.predict(candidate.kernel, problem));
  if (found.top.empty()) refuse(found);
  found.ties = ties_of(found.search, found.top.front());
  // What was pruned is slower than the last one kept, so a tie that goes beyond it may be longer.
  for (std::size_t keep = most; found.ties >= keep && found.search.pruned > 0;) {
    keep = 2 * found.ties;
    found.search = search(candidates(selected, problem), problem, roofline, evaluator, keep);
    found.ties = ties_of(found.search, found.top.front());
  }
  return found;
}

}  // namespace rooftile::cli
