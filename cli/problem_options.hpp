// Options of the commands that predict: for which problems, of which variants.
#pragma once

#include <string>
#include <vector>

#include "cli/problem_form.hpp"
#include "gemm/sweep.hpp"
#include "gemm/variant.hpp"

namespace CLI {
class App;
}

namespace rooftile::cli {

struct ProblemOptions {
  std::vector<std::string> shapes, variants;
  std::string filter, suite;
  ProblemForm form;

  enum class Suites { refused, taken };
  void define(CLI::App& app, Suites suites = Suites::refused);
  /// The suite of --suite, an empty one without. Throws InputError, also where neither shapes nor a
  /// suite is given, and where the suite and other options (`tile_given`: --tile) contradict.
  Suite named_suite(bool tile_given) const;
  /// Those of --shape, else of the suite. Throw InputError.
  std::vector<GemmProblem> problems(const Suite& suite = {}) const;
  /// Those asked for; of a suite that names kernels, the predicted ones of its variants.
  std::vector<const Variant*> selected(const Suite& suite = {}) const;
};

}  // namespace rooftile::cli
