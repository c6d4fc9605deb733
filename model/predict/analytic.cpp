#include "model/predict/analytic.hpp"

#include <limits>

#include "model/predict/launch_time.hpp"
#include "model/predict/take_out.hpp"

namespace rooftile {
namespace {

double time_on(const Machine& machine, const KernelDescription& kernel,
               const GemmProblem& problem) {
  const LaunchCase c = launch_case(machine, kernel, problem);
  if (c.fit.blocks_per_sm == 0) return std::numeric_limits<double>::infinity();
  return launch_time_s(machine, c, ClosedForms(machine, c.demand.block));
}

class Analytic final : public Predictor {
 public:
  Analytic(const DeviceProfile& profile, const Parts& without)
      : machine_(take_out(without, make_machine(profile))) {}

  std::string_view name() const override { return "analytic"; }

  double time_s(const KernelDescription& kernel, const GemmProblem& problem) const override {
    return time_on(machine_, kernel, problem);
  }

  Prediction explain(const KernelDescription& kernel, const GemmProblem& problem) const override {
    const LaunchCase c = launch_case(machine_, kernel, problem);
    Prediction p = prediction_of(name(), kernel, problem);
    explain_launch(machine_, c, ClosedForms(machine_, c.demand.block), p);
    p.inputs = machine_.inputs;
    const auto step = static_cast<std::size_t>(Scalar::persistent_step);
    if (kernel.persistent && machine_.scalars[step].present)
      p.inputs.emplace_back(id_of(Scalar::persistent_step));
    return p;
  }

  Prediction predict(const KernelDescription& kernel, const GemmProblem& problem) const override {
    Prediction p = explain(kernel, problem);
    p.input_interval = input_interval(machine_, p.time_s, [&](const Machine& changed) {
      return time_on(changed, kernel, problem);
    });
    return p;
  }

 private:
  Machine machine_;
};

}  // namespace

std::unique_ptr<Predictor> make_analytic(const DeviceProfile& profile, const Parts& without) {
  return std::make_unique<Analytic>(profile, without);
}

}  // namespace rooftile
