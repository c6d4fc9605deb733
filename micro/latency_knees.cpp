#include "micro/latency_knees.hpp"

#include <algorithm>
#include <cmath>

namespace rooftile::micro {
namespace {

/// Index of the step that `better` ranks first among those that `holds`.
template <class Holds, class Distance>
std::optional<std::size_t> best_step(const std::vector<Knee>& steps, Holds holds,
                                     Distance distance) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!holds(steps[i])) continue;
    if (!best || distance(steps[i]) < distance(steps[*best])) best = i;
  }
  return best;
}

double ratio(double a, double b) { return std::abs(std::log(a / b)); }

}  // namespace

std::vector<LevelKnee> name_knees(const std::vector<Knee>& steps, const LevelLatencies& levels) {
  const double between_l1_l2 = std::sqrt(levels.l1 * levels.l2);
  const double between_l2_dram = std::sqrt(levels.l2 * levels.dram);
  const auto l1 = best_step(
      steps,
      [&](const Knee& k) {
        return k.before < between_l1_l2 && k.after > k.before && k.after < between_l2_dram;
      },
      [&](const Knee& k) { return ratio(k.before, levels.l1); });
  // L2 ends where the last step arrives at DRAM's latency.
  const auto l2 = best_step(
      steps, [&](const Knee& k) { return k.before > between_l1_l2 && k.after > between_l2_dram; },
      [&](const Knee& k) { return ratio(k.after, levels.dram); });
  const auto near = best_step(
      steps,
      [&](const Knee& k) {
        return k.before > between_l1_l2 && k.before < between_l2_dram && k.after > k.before;
      },
      [&](const Knee& k) { return ratio(k.before, levels.l2); });
  std::vector<LevelKnee> named;
  if (l1) named.push_back({"memory.knee.l1", *l1});
  if (near && near != l2) named.push_back({"memory.knee.l2_near", *near});
  if (l2) named.push_back({"memory.knee.l2", *l2});
  return named;
}

std::vector<double> around(const Knee& knee, int count, double phase) {
  const double from = std::log2(knee.position) - 0.3;
  const double to = std::log2(std::max(knee.end, knee.position)) + 0.15;
  std::vector<double> result;
  for (int i = 0; i < count; ++i)
    result.push_back(std::exp2(from + (to - from) * (i + phase) / count));
  return result;
}

std::optional<double> position_in(const Staircase& stair, const std::vector<Knee>& steps,
                                  std::size_t k) {
  const double from = k > 0 ? steps[k - 1].end : stair.x.front();
  const double to = k + 1 < steps.size() ? steps[k + 1].position : stair.x.back();
  Staircase part;
  for (std::size_t i = 0; i < stair.x.size(); ++i)
    if (stair.x[i] >= from && stair.x[i] <= to) part.add(stair.x[i], stair.y[i]);
  const std::vector<std::vector<double>> curves{part.y};
  const std::vector<Knee> wanted{steps[k]};
  const std::vector<std::vector<double>> found = knee_positions(part.x, curves, wanted);
  if (found.empty() || found.front().empty()) return std::nullopt;
  return found.front().front();
}

void Staircase::add(double at, double value) {
  const auto where = std::lower_bound(x.begin(), x.end(), at);
  if (where != x.end() && *where == at) return;
  y.insert(y.begin() + (where - x.begin()), value);
  x.insert(where, at);
}

}  // namespace rooftile::micro
