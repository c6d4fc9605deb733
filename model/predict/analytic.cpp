#include "model/predict/analytic.hpp"

#include <limits>
#include <vector>

#include "model/predict/launch_time.hpp"

namespace rooftile {
namespace {

double time_on(const Machine& machine, const KernelDescription& kernel,
               const GemmProblem& problem) {
  const LaunchCase c = launch_case(machine, kernel, problem);
  if (c.fit.blocks_per_sm == 0) return std::numeric_limits<double>::infinity();
  return launch_time_s(machine, c, ClosedForms(machine, c.demand.block));
}

/// The time with each input at both ends of its interval, one at a time.
std::vector<double> changed_times(const Machine& machine, const KernelDescription& kernel,
                                  const GemmProblem& problem) {
  std::vector<double> times;
  Machine changed = machine;
  for (std::size_t i = 0; i < machine.scalars.size(); ++i) {
    if (!machine.scalars[i].interval) continue;
    for (const double end : {machine.scalars[i].interval->lo, machine.scalars[i].interval->hi}) {
      changed.scalars[i].value = end;
      times.push_back(time_on(changed, kernel, problem));
    }
    changed.scalars[i] = machine.scalars[i];
  }
  for (std::size_t i = 0; i < machine.curves.size(); ++i) {
    if (!machine.curves[i] || machine.curves[i]->ci95.size() != machine.curves[i]->y.size())
      continue;
    for (const bool high : {false, true}) {
      for (std::size_t k = 0; k < machine.curves[i]->y.size(); ++k)
        changed.curves[i]->y[k] =
            high ? machine.curves[i]->ci95[k].hi : machine.curves[i]->ci95[k].lo;
      times.push_back(time_on(changed, kernel, problem));
    }
    changed.curves[i] = machine.curves[i];
  }
  return times;
}

class Analytic final : public Predictor {
 public:
  explicit Analytic(const DeviceProfile& profile) : machine_(make_machine(profile)) {}

  std::string_view name() const override { return "analytic"; }

  double time_s(const KernelDescription& kernel, const GemmProblem& problem) const override {
    return time_on(machine_, kernel, problem);
  }

  Prediction predict(const KernelDescription& kernel, const GemmProblem& problem) const override {
    const LaunchCase c = launch_case(machine_, kernel, problem);
    Prediction p = prediction_of(name(), kernel, problem);
    explain_launch(machine_, c, ClosedForms(machine_, c.demand.block), p);
    p.input_interval = in_quadrature(p.time_s, changed_times(machine_, kernel, problem));
    p.inputs = machine_.inputs;
    return p;
  }

 private:
  Machine machine_;
};

}  // namespace

std::unique_ptr<Predictor> make_analytic(const DeviceProfile& profile) {
  return std::make_unique<Analytic>(profile);
}

}  // namespace rooftile
