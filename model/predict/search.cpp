#include "model/predict/search.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "model/error.hpp"

namespace rooftile {
namespace {

/// Ties in time are broken by name and tile, so that a result does not depend on input order.
bool faster(const SearchCandidate& a, const SearchCandidate& b) {
  return std::tie(a.time_s, a.kernel.variant, a.kernel.tile) <
         std::tie(b.time_s, b.kernel.variant, b.kernel.tile);
}

}  // namespace

SearchResult search(std::vector<KernelDescription> kernels, const GemmProblem& problem,
                    const Predictor& roofline, const Predictor& evaluator, std::size_t keep) {
  keep = std::max<std::size_t>(1, keep);
  std::vector<SearchCandidate> open;
  open.reserve(kernels.size());
  for (auto& kernel : kernels) {
    const double bound = roofline.time_s(kernel, problem);
    open.push_back({.kernel = std::move(kernel), .bound_s = bound, .time_s = 0});
  }
  std::vector<std::size_t> order(open.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return open[a].bound_s < open[b].bound_s; });

  SearchResult result;
  result.considered = open.size();
  std::vector<double> best;  // the `keep` smallest times so far, a max-heap
  for (std::size_t visited = 0; visited < order.size(); ++visited) {
    SearchCandidate& candidate = open[order[visited]];
    // No later bound is smaller, so nothing that is left can be among the best.
    if (best.size() == keep && candidate.bound_s > best.front()) {
      result.pruned = order.size() - visited;
      break;
    }
    try {
      candidate.time_s = evaluator.time_s(candidate.kernel, problem);
    } catch (const NoSass&) {
      ++result.without_sass;
      continue;
    }
    if (!std::isfinite(candidate.time_s)) continue;  // cannot be launched on this device
    best.push_back(candidate.time_s);
    std::push_heap(best.begin(), best.end());
    if (best.size() > keep) {
      std::pop_heap(best.begin(), best.end());
      best.pop_back();
    }
    result.ranked.push_back(std::move(candidate));
  }
  std::sort(result.ranked.begin(), result.ranked.end(), faster);
  return result;
}

std::vector<Prediction> fastest_by_block_tile(std::span<const KernelDescription> kernels,
                                              const GemmProblem& problem,
                                              const Predictor& evaluator) {
  std::map<std::pair<int, int>, std::pair<double, const KernelDescription*>> fastest;
  for (const KernelDescription& kernel : kernels) {
    const double time_s = evaluator.time_s(kernel, problem);
    if (!std::isfinite(time_s)) continue;  // cannot be launched on this device
    const auto [entry, added] =
        fastest.try_emplace({kernel.tile.BM, kernel.tile.BN}, time_s, &kernel);
    if (!added && time_s < entry->second.first) entry->second = {time_s, &kernel};
  }
  std::vector<Prediction> predictions;
  for (const auto& entry : fastest)
    predictions.push_back(evaluator.explain(*entry.second.second, problem));
  return predictions;
}

std::size_t count_ties(std::span<const Prediction> fastest_first) {
  if (fastest_first.empty()) return 0;
  const Prediction& best = fastest_first.front();
  const double limit = best.input_interval ? best.input_interval->hi : best.time_s;
  const auto after = std::find_if(fastest_first.begin(), fastest_first.end(),
                                  [&](const Prediction& p) { return p.time_s > limit; });
  return static_cast<std::size_t>(after - fastest_first.begin());
}

}  // namespace rooftile
