// What the sections share: the runs that count, each beside its predictions, the roofs of the
// profile, the measured baseline, and what of the predictions beyond the runs can be shown. Nothing
// is modelled here; products and quotients of recorded values only.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/record/libraries.hpp"
#include "report/report.hpp"

namespace rooftile::report {

inline constexpr const char* baseline_name = cublas_name;

/// A usable run: state ok or suspect, a positive time, a result that was not found wrong, hot
/// cache.
struct Measured {
  const RunRecord* run = nullptr;
  std::map<std::string, const Prediction*> predictions;  ///< by predictor
  std::string shape;
  double time_s = 0, flops = 0;
  bool ours() const { return !is_library(run->variant); }
};

/// Roofs derived from the profile; absent where a factor is missing.
struct Roofs {
  std::optional<double> fma_flops;     ///< FFMA rate x SMs x 2 x clock under FFMA load
  std::optional<double> l2_bytes_s;    ///< L2 read bandwidth x clock
  std::optional<double> dram_bytes_s;  ///< streaming read
};

struct Analysis {
  std::vector<Measured> runs;
  std::vector<const RunRecord*> left_out;  ///< failed, skipped, wrong or without a time
  std::size_t cold = 0;                 ///< usable runs from a cold cache, not shown in the plots
  std::vector<std::string> shapes;      ///< by FLOP count, then name
  std::vector<std::string> variants;    ///< in ladder order; libraries last
  std::vector<std::string> predictors;  ///< roofline, analytic, sass, then others
  Roofs roofs;
  Outlook outlook;  ///< what is plausible of the input's
  /// The most detailed predictor with predictions of usable runs; empty when there is none.
  std::string finest;

  const Measured* fastest(const std::string& shape, const std::string& variant) const;
  /// Of our variants, libraries excluded.
  const Measured* fastest_of_ours(const std::string& shape) const;
  std::optional<double> share_of_baseline(const Measured& measured) const;
  /// Place of `variant` in `variants`: its colour and marker everywhere.
  std::size_t color_index(const std::string& variant) const;

  /// (shape, variant) -> index in `runs` of the fastest; (shape, "") for the fastest of ours.
  std::map<std::pair<std::string, std::string>, std::size_t> fastest_index;
};

Analysis analyse(const ReportInput& input);

/// Title of a variant for people, or its name.
std::string variant_title(const ReportInput& input, const std::string& name);
/// Orders predictor names by detail.
std::vector<std::string> by_detail(std::vector<std::string> predictors);
/// A finite metric value, or nullopt.
std::optional<double> metric_value(const DeviceProfile& profile, const std::string& id);

}  // namespace rooftile::report
