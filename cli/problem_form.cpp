// The form of the problems on the command line.
#include "cli/problem_form.hpp"

#include <CLI/CLI.hpp>

namespace rooftile::cli {

void ProblemForm::define(CLI::App& app, const std::string& group) {
  app.add_option("--layout", layout, "row or column: row- or column-major matrices")
      ->check(CLI::IsMember({"row", "column"}))
      ->capture_default_str()
      ->type_name("LAYOUT")
      ->group(group);
  app.add_option("--trans", trans, "NN, NT, TN or TT: which of A and B is transposed")
      ->check(CLI::IsMember({"NN", "NT", "TN", "TT"}))
      ->capture_default_str()
      ->type_name("AB")
      ->group(group);
  app.add_option("--batch", batch, "So many products of this size, packed one behind the other")
      ->check(CLI::Range(std::int64_t{1}, max_dimension))
      ->capture_default_str()
      ->type_name("N")
      ->group(group);
  app.add_option("--alpha", alpha, "C = alpha A B + beta C")
      ->capture_default_str()
      ->type_name("X")
      ->group(group);
  app.add_option("--beta", beta, "0: C is not read")
      ->capture_default_str()
      ->type_name("X")
      ->group(group);
}

std::vector<GemmProblem> ProblemForm::applied(std::vector<GemmProblem> problems) const {
  for (GemmProblem& problem : problems) {
    problem.layout = layout == "row" ? Layout::row_major : Layout::column_major;
    problem.trans_a = trans[0] == 'T';
    problem.trans_b = trans[1] == 'T';
    problem.alpha = alpha;
    problem.beta = beta;
    problem.batch = batch;
    pack(problem);
    check_problem(problem, "--layout, --trans, --batch, --alpha, --beta");
  }
  return problems;
}

}  // namespace rooftile::cli
