#include "micro/knees.hpp"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "micro/text.hpp"

namespace rooftile::micro {
namespace {

/// In u = log2 x.
struct Ramp {
  double start = 0, end = 0;
  double at(double u) const {
    if (u <= start) return 0;
    if (u >= end) return 1;
    return (u - start) / (end - start);
  }
};

struct StepLevels {
  double squares = std::numeric_limits<double>::infinity();  ///< of relative residuals
  Eigen::VectorXd coefficients;                              ///< first level, then rises
};

class StepFitter {
 public:
  StepFitter(std::span<const double> x, std::span<const double> y, const KneeOptions& options)
      : options_(options), u_(x.size()), weight_(static_cast<Eigen::Index>(x.size())) {
    if (x.size() != y.size()) throw std::logic_error("fit_steps: as many x as y");
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (!(x[i] > 0 && y[i] > 0) || (i > 0 && !(x[i] > x[i - 1])))
        throw std::logic_error("fit_steps: x must be positive and ascending, y positive");
      u_[i] = std::log2(x[i]);
      weight_[static_cast<Eigen::Index>(i)] = 1 / y[i];
    }
  }

  std::size_t size() const { return u_.size(); }
  double u(std::size_t i) const { return u_[i]; }
  /// Mean distance of two points.
  double grid_step() const { return (u_.back() - u_.front()) / static_cast<double>(size() - 1); }

  /// Levels for given ramps: weighted least squares by QR, every row divided by its y.
  StepLevels levels(const std::vector<Ramp>& ramps) const {
    Eigen::MatrixXd a(weight_.size(), static_cast<Eigen::Index>(ramps.size()) + 1);
    a.col(0) = weight_;
    for (std::size_t k = 0; k < ramps.size(); ++k) {
      for (Eigen::Index i = 0; i < weight_.size(); ++i)
        a(i, static_cast<Eigen::Index>(k) + 1) =
            ramps[k].at(u_[static_cast<std::size_t>(i)]) * weight_[i];
    }
    const Eigen::VectorXd ones = Eigen::VectorXd::Ones(weight_.size());
    StepLevels found;
    found.coefficients = a.householderQr().solve(ones);
    found.squares = (a * found.coefficients - ones).squaredNorm();
    return found;
  }
  double squares(const std::vector<Ramp>& ramps) const {
    const double found = levels(ramps).squares;
    return std::isfinite(found) ? found : std::numeric_limits<double>::infinity();
  }

  /// The best of all starts and ends on the grid for ramp k, between its neighbours.
  double search_grid(std::vector<Ramp>& ramps, std::size_t k) const;
  /// Puts a level into ramp k: the best of all levels on the grid. Infinite where there is no room.
  double split(std::vector<Ramp>& ramps, std::size_t k) const;
  /// Moves every start and end between the points, each at most `reach` grid steps from here.
  double refine(std::vector<Ramp>& ramps) const;
  Knee knee(const std::vector<Ramp>& ramps, std::size_t k, const StepLevels& fit) const;
  /// Variance of one relative residual.
  double variance(double squares, std::size_t steps) const {
    const double freedom = std::max(1.0, static_cast<double>(size()) - 3.0 * steps - 1);
    return std::max(squares / freedom, options_.noise * options_.noise);
  }
  double information(double squares, std::size_t steps) const {
    const double n = static_cast<double>(size());
    return n * std::log(std::max(squares / n, options_.noise * options_.noise)) +
           (3.0 * steps + 1) * std::log(n);
  }

 private:
  double golden(std::vector<Ramp>& ramps, double& value, double lo, double hi) const;

  KneeOptions options_;
  std::vector<double> u_;
  Eigen::VectorXd weight_;
};

double StepFitter::search_grid(std::vector<Ramp>& ramps, std::size_t k) const {
  const double from = k > 0 ? ramps[k - 1].end : u_.front();
  const double to = k + 1 < ramps.size() ? ramps[k + 1].start : u_.back();
  Ramp best = ramps[k];
  double least = squares(ramps);
  for (std::size_t i = 0; i < size(); ++i) {
    for (std::size_t j = i + 1; j < size(); ++j) {
      if (u_[i] < from || u_[j] > to) continue;
      ramps[k] = {u_[i], u_[j]};
      const double now = squares(ramps);
      // A wider ramp has to be better, not equal.
      if (now < least * (1 - 1e-9)) {
        least = now;
        best = ramps[k];
      }
    }
  }
  ramps[k] = best;
  return least;
}

double StepFitter::split(std::vector<Ramp>& ramps, std::size_t k) const {
  const Ramp whole = ramps[k];
  ramps.insert(ramps.begin() + static_cast<std::ptrdiff_t>(k), whole);
  std::vector<Ramp> best = ramps;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < size(); ++i) {
    for (std::size_t j = i; j < size(); ++j) {
      if (u_[i] <= whole.start || u_[j] >= whole.end) continue;
      ramps[k] = {whole.start, u_[i]};
      ramps[k + 1] = {u_[j], whole.end};
      const double now = squares(ramps);
      if (now >= least) continue;
      least = now;
      best = ramps;
    }
  }
  ramps = best;
  return least;
}

double StepFitter::golden(std::vector<Ramp>& ramps, double& value, double lo, double hi) const {
  constexpr double section = 0.6180339887498949;
  const double original = value;
  const double unchanged = squares(ramps);
  const auto at = [&](double where) {
    value = where;
    return squares(ramps);
  };
  double left = hi - section * (hi - lo), right = lo + section * (hi - lo);
  double at_left = at(left), at_right = at(right);
  for (int i = 0; i < 20; ++i) {
    if (at_left <= at_right) {
      hi = right;
      right = left;
      at_right = at_left;
      left = hi - section * (hi - lo);
      at_left = at(left);
    } else {
      lo = left;
      left = right;
      at_left = at_right;
      right = lo + section * (hi - lo);
      at_right = at(right);
    }
  }
  const double found = at((lo + hi) / 2);
  if (found < unchanged * (1 - 1e-6)) return found;
  value = original;
  return unchanged;
}

double StepFitter::refine(std::vector<Ramp>& ramps) const {
  const double reach = grid_step();
  const double shortest = reach * 1e-3;
  double least = squares(ramps);
  for (int round = 0; round < 3; ++round) {
    for (std::size_t k = 0; k < ramps.size(); ++k) {
      const double from = k > 0 ? ramps[k - 1].end : u_.front();
      const double to = k + 1 < ramps.size() ? ramps[k + 1].start : u_.back();
      const Ramp now = ramps[k];
      golden(ramps, ramps[k].start, std::max(from, now.start - reach),
             std::min(ramps[k].end - shortest, now.start + reach));
      least = golden(ramps, ramps[k].end, std::max(ramps[k].start + shortest, now.end - reach),
                     std::min(to, now.end + reach));
    }
  }
  return least;
}

/// The position's interval is the profile of the squares: all starts for which some end fits within
/// 3.84 (95 % of chi-squared with one degree of freedom) variances of the best.
Knee StepFitter::knee(const std::vector<Ramp>& ramps, std::size_t k, const StepLevels& fit) const {
  constexpr int steps = 16;  // tried between two points of the grid
  const double allowed = fit.squares + 3.84 * variance(fit.squares, ramps.size());
  const double likely = fit.squares + variance(fit.squares, ramps.size());
  const double from = k > 0 ? ramps[k - 1].end : u_.front();
  double lo = ramps[k].start, hi = ramps[k].start;
  double near_lo = ramps[k].start, near_hi = ramps[k].start;
  const auto least_at = [&](double start) {
    std::vector<Ramp> tried = ramps;
    tried[k].start = start;
    double least = std::numeric_limits<double>::infinity();
    // A shorter ramp may fit as well: its end lies at or below the next point of the grid.
    const double next = *std::upper_bound(u_.begin(), u_.end() - 1, start);
    for (const double end : {ramps[k].end, next, start + 1e-3 * (next - start)}) {
      if (end <= start) continue;
      tried[k].end = end;
      least = std::min(least, squares(tried));
    }
    return least;
  };
  for (std::size_t i = 0; i + 1 < size(); ++i) {
    for (int s = 0; s <= steps; ++s) {
      const double start = u_[i] + (u_[i + 1] - u_[i]) * s / steps;
      if (start < from || start > ramps[k].end || least_at(start) > allowed) continue;
      lo = std::min(lo, start);
      hi = std::max(hi, start);
      if (least_at(start) > likely) continue;
      near_lo = std::min(near_lo, start);
      near_hi = std::max(near_hi, start);
    }
  }
  Knee found;
  found.position = std::exp2((near_lo + near_hi) / 2);
  found.lo = std::exp2(lo);
  found.hi = std::exp2(hi);
  found.end = std::exp2(ramps[k].end);
  found.before = fit.coefficients.head(static_cast<Eigen::Index>(k) + 1).sum();
  found.after = found.before + fit.coefficients[static_cast<Eigen::Index>(k) + 1];
  return found;
}

/// Adds one step where it helps most, beside the others or by splitting one of them: a ramp that
/// was alone spans all steps and leaves no room beside it. Then all find their places again.
double add_step(const StepFitter& fitter, std::vector<Ramp>& ramps) {
  std::vector<Ramp> best;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < ramps.size(); ++k) {
    std::vector<Ramp> tried = ramps;
    const double now = fitter.split(tried, k);
    if (now >= least) continue;
    least = now;
    best = tried;
  }
  for (std::size_t gap = 0; gap <= ramps.size(); ++gap) {
    std::vector<Ramp> tried = ramps;
    const double from = gap > 0 ? ramps[gap - 1].end : fitter.u(0);
    tried.insert(tried.begin() + static_cast<std::ptrdiff_t>(gap), Ramp{from, from + 1e-6});
    const double now = fitter.search_grid(tried, gap);
    if (now >= least) continue;
    least = now;
    best = tried;
  }
  ramps = best;
  for (int round = 0; round < 4 && ramps.size() > 1; ++round) {
    const double before = least;
    for (std::size_t k = 0; k < ramps.size(); ++k) least = fitter.search_grid(ramps, k);
    if (least > before * (1 - 1e-6)) break;
  }
  return fitter.refine(ramps);
}

/// Knees of the ramps. Ramps with less than a grid step of level between them are one bent ramp, of
/// which the first start and the last end count.
std::vector<Knee> knees_of(const StepFitter& fitter, const std::vector<Ramp>& ramps,
                           double min_rise) {
  std::vector<Knee> found;
  const StepLevels fit = fitter.levels(ramps);
  double last_end = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < ramps.size(); ++k) {
    const Knee knee = fitter.knee(ramps, k, fit);
    // A level that drifts is a ramp too, but no bridge between two steps.
    if (std::abs(knee.after / knee.before - 1) < min_rise) continue;
    if (ramps[k].start - last_end < 0.95 * fitter.grid_step()) {
      found.back().end = knee.end;
      found.back().after = knee.after;
    } else {
      found.push_back(knee);
    }
    last_end = ramps[k].end;
  }
  return found;
}

}  // namespace

std::vector<Knee> fit_steps(std::span<const double> x, std::span<const double> y, int max_knees,
                            const KneeOptions& options) {
  const StepFitter fitter(x, y, options);
  if (fitter.size() < 6) return {};
  std::vector<Ramp> ramps, best;
  double least = fitter.information(fitter.squares({}), 0);
  for (int steps = 1; steps <= max_knees; ++steps) {
    const double squares = add_step(fitter, ramps);
    const double now = fitter.information(squares, ramps.size());
    if (now >= least) continue;
    least = now;
    best = ramps;
  }
  return knees_of(fitter, best, options.min_rise);
}

std::vector<std::vector<double>> knee_positions(std::span<const double> x,
                                                std::span<const std::vector<double>> curves,
                                                const std::vector<Knee>& knees,
                                                const KneeOptions& options) {
  std::vector<std::vector<double>> positions(knees.size());
  for (const std::vector<double>& y : curves) {
    const auto found = fit_steps(x, y, static_cast<int>(knees.size()) + 1, options);
    for (std::size_t k = 0; k < knees.size(); ++k) {
      double nearest = std::log(1.5);
      const Knee* match = nullptr;
      for (const Knee& candidate : found) {
        const double distance = std::abs(std::log(candidate.position / knees[k].position));
        if (distance >= nearest) continue;
        nearest = distance;
        match = &candidate;
      }
      if (match != nullptr) positions[k].push_back(match->position);
    }
  }
  return positions;
}

std::string why_no_step(std::size_t shown_by, std::size_t repetitions) {
  if (shown_by >= 5) return "";
  return text("only {} of {} repetitions show a step where their medians have one", shown_by,
              repetitions);
}

}  // namespace rooftile::micro
