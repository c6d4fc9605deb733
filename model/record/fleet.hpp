// Many profiles of GPUs of one model: which card stands apart from the others, and in what.
//
// Rule: of the n values of a metric (state ok, one unit, n >= fewest_cards) let m be the median and
// s = 1.4826 MAD. A card with the value x is an outlier when
//     |x - m| > t(n) s                 it is unlike the others, t(n) = 4.4 + 360 / n^2, and
//     |x - m| > U + tolerance |m|      it is so beyond its own uncertainty.
// U is that of compare.hpp between the card and a typical one (the median, with the median of all
// half widths of repeat95), widened for n cards together. It is the floor: where cards agree more
// closely than one card with itself, or exactly, noise names nobody.
//
// t(n) lies above the 99 % quantile of max |x - m| / s of n equal normal values, 4 <= n <= 512 (a
// test simulates it), so that in a fleet without an odd card at most one metric in a hundred names
// one by chance, and U stands before those too. The usual 3.5 (Iglewicz and Hoaglin, How to Detect
// and Handle Outliers, 1993) holds for large n: of five equal cards it would name one in a fifth of
// all metrics.
//
// Pitfall: with four or five cards s is poorly known and t large: only gross outliers are found.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/profile/device_profile.hpp"
#include "model/record/compare.hpp"

namespace rooftile {

constexpr std::size_t fewest_cards = 4;

/// t(n): how many s from the median a value of n may lie.
double outlier_threshold(std::size_t n);

/// One card's value of a metric. Cards that have no value, or one that proves nothing, carry the
/// reason in `absent` and take no part.
struct FleetValue {
  std::optional<double> value;
  std::optional<Interval> interval;
  std::string absent;
  std::optional<double> deviation;  ///< (x - m) / |m|; absent where m is 0
  std::optional<double> z;          ///< (x - m) / s; absent where s is 0
  bool outlier = false;
};

struct FleetMetric {
  std::string id, unit;
  std::size_t n = 0;  ///< values that take part
  std::optional<double> median, mad;
  std::vector<FleetValue> values;  ///< one a profile

  bool judged() const { return n >= fewest_cards; }
};

/// Every metric that one of the profiles has, in the order of the ids. Throws InputError when there
/// are fewer than `fewest_cards` profiles, or when they are of GPUs of several models.
std::vector<FleetMetric> judge_fleet(std::span<const DeviceProfile> profiles, double tolerance);

/// rooftile.fleet.
Json fleet_json(std::span<const ComparedFile> files, std::span<const FleetMetric> metrics,
                double tolerance);

}  // namespace rooftile
