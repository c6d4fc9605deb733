// The files of `rooftile compare`: what kind each is, and its contents.
#pragma once

#include <string>
#include <vector>

#include "model/record/compare.hpp"

namespace rooftile::cli {

struct CompareInputs {
  bool profiles = true;             ///< else runs
  std::vector<ComparedFile> files;  ///< the reference first; named A, B, ...
  std::vector<Comparison> comparisons;
};

/// Reads all and compares each with the first. Throws InputError for a file that is neither a
/// profile nor runs, holds no runs, or is of another kind than the first.
CompareInputs load_and_compare(const std::vector<std::string>& paths, double tolerance);

/// "1%" or "0.01": a fraction from 0 to below 1. Throws InputError.
double parse_tolerance(const std::string& text);

}  // namespace rooftile::cli
