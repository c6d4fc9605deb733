// A made-up but plausible GPU with runs, predictions and a validation, drawn from a seed.
#pragma once

#include <cstdint>
#include <string>

#include "report/report.hpp"

namespace rooftile::test {

/// The first `shapes` problems of eleven.
ReportInput plausible_input(std::uint32_t seed = 1, std::size_t shapes = 11);

/// Removes a random part of everything: metrics, curves, points, tables, runs, predictions,
/// summaries; values become absent, not finite, zero or negative.
void damage(ReportInput& input, std::uint32_t seed);

/// A folder of its own under the system's temporary one, removed at the end of scope.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string read_file(const std::string& path);

}  // namespace rooftile::test
