// The numbers that rules of claims name, each with where it comes from, or why it is not there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/analysis.hpp"

namespace rooftile::report {

/// One term of a rule: "time(naive, 4096)".
struct Evidence {
  std::string term;
  std::optional<double> value;
  std::string unit;
  std::string missing;  ///< why there is no value, and which command would make it
};

/// A term of a rule looked up in profile, runs, predictions and validation.
class ClaimValues {
 public:
  ClaimValues(const ReportInput& input, const Analysis& analysis)
      : input_(input), analysis_(analysis) {}

  /// Functions (a shape is "4096" for a cube, or MxNxK; a variant may be `best`, the fastest of
  /// ours; without a tile the default one of the variant):
  ///   metric(id)  curve(id, x)  cell(table, row, column)  roof(fma | l2 | dram)
  ///   time, speed, share (of the speed of cuBLAS), registers, spill (variant, shape[, tile])
  ///   counter(variant, shape, name)  predicted(variant, shape, field)
  ///   accuracy(predictor, split, figure)
  /// Throws InputError for an unknown function, a wrong number of arguments, and a name that no
  /// profile, prediction or validation can have. A variant that is not there is missing: a file of
  /// runs may have it.
  Evidence value(const std::string& function, const std::vector<std::string>& arguments) const;

  /// Measured shapes, those of the plain problem alone: a transposed or a batched one, or another
  /// alpha, is no shape of its own.
  std::vector<std::string> shapes() const;

 private:
  using Arguments = std::vector<std::string>;
  struct Function;

  void metric(const Arguments& arguments, Evidence& evidence) const;
  void curve(const Arguments& arguments, Evidence& evidence) const;
  void cell(const Arguments& arguments, Evidence& evidence) const;
  void roof(const Arguments& arguments, Evidence& evidence) const;
  void time(const Arguments& arguments, Evidence& evidence) const;
  void speed(const Arguments& arguments, Evidence& evidence) const;
  void share(const Arguments& arguments, Evidence& evidence) const;
  void registers(const Arguments& arguments, Evidence& evidence) const;
  void spill(const Arguments& arguments, Evidence& evidence) const;
  void counter(const Arguments& arguments, Evidence& evidence) const;
  void predicted(const Arguments& arguments, Evidence& evidence) const;
  void accuracy(const Arguments& arguments, Evidence& evidence) const;

  /// "" where there is none: `best`, libraries.
  std::string default_tile(const std::string& variant) const;
  bool known(const std::string& variant) const;
  /// The run that a term means; null, and `missing` said, where there is none.
  const Measured* run(const Arguments& arguments, bool tile_follows, Evidence& evidence) const;

  const ReportInput& input_;
  const Analysis& analysis_;
};

}  // namespace rooftile::report
