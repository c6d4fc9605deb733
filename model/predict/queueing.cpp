#include "model/predict/queueing.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace rooftile {

double network_throughput(int customers, std::span<const double> demands, double delay) {
  constexpr std::size_t most_stations = 8;
  std::array<double, most_stations> queue{}, response{};
  const std::size_t n = std::min(demands.size(), most_stations);
  std::size_t bottleneck = 0;
  double serial = delay;
  for (std::size_t i = 0; i < n; ++i) {
    if (demands[i] > demands[bottleneck]) bottleneck = i;
    serial += demands[i];
  }
  if (serial <= 0) return std::numeric_limits<double>::infinity();
  const double most = n > 0 && demands[bottleneck] > 0 ? 1 / demands[bottleneck]
                                                       : std::numeric_limits<double>::infinity();
  double throughput = 0;
  for (int k = 1; k <= customers; ++k) {
    double cycle = delay;
    for (std::size_t i = 0; i < n; ++i) {
      response[i] = demands[i] * (1 + std::max(0.0, queue[i] - throughput * demands[i] / 2));
      cycle += response[i];
    }
    // A customer more never shortens the round of the others.
    const double before = k > 1 ? throughput * k / (k - 1) : most;
    throughput = std::min({k / cycle, most, before});
    double elsewhere = throughput * delay;
    for (std::size_t i = 0; i < n; ++i) {
      queue[i] = throughput * response[i];
      if (i != bottleneck) elsewhere += queue[i];
    }
    if (n > 0) queue[bottleneck] = std::max(0.0, k - elsewhere);
  }
  return throughput;
}

}  // namespace rooftile
