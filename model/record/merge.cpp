// One pass; each record meets the one that stands so far.
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

}  // namespace

MergedRuns merge_runs(std::span<const RunRecord> runs) {
  MergedRuns merged;
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  for (const RunRecord& run : runs) {
    const std::string& model = runs.front().environment.gpu_name;
    if (run.environment.gpu_name != model)
      throw InputError(
          fmt::format("runs of '{}' and of '{}'; merge each model of GPU into a file "
                      "of its own",
                      model, run.environment.gpu_name));
    const auto [place, fresh] =
        places.emplace(std::pair{run_key(run), run.environment.gpu_uuid}, merged.runs.size());
    if (fresh) {
      merged.runs.push_back(run);
      continue;
    }
    RunRecord& stands = merged.runs[place->second];
    const bool newer = replaces(run, stands);
    note_conflict(newer ? run : stands, newer ? stands : run, merged.conflicts);
    if (newer) stands = run;
    ++merged.replaced;
  }
  return merged;
}

}  // namespace rooftile
