// --shape, --variant and --filter.
#include "cli/problem_options.hpp"

#include <CLI/CLI.hpp>

#include "cli/axes.hpp"
#include "cli/prediction.hpp"

namespace rooftile::cli {

void ProblemOptions::define(CLI::App& app) {
  app.add_option("--shape", shapes, shape_help)->required()->type_name("SHAPE...");
  app.add_option("--variant,--variants", variants, "Only these variants (default: all)")
      ->delimiter(',')
      ->type_name("NAME...");
  app.add_option("--filter", filter, "Only variants that match")->type_name("REGEX");
  form.define(app, "Form of the problems");
}

std::vector<GemmProblem> ProblemOptions::problems() const {
  return form.applied(asked_problems(shapes));
}

std::vector<const Variant*> ProblemOptions::selected() const {
  return select_variants(variants, filter);
}

}  // namespace rooftile::cli
