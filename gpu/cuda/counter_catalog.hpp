// Our counters and the NVIDIA metrics they come from. docs/counters.md explains each.
//
// Metric names are those of Nsight Compute and CUPTI ("Metrics Structure" of the Nsight Compute
// documentation): unit__counter.rollup.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

namespace rooftile {

/// value = scale x numerator [/ denominator].
struct CounterDefinition {
  const char* name;         ///< ours
  const char* numerator;    ///< NVIDIA's metric
  const char* denominator;  ///< NVIDIA's metric, or "" for none
  double scale;             ///< e.g. 32 for sectors to bytes, 0.01 for percent to fraction
};

std::span<const CounterDefinition> counter_catalog();

/// All NVIDIA metrics of the catalog, each once.
std::vector<std::string> counter_metrics();

/// Our counters from metric values; one whose metrics are absent, not finite or whose denominator
/// is 0 is left out.
std::vector<std::pair<std::string, double>> counter_values(
    const std::map<std::string, double>& metrics);

}  // namespace rooftile
