// ValidationReport: how far predictions and measurements lie apart; the content of validation.json.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/record/prediction.hpp"
#include "model/record/run.hpp"

namespace rooftile {

/// Error statistics over a set of (prediction, run) pairs. Errors are (predicted - measured) /
/// measured, as fractions.
struct ErrorSummary {
  int n = 0;
  double mape = 0, bias = 0, p50 = 0, p90 = 0, p95 = 0, max = 0;
  std::optional<double> kendall_tau_b;  ///< mean over shapes with at least 3 variants
  std::optional<double> regret_top1, regret_top5,
      regret_top8;  ///< geomean(1 + regret) - 1 over shapes
  std::optional<double> interval_coverage;
};

/// One matched pair.
struct ErrorCase {
  std::string predictor, variant, tile, shape, split;
  double predicted_s = 0, measured_s = 0;
  double error() const { return (predicted_s - measured_s) / measured_s; }
  std::string bound;
};

/// A predictor with one part of the model taken out (model/predict/parts.hpp), on dev.
struct AblationCase {
  std::string predictor;
  std::string without;  ///< name of the part; "nothing" for the whole model
  ErrorSummary summary;
  /// Figures that are visibly worse than those of the whole: "mape", "bias", "kendall_tau_b",
  /// "regret_top1".
  std::vector<std::string> worse;
};

struct ValidationReport {
  static constexpr std::string_view schema = "rooftile.validation";
  static constexpr int schema_version = 2;  ///< 1 had no ablation

  /// predictor -> split ("dev", "sealed") -> summary; only splits that have pairs.
  std::map<std::string, std::map<std::string, ErrorSummary>> predictors;
  /// predictor -> key -> summary, dev only.
  std::map<std::string, std::map<std::string, ErrorSummary>> by_variant, by_shape, by_bound;
  /// As `predictors`, of the runs that every predictor predicts; empty where those are all.
  std::map<std::string, std::map<std::string, ErrorSummary>> common;
  /// Baselines on the same runs by name ("max_rule", "always 128x128x8", "cublas", "random").
  std::map<std::string, ErrorSummary> baselines;
  /// Of each predictor first the whole model; empty where it was not asked for.
  std::vector<AblationCase> ablation;
  std::vector<ErrorCase> cases;  ///< all pairs
  std::vector<ErrorCase> worst;  ///< the 20 with the largest |error| of the finest predictor
  int fitted_parameters = 0;
  std::vector<std::string> skipped;       ///< pairs left out, with the reason
  std::vector<std::string> without_sass;  ///< pairs that only sass leaves out: no compiled code
  CreatedBy created_by;
  Environment environment;  ///< of the measured machine

  Json to_json() const;
  static ValidationReport from_json(const JsonReader& json);
  static ValidationReport load(const std::string& path);
  void save(const std::string& path) const;
};

}  // namespace rooftile
