// Runs of several sweeps made one: the parts of a job array, a sweep and its later repetition.
//
// A cell is what run_key() names, on one GPU (its UUID, or host and slot where that is not known).
// Of several records of a cell the newest stands, by
// the time it was taken and then by order; one without a time never takes the place of one with.
// Where a record differs from the one that stands beyond the uncertainty of both (the rule of
// compare.hpp), that is a conflict: one of them, or the machine, was not what the other was.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/record/run.hpp"

namespace rooftile {

/// What tells cards apart: the UUID, or host and slot where no driver told it.
std::string card_of(const RunRecord& run);

struct MergeConflict {
  std::string cell, gpu_uuid;
  double kept_s = 0, dropped_s = 0;  ///< medians
  std::string kept_utc, dropped_utc;
};

struct MergedRuns {
  std::vector<RunRecord> runs;  ///< one a cell and GPU, in the order in which the cells first came
  std::size_t replaced = 0;     ///< records that another one replaced
  std::vector<MergeConflict> conflicts;
};

/// Throws InputError when the runs are of several models of GPU: nothing reads such a file.
MergedRuns merge_runs(std::span<const RunRecord> runs);

}  // namespace rooftile
