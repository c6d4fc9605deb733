// Two sets of predictions: predictor, variant, tile and problem are the cell. A prediction is a
// pure function of its inputs, so what differs beyond the interval comes from the profile or the
// model.
#include <fmt/core.h>

#include "model/record/compare.hpp"

namespace rooftile {
namespace {

using PredictionCells = std::map<std::string, const Prediction*>;

PredictionCells cells_of(std::span<const Prediction> predictions) {
  PredictionCells cells;
  for (const Prediction& p : predictions)
    cells[fmt::format("{} {} {} {}", p.predictor, p.variant, tile_name(p.tile),
                      problem_name(p.problem))] = &p;
  return cells;
}

void judge_times(const Prediction& a, const Prediction& b, const CompareOptions& options,
                 EntryComparison& entry) {
  const Gap gap =
      gap_between({a.time_s, a.input_interval}, {b.time_s, b.input_interval}, options.tolerance);
  entry.difference = gap.difference / a.time_s;
  entry.uncertainty = gap.uncertainty / a.time_s;
  entry.compared = 1;
  entry.differing = gap.beyond;
  if (gap.beyond) entry.verdict = Verdict::differs;
  if (a.bound != b.bound)
    entry.note = fmt::format("bound {} -> {}", to_string(a.bound), to_string(b.bound));
}

EntryComparison entry_of(const std::string& id, const Prediction* a, const Prediction* b,
                         const CompareOptions& options) {
  EntryComparison entry;
  entry.kind = ComparedKind::prediction;
  entry.id = id;
  entry.unit = "s";
  const auto take = [](const Prediction* p, auto& value, auto& interval) {
    if (p == nullptr) return;
    value = p->time_s;
    interval = p->input_interval;
  };
  take(a, entry.reference, entry.reference_interval);
  take(b, entry.other, entry.other_interval);
  if (b == nullptr)
    entry.verdict = Verdict::only_in_reference;
  else if (a == nullptr)
    entry.verdict = Verdict::only_in_other;
  else
    judge_times(*a, *b, options, entry);
  return entry;
}

}  // namespace

Comparison compare_predictions(std::span<const Prediction> reference,
                               std::span<const Prediction> other, const CompareOptions& options) {
  const PredictionCells a = cells_of(reference), b = cells_of(other);
  const auto in = [](const PredictionCells& cells, const std::string& id) {
    const auto found = cells.find(id);
    return found == cells.end() ? nullptr : found->second;
  };
  PredictionCells all = a;
  all.insert(b.begin(), b.end());
  Comparison comparison;
  for (const auto& [id, unused] : all)
    comparison.entries.push_back(entry_of(id, in(a, id), in(b, id), options));
  return comparison;
}

}  // namespace rooftile
