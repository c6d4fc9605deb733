// Knees of a curve that goes from level to level, such as the latency over the footprint: at which
// x it leaves one level (the capacity of what served it there), at which x it reaches the next.
//
// Model, over u = log2 x: y = level_0 + sum over steps of rise_k * ramp_k(u), where ramp_k is 0 up
// to a start, 1 from an end on, linear in between; the steps do not overlap. Levels come from
// linear least squares on relative residuals (y_fit / y - 1); starts and ends from a search over
// the points of the grid and then between them. How many steps: the fewest by the Bayesian
// information criterion, where residuals below `noise` count as noise.
//
// Ramps that follow each other without a level in between count as one bent ramp.
//
// Pitfalls: between two points of the grid a sharp step can lie anywhere, and the interval says
// so. A curved ramp (random replacement: 1 - capacity / x) is fitted by straight pieces, which puts
// its start up to 5 % too low. A capacity is where the curve leaves the lower level, not the middle
// of the ramp.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace rooftile::micro {

struct Knee {
  double position = 0;    ///< x where y leaves the level before: the middle of the 68 % interval
  double lo = 0, hi = 0;  ///< 95 % interval of the position, at least what the grid leaves open
  double end = 0;         ///< x where y reaches the level after
  double before = 0, after = 0;  ///< levels of y
};

struct KneeOptions {
  double noise = 0.003;    ///< relative, of one y: smaller residuals mean nothing
  double min_rise = 0.03;  ///< |after / before - 1| of a step that counts
};

/// At most `max_knees` steps, ascending. x ascending and positive, y positive, equally many, else
/// std::logic_error. Empty when a constant is as good, or with fewer than 6 points.
std::vector<Knee> fit_steps(std::span<const double> x, std::span<const double> y, int max_knees,
                            const KneeOptions& options = {});

/// For each of `knees` (fitted to the medians) the positions that the single repetitions of the
/// curve give, each fitted on its own: their spread. A repetition without a step within a factor of
/// 1.5 of the knee gives none.
std::vector<std::vector<double>> knee_positions(std::span<const double> x,
                                                std::span<const std::vector<double>> curves,
                                                const std::vector<Knee>& knees,
                                                const KneeOptions& options = {});

/// Why a step of the medians is not to be told: fewer than five repetitions, what an interval
/// needs, show it. Empty where it is.
std::string why_no_step(std::size_t shown_by, std::size_t repetitions);

}  // namespace rooftile::micro
