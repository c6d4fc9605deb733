// How long the double-buffered kernel will run on the GPU of a profile, and why.
//   my_tool PROFILE MxNxK
#include <cstdio>

#include "gemm/variant.hpp"
#include "model/predict/predictor.hpp"

int main(int count, char** arguments) {
  if (count != 3) return 2;
  const auto profile = rooftile::DeviceProfile::load(arguments[1]);
  const auto problem = rooftile::parse_shape(arguments[2]);
  const auto& variant = rooftile::require_variant("double_buffer");
  const auto kernel = variant.describe(variant.default_tile, problem);
  const auto prediction = rooftile::make_predictor("analytic", profile)->predict(kernel, problem);
  std::printf("%.3f ms, %.1f TFLOP/s, bound by %s\n", 1e3 * prediction.time_s,
              prediction.flops() / 1e12, to_string(prediction.bound).data());
  for (const auto& term : prediction.terms)
    std::printf("  %-8s %.3f ms\n", term.name.c_str(), 1e3 * term.seconds);
}
