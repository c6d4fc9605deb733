// How the matrices of the problems lie, and the scalars: --layout, --trans, --batch, --alpha,
// --beta.
#pragma once

#include <string>
#include <vector>

#include "model/kernel/problem.hpp"

namespace CLI {
class App;
}

namespace rooftile::cli {

struct ProblemForm {
  std::string layout = "row", trans = "NN";
  std::int64_t batch = 1;
  double alpha = 1, beta = 0;

  void define(CLI::App& app, const std::string& group);
  /// The problems in this form, packed. Throws InputError.
  std::vector<GemmProblem> applied(std::vector<GemmProblem> problems) const;
};

}  // namespace rooftile::cli
