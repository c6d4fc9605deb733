#include "model/predict/queueing.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace rooftile {
namespace {

/// The number of stations is known to the compiler: a search spends much of its time here.
template <std::size_t n>
double throughput_of(int customers, const std::array<double, n>& demands, double delay) {
  std::array<double, n> queue{}, response{}, half{};
  std::size_t bottleneck = 0;
  double serial = delay;
  for (std::size_t i = 0; i < n; ++i) {
    if (demands[i] > demands[bottleneck]) bottleneck = i;
    serial += demands[i];
    half[i] = demands[i] / 2;
  }
  if (serial <= 0) return std::numeric_limits<double>::infinity();
  const double most =
      demands[bottleneck] > 0 ? 1 / demands[bottleneck] : std::numeric_limits<double>::infinity();
  double throughput = 0;
  for (int k = 1; k <= customers; ++k) {
    // A customer more never shortens the round of the others.
    const double cap = k > 1 ? std::min(most, throughput * k / (k - 1)) : most;
    double cycle = delay;
    for (std::size_t i = 0; i < n; ++i) {
      response[i] = demands[i] * (1 + std::max(0.0, queue[i] - throughput * half[i]));
      cycle += response[i];
    }
    throughput = std::min(k / cycle, cap);
    double elsewhere = throughput * delay;
    for (std::size_t i = 0; i < n; ++i) {
      queue[i] = throughput * response[i];
      if (i != bottleneck) elsewhere += queue[i];
    }
    queue[bottleneck] = std::max(0.0, k - elsewhere);
  }
  return throughput;
}

/// Stations beyond the demands serve in no time.
template <std::size_t n>
double padded(int customers, std::span<const double> demands, double delay) {
  std::array<double, n> all{};
  std::copy_n(demands.begin(), std::min(n, demands.size()), all.begin());
  return throughput_of(customers, all, delay);
}

}  // namespace

double network_throughput(int customers, std::span<const double> demands, double delay) {
  constexpr std::size_t most_stations = 8;
  switch (demands.size()) {
    case 1:
      return padded<1>(customers, demands, delay);
    case 2:
      return padded<2>(customers, demands, delay);
    case 3:
      return padded<3>(customers, demands, delay);
    default:
      return padded<most_stations>(customers, demands, delay);
  }
}

}  // namespace rooftile
