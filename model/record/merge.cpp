// Two passes: which record of each cell stands, then every record against that one, so that the
// order of the files decides nothing but ties.
#include "model/record/merge.hpp"

#include <fmt/core.h>

#include <map>
#include <utility>

#include "model/error.hpp"
#include "model/record/compare.hpp"

namespace rooftile {
namespace {

/// ISO 8601 in UTC sorts as text.
bool replaces(const RunRecord& later, const RunRecord& stands) {
  if (later.time.has_value() != stands.time.has_value()) return later.time.has_value();
  return later.environment.utc_time >= stands.environment.utc_time;
}

void note_conflict(const RunRecord& kept, const RunRecord& dropped,
                   std::vector<MergeConflict>& conflicts) {
  if (!kept.time || !dropped.time) return;
  const Gap gap = gap_between({dropped.time->median, dropped.time->ci95},
                              {kept.time->median, kept.time->ci95}, 0);
  if (gap.beyond)
    conflicts.push_back({run_key(kept), kept.environment.gpu_uuid, kept.time->median,
                         dropped.time->median, kept.environment.utc_time,
                         dropped.environment.utc_time});
}

void check_model(const RunRecord& run, const RunRecord& first) {
  const std::string &model = first.environment.gpu_name, &other = run.environment.gpu_name;
  if (other != model)
    throw InputError(fmt::format(
        "runs of '{}' and of '{}'; merge each model of GPU into a file of its own", model, other));
}

}  // namespace

std::string card_of(const RunRecord& run) {
  const Environment& e = run.environment;
  return e.gpu_uuid.empty() ? e.host + " " + e.pci_bus_id : e.gpu_uuid;
}

MergedRuns merge_runs(std::span<const RunRecord> runs) {
  MergedRuns merged;
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  std::vector<std::size_t> place_of;
  for (const RunRecord& run : runs) {
    check_model(run, runs.front());
    const auto [place, fresh] =
        places.emplace(std::pair{run_key(run), card_of(run)}, merged.runs.size());
    place_of.push_back(place->second);
    if (fresh)
      merged.runs.push_back(run);
    else if (replaces(run, merged.runs[place->second]))
      merged.runs[place->second] = run;
  }
  merged.replaced = runs.size() - merged.runs.size();
  // The record that stands does not differ from itself.
  for (std::size_t i = 0; i < runs.size(); ++i)
    note_conflict(merged.runs[place_of[i]], runs[i], merged.conflicts);
  return merged;
}

}  // namespace rooftile
