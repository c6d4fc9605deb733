// Regret shape by shape: which kernel each predictor would have chosen, and what that costs.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/analysis.hpp"

namespace rooftile::report {

/// A choice on one shape, and how much slower it was measured than the best choice there.
struct Pick {
  std::string kernel;  ///< "variant tile"
  double regret = 0;   ///< t_chosen / t_best - 1
};

struct ShapeRegret {
  std::string shape;
  std::string best;  ///< "variant tile" of the fastest measured kernel that is predicted
  double best_s = 0;
  std::map<std::string, Pick> picks;  ///< by predictor: the kernel that it says is fastest
  std::optional<Pick> fixed;          ///< the fastest with tiles of 128x128x8, where there are any
  std::optional<double> cublas;       ///< its time over the best's, less 1; below 0 it is faster
};

/// Of the pairs of one split, by shape in the order of `analysis`; shapes with fewer than two
/// kernels have no choice and are left out.
std::vector<ShapeRegret> regrets_of(const std::vector<ErrorCase>& cases, const std::string& split,
                                    const ReportInput& input, const Analysis& analysis);

}  // namespace rooftile::report
