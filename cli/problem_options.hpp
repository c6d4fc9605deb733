// Options of the commands that predict: for which problems, of which variants.
#pragma once

#include <string>
#include <vector>

#include "cli/problem_form.hpp"
#include "gemm/variant.hpp"

namespace CLI {
class App;
}

namespace rooftile::cli {

struct ProblemOptions {
  std::vector<std::string> shapes, variants;
  std::string filter;
  ProblemForm form;

  void define(CLI::App& app);
  /// Throw InputError.
  std::vector<GemmProblem> problems() const;
  std::vector<const Variant*> selected() const;
};

}  // namespace rooftile::cli
