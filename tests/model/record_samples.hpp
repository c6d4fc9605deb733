// Records for the tests: one of each kind with every member set, and RapidCheck generators of
// legal ones.
#pragma once

#include <rapidcheck.h>

#include <string>

#include "model/record/prediction.hpp"
#include "model/record/run.hpp"
#include "model/record/validation.hpp"

namespace rooftile::test {

CreatedBy sample_created_by();
Environment sample_environment();
DeviceProfile sample_profile();
RunRecord sample_run();
Prediction sample_prediction();
ValidationReport sample_validation();

rc::Gen<double> positive_number();
rc::Gen<std::string> any_text();  ///< valid UTF-8
rc::Gen<Tile> legal_tile();
rc::Gen<GemmProblem> legal_problem();
rc::Gen<RunRecord> legal_run();
rc::Gen<Metric> legal_metric(std::string unit);

/// A folder that is removed with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace rooftile::test
