// The variant `selected`: per problem the kernel that is expected to be faster, of hand_scheduled
// (large problems, compute capability 9.0) and split_k_cluster (all others).
#include "gemm/variants/selected.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>

#include "gemm/compiled_kernel.cuh"
#include "gemm/hand/expected_time.hpp"
#include "gemm/hand/schedule.hpp"
#include "gemm/small/split_k_cluster.hpp"
#include "gemm/variants/hand_scheduled.hpp"
#include "gpu/cuda/attribute.hpp"

namespace rooftile::gemm::selected {

namespace {

/// Bytes of an operand that hand_scheduled copies first; 0 where it reads the matrix itself.
double copied_bytes(const float* data, long long pitch, bool transposed, double elements) {
  const bool as_it_lies =
      !transposed && reinterpret_cast<std::uintptr_t>(data) % 16 == 0 && pitch % 4 == 0;
  return as_it_lies ? 0 : 4 * elements;
}

struct Rates {
  int sm_count = 0;
  double clock_hz = 0;
};

/// Of the current device, asked for once: the driver takes half a millisecond to tell its clock.
Rates rates() {
  constexpr double hz_a_khz = 1e3;
  static std::map<int, Rates> known;
  static std::mutex mutex;
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  const std::lock_guard lock(mutex);
  Rates& found = known[device];
  if (found.sm_count == 0)
    found = {current_attribute(cudaDevAttrMultiProcessorCount),
             current_attribute(cudaDevAttrClockRate) * hz_a_khz};
  return found;
}

double hand_scheduled_seconds(const Arguments& g) {
  const double a = copied_bytes(g.a, g.lda, g.trans_a, 1.0 * static_cast<double>(g.M * g.K));
  const double b = copied_bytes(g.b, g.ldb, g.trans_b, 1.0 * static_cast<double>(g.K * g.N));
  const Rates device = rates();
  return hand::expected_seconds({.M = g.M,
                                 .N = g.N,
                                 .K = g.K,
                                 .copied_bytes = a + b,
                                 .copies = (a > 0 ? 1 : 0) + (b > 0 ? 1 : 0)},
                                device.sm_count, device.clock_hz);
}

const CompiledKernel& kernel_of(std::string_view variant, const Tile& tile) {
  const CompiledKernel* found = find_kernel(variant, tile);
  if (found == nullptr) throw std::logic_error(std::string(variant) + " is not registered");
  return *found;
}

const CompiledKernel& hand_kernel() {
  static const CompiledKernel& kernel = kernel_of("hand_scheduled", hand_scheduled::default_tile);
  return kernel;
}

const CompiledKernel& small_kernel() {
  static const CompiledKernel& kernel = kernel_of("split_k_cluster", split_k_cluster::default_tile);
  return kernel;
}

bool takes_hand_scheduled(const Arguments& g) {
  if (g.K == 0 || unavailable(hand_kernel()) || hand::too_large(g.M, g.N, g.K)) return false;
  return hand_scheduled_seconds(g) < small::choice_of(g).seconds;
}

class Selected : public CustomKernel {
 public:
  std::optional<std::string> unavailable() const override {
    return rooftile::unavailable(small_kernel());
  }
  /// Of the kernel that takes small problems; a launch may take the other.
  KernelUse use() const override { return small_kernel().custom->use(); }
  void launch(const Arguments& g, cudaStream_t stream) const override {
    (takes_hand_scheduled(g) ? hand_kernel() : small_kernel()).custom->launch(g, stream);
  }
};

const Selected the_kernel;

const RegisterKernel registered({.variant = "selected",
                                 .tile = default_tile,
                                 .vector_width = vector_width,
                                 .custom = &the_kernel});

}  // namespace

}  // namespace rooftile::gemm::selected
