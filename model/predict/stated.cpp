#include "model/predict/stated.hpp"

#include <fmt/core.h>

#include <map>
#include <string>
#include <utility>

#include "model/error.hpp"

namespace rooftile {
namespace {

std::string key_of(const std::string& variant, const Tile& tile, const GemmProblem& problem) {
  return fmt::format("{} {} {}", variant, tile_name(tile), problem_name(problem));
}

class Stated : public Predictor {
 public:
  Stated(std::string_view name, std::map<std::string, Prediction> predictions)
      : name_(name), predictions_(std::move(predictions)) {}

  std::string_view name() const override { return name_; }
  double time_s(const KernelDescription& kernel, const GemmProblem& problem) const override {
    return find(kernel, problem).time_s;
  }
  Prediction explain(const KernelDescription& kernel, const GemmProblem& problem) const override {
    return find(kernel, problem);
  }

 private:
  const Prediction& find(const KernelDescription& kernel, const GemmProblem& problem) const {
    const auto found = predictions_.find(key_of(kernel.variant, kernel.tile, problem));
    if (found == predictions_.end()) throw InputError("not among the predictions");
    return found->second;
  }

  std::string name_;
  std::map<std::string, Prediction> predictions_;
};

}  // namespace

std::unique_ptr<Predictor> make_stated(std::string_view name,
                                       std::span<const Prediction> predictions) {
  std::map<std::string, Prediction> of_name;
  for (const Prediction& p : predictions)
    if (p.predictor == name) of_name.insert_or_assign(key_of(p.variant, p.tile, p.problem), p);
  if (of_name.empty()) return nullptr;
  return std::make_unique<Stated>(name, std::move(of_name));
}

}  // namespace rooftile
