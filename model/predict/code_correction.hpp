// CodeCorrection: what a kernel's machine code will say of a tile before the tile is compiled. A
// predictor that knows tiles alone errs in the same direction on tiles that are alike; what sass
// found on those already compiled tells where to look next.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "model/kernel/kernel_description.hpp"

namespace rooftile {

/// Bayesian linear regression of y = log(time by code / time by tile) over what kernels have in
/// common, each a weight that is 0 or 1 in x: variant, thread tile, threads a block, BK, lanes,
/// stages, and pairs of them. Weights have the prior N(0, prior_sd^2), observations the noise
/// noise_sd: x' w + N(0, noise_sd^2). The posterior N(mean, covariance) is updated observation by
/// observation (Bishop, Pattern Recognition and Machine Learning, 2006, eq. 3.50 and 3.51, for one
/// row at a time by the Sherman-Morrison formula). It knows no measured time.
class CodeCorrection {
 public:
  static constexpr double prior_sd = 0.15, noise_sd = 0.1;

  /// Of these kernels, which are named by their place from here on.
  explicit CodeCorrection(std::span<const KernelDescription* const> kernels);

  struct Estimate {
    double mean = 0, sd = 0;  ///< of log(time by code / time by tile)
  };
  Estimate estimate(std::size_t kernel) const;

  void observe(std::size_t kernel, double log_ratio);

 private:
  static constexpr std::size_t trait_count = 8;
  using Trait = std::tuple<int, std::string, int, int, int>;  ///< which, and its values
  using Active = std::array<std::size_t, trait_count>;        ///< weights that are 1

  static std::array<Trait, trait_count> traits_of(const KernelDescription& kernel);

  std::vector<Active> active_;
  std::vector<double> mean_;                     ///< by weight
  std::vector<std::vector<double>> covariance_;  ///< symmetric
};

}  // namespace rooftile
