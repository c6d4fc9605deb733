// From variants to candidates, from candidates to the fastest and what ties with it.
#include "cli/tile_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "cli/output.hpp"
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

std::span<const SearchCandidate> leading(const TileSearch& found, std::size_t compiled) {
  const auto& ranked = found.search.ranked;
  return std::span(ranked).first(std::min(compiled, ranked.size()));
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
                        const Predictor& roofline, const Predictor& evaluator, std::size_t most) {
  TileSearch found{problem, {}, {}, 1, {}, 0};
  found.search = search(candidates(selected, problem), problem, roofline, evaluator, most);
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

std::set<KernelName> leading_kernels(const TileSearch& found, std::size_t compiled) {
  std::set<KernelName> kernels;
  for (const SearchCandidate& candidate : leading(found, compiled))
    kernels.insert(kernel_name(candidate.kernel, found.problem));
  return kernels;
}

void rank_by_code(TileSearch& found, std::size_t compiled, const Predictor& sass,
                  std::size_t most) {
  const auto candidates = leading(found, compiled);
  std::vector<std::pair<Prediction, std::size_t>> again;  // and its first place
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const KernelDescription& kernel = candidates[i].kernel;
    try {
      Prediction prediction = sass.predict(kernel, found.problem);
      if (std::isfinite(prediction.time_s)) again.emplace_back(std::move(prediction), i + 1);
    } catch (const InputError& error) {
      print_warning(fmt::format("{} {} is left out by sass: {}", kernel.variant,
                                tile_name(kernel.tile), error.what()));
    }
  }
  std::stable_sort(again.begin(), again.end(),
                   [](const auto& a, const auto& b) { return a.first.time_s < b.first.time_s; });
  if (again.empty())
    throw InputError(fmt::format("--compile: sass can time none of the first {} tiles for {}",
                                 candidates.size(), shape_name(found.problem)));
  found.by_code = again.size();
  found.top.clear();
  found.first_places.clear();
  for (auto& [prediction, place] : again) {
    found.top.push_back(std::move(prediction));
    found.first_places.push_back(place);
  }
  found.ties = count_ties(found.top);
  if (found.top.size() > most) {
    found.top.resize(most);
    found.first_places.resize(most);
  }
}

}  // namespace rooftile::cli
