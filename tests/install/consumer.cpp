// Uses both installed libraries: a shape, an error, and the report's writer by address.
#include <cstdio>

#include "model/kernel/problem.hpp"
#include "report/report.hpp"

int main() {
  const rooftile::GemmProblem problem = rooftile::parse_shape("4Kix11008x4096");
  const auto writer = &rooftile::write_report;
  std::printf("%s %.0f\n", rooftile::shape_name(problem).c_str(), problem.flop());
  return problem.flop() == 2.0 * 4096 * 11008 * 4096 && writer != nullptr ? 0 : 1;
}
