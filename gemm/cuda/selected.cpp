// The variant `selected`: per problem the kernel that is expected to be faster, of hand_scheduled
// (large problems, compute capability 9.0) and split_k_cluster (all others).
#include "gemm/variants/selected.hpp"

#include <cuda_runtime_api.h>

#include <map>
#include <mutex>
#include <stdexcept>
#include <string>

#include "gemm/compiled_kernel.cuh"
#include "gemm/hand/expected_time.hpp"
#include "gemm/hand/schedule.hpp"
#include "gemm/problem_arguments.hpp"
#include "gemm/small/machine.hpp"
#include "gemm/small/split_k_cluster.hpp"
#include "gemm/variants/hand_scheduled.hpp"
#include "gpu/cuda/attribute.hpp"

namespace rooftile::gemm::selected {

namespace {

/// Bytes of an operand that hand_scheduled copies first; 0 where it reads the matrix itself.
double copied_bytes(const float* data, long long pitch, bool transposed, long long elements) {
  const bool as_it_lies = !transposed && aligned16(data, pitch);
  return as_it_lies ? 0 : 4 * static_cast<double>(elements);
}

/// Of the current device, asked for once: the driver takes half a millisecond to tell it.
double clock_hz() {
  constexpr double hz_a_khz = 1e3;
  static std::map<int, double> known;
  static std::mutex mutex;
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  const std::lock_guard lock(mutex);
  double& found = known[device];
  if (found == 0) found = current_attribute(cudaDevAttrClockRate) * hz_a_khz;
  return found;
}

double hand_scheduled_seconds(const Arguments& g) {
  const double a = copied_bytes(g.a, g.lda, g.trans_a, g.M * g.K);
  const double b = copied_bytes(g.b, g.ldb, g.trans_b, g.K * g.N);
  return hand::expected_seconds({.M = g.M,
                                 .N = g.N,
                                 .K = g.K,
                                 .copied_bytes = a + b,
                                 .copies = (a > 0 ? 1 : 0) + (b > 0 ? 1 : 0)},
                                small::machine().sm_count, clock_hz());
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
  KernelUse use(const Arguments& g) const override { return chosen(g).use(g); }
  void launch(const Arguments& g, cudaStream_t stream) const override {
    chosen(g).launch(g, stream);
  }

 private:
  static const CustomKernel& chosen(const Arguments& g) {
    return *(takes_hand_scheduled(g) ? hand_kernel() : small_kernel()).custom;
  }
};

const Selected the_kernel;

const RegisterKernel registered({.variant = "selected",
                                 .tile = default_tile,
                                 .vector_width = vector_width,
                                 .custom = &the_kernel});

}  // namespace

}  // namespace rooftile::gemm::selected
