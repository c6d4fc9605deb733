// --shape, --suite, --variant and --filter.
#include "cli/problem_options.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

#include "cli/axes.hpp"
#include "cli/inputs.hpp"
#include "cli/prediction.hpp"
#include "model/error.hpp"

namespace rooftile::cli {

void ProblemOptions::define(CLI::App& app, Suites suites) {
  CLI::Option* shape = app.add_option("--shape", shapes, shape_help)->type_name("SHAPE...");
  if (suites == Suites::refused)
    shape->required();
  else
    app.add_option("--suite", suite,
                   "File of shapes, and perhaps kernels; with --shape its kernels on those")
        ->type_name("FILE");
  app.add_option("--variant,--variants", variants, "Only these variants (default: all)")
      ->delimiter(',')
      ->type_name("NAME...");
  app.add_option("--filter", filter, "Only variants that match")->type_name("REGEX");
  form.define(app, "Form of the problems");
}

Suite ProblemOptions::named_suite(bool tile_given) const {
  if (suite.empty()) {
    if (shapes.empty()) throw InputError("--shape or --suite is required: which problems?");
    return {};
  }
  Suite found = find_suite(suite);
  check_suite_serves(found, !shapes.empty(), tile_given || !variants.empty());
  return found;
}

std::vector<GemmProblem> ProblemOptions::problems(const Suite& suite) const {
  return form.applied(shapes.empty() ? suite.problems : asked_problems(shapes));
}

std::vector<const Variant*> ProblemOptions::selected(const Suite& suite) const {
  std::vector<const Variant*> known = select_variants(variants, filter);
  if (suite.kernels.empty()) return known;
  std::vector<const Variant*> named;
  for (const Variant* variant : known)
    if (std::any_of(
            suite.kernels.begin(), suite.kernels.end(),
            [variant](const SweepKernel& kernel) { return kernel.variant == variant->name; }))
      named.push_back(variant);
  if (named.empty())
    throw InputError(suite.path + ": none of its kernels that --filter leaves is predicted");
  return named;
}

}  // namespace rooftile::cli
