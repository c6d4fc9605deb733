// A data folder like data/, with a synthetic NVIDIA H200: profile, runs, splits, suite.
#pragma once

#include <string>
#include <vector>

#include "model/record/run.hpp"
#include "process.hpp"

namespace rooftile::cli {

class DataFixture {
 public:
  DataFixture();
  const std::string& folder() const { return scratch_.folder(); }
  std::string gpu_folder() const { return scratch_.path("h200"); }
  std::string path(const std::string& name) const { return scratch_.path(name); }
  const std::vector<RunRecord>& runs() const { return runs_; }

  /// Runs the binary with this data folder, in an empty working directory unless `options` say.
  ProcessResult run(const std::vector<std::string>& arguments, ProcessOptions options = {}) const;

 private:
  Scratch scratch_;
  std::vector<RunRecord> runs_;
};

/// The one of this test binary.
const DataFixture& data_fixture();

}  // namespace rooftile::cli
