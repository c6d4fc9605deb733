#include "model/predict/code_correction.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace rooftile {

std::array<CodeCorrection::Trait, CodeCorrection::trait_count> CodeCorrection::traits_of(
    const KernelDescription& kernel) {
  const Tile& t = kernel.tile;
  const int threads = kernel.threads_per_block;
  // What `analytic` estimates from the tile and the compiler decides: registers, spills and the
  // order of the loop hang on the variant's code and on what a thread holds.
  return {{{0, kernel.variant, 0, 0, 0},
           {1, "", t.TM, t.TN, 0},
           {2, "", threads, 0, 0},
           {3, "", t.BK, 0, 0},
           {4, "", t.WM / t.TM, t.WN / t.TN, 0},
           {5, "", t.stages, 0, 0},
           {6, kernel.variant, t.TM, t.TN, 0},
           {7, "", t.TM, t.TN, threads}}};
}

CodeCorrection::CodeCorrection(std::span<const KernelDescription* const> kernels) {
  std::map<Trait, std::size_t> weights;
  for (const KernelDescription* kernel : kernels) {
    Active& active = active_.emplace_back();
    const auto traits = traits_of(*kernel);
    for (std::size_t i = 0; i < trait_count; ++i)
      active[i] = weights.try_emplace(traits[i], weights.size()).first->second;
  }
  mean_.assign(weights.size(), 0);
  covariance_.assign(weights.size(), mean_);
  for (std::size_t i = 0; i < weights.size(); ++i) covariance_[i][i] = prior_sd * prior_sd;
}

CodeCorrection::Estimate CodeCorrection::estimate(std::size_t kernel) const {
  double mean = 0, variance = 0;
  for (const std::size_t i : active_[kernel]) {
    mean += mean_[i];
    for (const std::size_t j : active_[kernel]) variance += covariance_[i][j];
  }
  return {mean, std::sqrt(std::max(0.0, variance))};
}

void CodeCorrection::observe(std::size_t kernel, double log_ratio) {
  const auto [mean, sd] = estimate(kernel);
  const double variance = sd * sd + noise_sd * noise_sd;  // of the observation
  std::vector<double> gain(mean_.size());                 // covariance * x
  for (std::size_t i = 0; i < gain.size(); ++i)
    for (const std::size_t j : active_[kernel]) gain[i] += covariance_[i][j];
  for (std::size_t i = 0; i < gain.size(); ++i) {
    mean_[i] += gain[i] * (log_ratio - mean) / variance;
    for (std::size_t j = 0; j < gain.size(); ++j) covariance_[i][j] -= gain[i] * gain[j] / variance;
  }
}

}  // namespace rooftile
