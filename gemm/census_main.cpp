// Prints what the descriptors say of the compiled kernels' main loops, as JSON, for
// scripts/check_census.py: one entry a variant and path (guarded or not), counts a warp and step of
// BK.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "gemm/variant.hpp"
#include "model/record/json_reader.hpp"

namespace {

using rooftile::Json;

/// Warp instructions by direction and width: {"LDS.128": 32, ...}.
Json shared_counts(const rooftile::KernelDescription& kernel) {
  Json counts = Json::object();
  bool copied = false;
  for (const auto& access : kernel.shared) {
    copied |= !access.issued;
    if (!access.issued) continue;
    std::string key = access.direction == rooftile::Direction::load ? "LDS" : "STS";
    if (access.width_bytes > 4) key += "." + std::to_string(access.width_bytes * 8);
    counts[key] = counts.value(key, 0.0) + access.per_iteration;
  }
  for (const auto& access : kernel.global) {
    std::string key = copied ? "LDGSTS" : "LDG";
    if (access.width_bytes > 4) key += "." + std::to_string(access.width_bytes * 8);
    counts[key] = counts.value(key, 0.0) + access.per_iteration;
  }
  return counts;
}

Json entry(const rooftile::Variant& variant, bool guarded) {
  const auto& t = variant.default_tile;
  const auto problem = rooftile::make_problem(8 * t.BM + guarded, 8 * t.BN + guarded, 64 * t.BK);
  const auto kernel = variant.describe(t, problem);
  Json json{{"variant", variant.name}, {"guarded", kernel.guarded}};
  json["counts"] = shared_counts(kernel);
  json["counts"]["FFMA"] = kernel.mix.fma;
  json["counts"]["BAR"] = kernel.mix.barriers;
  json["integer"] = kernel.mix.integer;
  json["control"] = kernel.mix.control;
  json["total"] = kernel.mix.total();
  json["registers"] = kernel.resources.registers_per_thread;
  json["shared_bytes"] = kernel.resources.static_shared_bytes;
  return json;
}

}  // namespace

int main() {
  Json all = Json::array();
  for (const auto& variant : rooftile::variants()) {
    if (!variant.not_predicted.empty()) continue;  // no counts to hold against the code
    for (const bool guarded : {false, true}) all.push_back(entry(variant, guarded));
  }
  std::puts(all.dump(2).c_str());
}
