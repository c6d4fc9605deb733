// The files of `rooftile compare`: what kind each is, and its contents.
#pragma once

#include <string>
#include <vector>

#include "model/record/compare.hpp"
#include "model/record/fleet.hpp"

namespace rooftile::cli {

enum class FileKind { profile, runs, predictions };

struct CompareInputs {
  FileKind kind = FileKind::profile;
  std::vector<ComparedFile> files;  ///< the reference first; named A, B, ..., Z, AA, ...
  std::vector<Comparison> comparisons;
};

/// Reads all and compares each with the first. Throws InputError for a file of none of the kinds,
/// one that holds no runs or no predictions, or one of another kind than the first.
CompareInputs load_and_compare(const std::vector<std::string>& paths, double tolerance);

struct FleetInputs {
  std::vector<ComparedFile> files;
  std::vector<FleetMetric> metrics;
};

/// Reads profiles and judges all together. Throws InputError as judge_fleet() does, and for a file
/// that is no profile.
FleetInputs load_fleet(const std::vector<std::string>& paths, double tolerance);

/// "1%" or "0.01": a fraction from 0 to below 1. Throws InputError.
double parse_tolerance(const std::string& text);

}  // namespace rooftile::cli
