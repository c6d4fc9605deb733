#include "model/predict/predictor.hpp"

#include <fmt/format.h>

#include <array>

#include "model/error.hpp"
#include "model/predict/analytic.hpp"
#include "model/predict/roofline.hpp"
#include "model/predict/sass.hpp"

namespace rooftile {
namespace {

struct Entry {
  std::string_view name;
  std::unique_ptr<Predictor> (*make)(const DeviceProfile&, const Kernels&, const Parts&);
};

std::unique_ptr<Predictor> roofline(const DeviceProfile& profile, const Kernels&, const Parts&) {
  return make_roofline(profile);
}

std::unique_ptr<Predictor> analytic(const DeviceProfile& profile, const Kernels&,
                                    const Parts& without) {
  return make_analytic(profile, without);
}

/// In order of rising detail; a new predictor is one more line.
constexpr std::array entries = {Entry{"roofline", roofline}, Entry{"analytic", analytic},
                                Entry{"sass", make_sass}};

/// Predictors other than `name` that this profile is enough for.
std::string others_that_work(std::string_view name, const DeviceProfile& profile) {
  std::string text;
  for (const Entry& entry : entries) {
    if (entry.name == name) continue;
    try {
      entry.make(profile, nullptr, {});
      text += fmt::format("{}{}", text.empty() ? "" : ", ", entry.name);
    } catch (const InputError&) {
      continue;  // this one lacks something too
    }
  }
  return text.empty() ? "none" : text;
}

}  // namespace

Prediction prediction_of(std::string_view predictor, const KernelDescription& kernel,
                         const GemmProblem& problem) {
  Prediction prediction;
  prediction.predictor = predictor;
  prediction.variant = kernel.variant;
  prediction.tile = kernel.tile;
  prediction.problem = problem;
  prediction.resources = kernel.resources;
  return prediction;
}

std::vector<std::string> predictor_names() {
  std::vector<std::string> names;
  for (const Entry& entry : entries) names.emplace_back(entry.name);
  return names;
}

std::unique_ptr<Predictor> make_predictor(std::string_view name, const DeviceProfile& profile,
                                          const Kernels& kernels, const Parts& without) {
  for (const Entry& entry : entries) {
    if (entry.name != name) continue;
    try {
      return entry.make(profile, kernels, without);
    } catch (const MissingMetric& error) {
      throw MissingMetric(
          fmt::format("predictor {}: {}; predictors that this profile is enough "
                      "for: {}",
                      name, error.what(), others_that_work(name, profile)));
    }
  }
  throw InputError(
      fmt::format("unknown predictor '{}'; known: {}", name, fmt::join(predictor_names(), ", ")));
}

}  // namespace rooftile
