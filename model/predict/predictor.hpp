// Predictors: from a device profile and a kernel's description to a time with its terms. See
// docs/model.md.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/kernel/kernel_description.hpp"
#include "model/kernel/problem.hpp"
#include "model/predict/parts.hpp"
#include "model/profile/device_profile.hpp"
#include "model/record/kernel_files.hpp"
#include "model/record/prediction.hpp"

namespace rooftile {

/// A predictor bound to one profile: the metrics it needs are read once, when it is made.
class Predictor {
 public:
  virtual ~Predictor() = default;
  virtual std::string_view name() const = 0;
  /// Seconds. The number that predict() explains; cheap, for searches.
  virtual double time_s(const KernelDescription& kernel, const GemmProblem& problem) const = 0;
  /// The same time with bound, terms and everything else a reader may ask for.
  virtual Prediction predict(const KernelDescription& kernel, const GemmProblem& problem) const = 0;
  /// What the compiled main loop spends its time on; nullopt for predictors that do not read it.
  virtual std::optional<LoopAccount> loop_account(const KernelDescription& /*kernel*/,
                                                  const GemmProblem& /*problem*/) const {
    return std::nullopt;
  }
};

/// What every prediction repeats of its question: predictor, variant, tile, problem, resources.
Prediction prediction_of(std::string_view predictor, const KernelDescription& kernel,
                         const GemmProblem& problem);

/// Names in order of rising detail.
std::vector<std::string> predictor_names();

/// `kernels` may be null: then sass has nothing to read, and each of its predictions throws NoSass.
using Kernels = std::shared_ptr<const KernelSource>;

/// Throws InputError for an unknown name, MissingMetric when the profile lacks what this predictor
/// needs (with the supplier and the predictors that still work). `without`: parts that are taken
/// out of it, for time_s() alone; roofline has none.
std::unique_ptr<Predictor> make_predictor(std::string_view name, const DeviceProfile& profile,
                                          const Kernels& kernels = nullptr,
                                          const Parts& without = {});

}  // namespace rooftile
