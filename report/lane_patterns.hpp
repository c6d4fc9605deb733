// Lane patterns of shared memory: measured cycles beside modelled wavefronts, one by one and
// gathered by the kind of access.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/profile/device_profile.hpp"

namespace rooftile::report {

struct LanePattern {
  std::string name, kind;  ///< kind: "LDS.128", "STS.32", or "other"
  double measured = 0;     ///< cycles a warp instruction; positive, finite
  double modelled = 0;     ///< wavefronts a warp instruction; positive, finite
  double error() const { return measured / modelled - 1; }
  bool agrees() const;  ///< within 5 %
};

/// Indices into the values of a row.
struct PatternColumns {
  std::size_t measured = 0, modelled = 0;
};
/// Found by heading; nullopt where the table does not have both.
std::optional<PatternColumns> pattern_columns(const Table& table);

/// nullopt where the row does not hold both numbers.
std::optional<LanePattern> lane_pattern(const Table& table, const Table::Row& row);
/// Those of all rows.
std::vector<LanePattern> lane_patterns(const Table& table);

/// Patterns of one kind for which the model says one number.
struct PatternGroup {
  std::string kind;
  double modelled = 0;
  std::size_t count = 0;
  double least = 0, most = 0, mean = 0;  ///< measured
};
/// By kind (loads first, narrow ones first), then by the model's number.
std::vector<PatternGroup> group_patterns(const std::vector<LanePattern>& patterns);

}  // namespace rooftile::report
