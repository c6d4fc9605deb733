// CompiledKernel: a variant's kernel for one tile, and how it is launched. Those that were compiled
// ahead of time are registered here; gemm/jit.hpp makes others.
#pragma once

#include <cuda_runtime_api.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gemm/arguments.cuh"
#include "gemm/kernel_source.hpp"
#include "gemm/variant.hpp"
#include "model/record/kernel_files.hpp"

namespace rooftile {

/// What a launch runs, to ask the runtime about its resources.
struct KernelUse {
  const void* function = nullptr;
  int threads = 0, dynamic_shared_bytes = 0;
  std::optional<KernelPath> path{};  ///< of kernels that are not launched by their own rules
};

/// A kernel that is launched by its own rules: a loaded cubin, several kernels a launch.
class CustomKernel {
 public:
  virtual ~CustomKernel() = default;
  /// Why it cannot run on the current device, or nullopt.
  virtual std::optional<std::string> unavailable() const = 0;
  /// The kernel that does the arithmetic of a launch with these arguments, one matrix. args.K is 0
  /// when alpha is.
  virtual KernelUse use(const gemm::Arguments& args) const = 0;
  /// As launch() below, for one matrix: args.batch is 1.
  virtual void launch(const gemm::Arguments& args, cudaStream_t stream) const = 0;
};

class KernelPaths;

struct CompiledKernel {
  using Function = void (*)(gemm::Arguments);
  std::string_view variant;
  Tile tile;
  int vector_width = 1;
  Function fast = nullptr;               ///< whole tiles, aligned operands, NN
  Function guarded = nullptr;            ///< everything else
  const CustomKernel* custom = nullptr;  ///< stands in for both
  const KernelPaths* paths = nullptr;    ///< stand in for all functions
  Function fast_transposed[3] = {};      ///< as fast, of TN, NT, TT; nullptr: guarded takes them
  int least_compute_capability = 0;
  PartialSums sums = PartialSums::none;
  bool persistent = false;  ///< its blocks walk over tiles: device/persistent.cuh
};

/// The functions of a kernel that is compiled when one of them is first asked for.
class KernelPaths {
 public:
  virtual ~KernelPaths() = default;
  /// nullptr where there is no such path, and the guarded one takes its problems. Throws GpuError
  /// when it cannot be compiled or loaded.
  virtual CompiledKernel::Function function(const KernelPath& path) const = 0;
  /// As kernel_id_of() of the function of this path; "" where that is not known. May compile it.
  virtual std::string kernel_id(const KernelPath& path) const = 0;
};

/// Registers the kernel for its tile, and for those of `tiles` that differ only in what a launch
/// decides: split_k and raster_group.
struct RegisterKernel {
  explicit RegisterKernel(const CompiledKernel& kernel, const std::vector<Tile>& tiles = {});
};

std::span<const CompiledKernel> compiled_kernels();
/// nullptr when this tile of the variant was not compiled.
const CompiledKernel* find_kernel(std::string_view variant, const Tile& tile);

/// The function that takes these arguments: the guarded one unless tiles are whole, leading
/// dimensions and pointers aligned and there is a K to sum over. `args.K` is 0 when alpha is. May
/// compile it.
CompiledKernel::Function choose(const CompiledKernel& kernel, const gemm::Arguments& args);

/// Of the function that takes these arguments.
KernelUse use_of(const CompiledKernel& kernel, const gemm::Arguments& args);

/// Why this kernel cannot run on the current device, or nullopt.
std::optional<std::string> unavailable(const CompiledKernel& kernel);

/// C = alpha op(A) op(B) + beta C on `stream`; asynchronous. alpha == 0 reads neither A nor B.
/// Throws GpuError when the launch is refused, InputError when the grid would pass the hardware's
/// limits.
void launch(const CompiledKernel& kernel, gemm::Arguments args, cudaStream_t stream);

}  // namespace rooftile
