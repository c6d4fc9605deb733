// Launching a compiled kernel: choice of path, grid and the alpha == 0 case.
//
// Grid: x = blocks along N; the rows of blocks go over y and z (device/grid.cuh), y at most 65,535.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "gemm/compiled_kernel.cuh"
#include "gpu/cuda/error.hpp"
#include "model/error.hpp"

namespace rooftile {

namespace {

std::vector<CompiledKernel>& registry() {
  static std::vector<CompiledKernel> kernels;
  return kernels;
}

bool aligned(const void* pointer, int vector_width) {
  return reinterpret_cast<std::uintptr_t>(pointer) % (vector_width * sizeof(float)) == 0;
}

dim3 grid_of(const Tile& tile, const gemm::Arguments& args) {
  constexpr long long y_limit = 65535, x_limit = 2147483647;
  const long long columns = (args.N + tile.BN - 1) / tile.BN;
  const long long rows = (args.M + tile.BM - 1) / tile.BM;
  const long long y = std::min(rows, y_limit), z = (rows + y - 1) / y;
  if (columns > x_limit || z > y_limit)
    throw InputError("M or N is too large for tile " + tile_name(tile) +
                     ": the grid would pass the hardware's limits; take a larger tile");
  return dim3(static_cast<unsigned>(columns), static_cast<unsigned>(y), static_cast<unsigned>(z));
}

}  // namespace

RegisterKernel::RegisterKernel(const CompiledKernel& kernel) { registry().push_back(kernel); }

std::span<const CompiledKernel> compiled_kernels() { return registry(); }

const CompiledKernel* find_kernel(std::string_view variant, const Tile& tile) {
  for (const CompiledKernel& kernel : registry())
    if (kernel.variant == variant && kernel.tile == tile) return &kernel;
  return nullptr;
}

CompiledKernel::Function choose(const CompiledKernel& kernel, const gemm::Arguments& args) {
  const Tile& t = kernel.tile;
  const int v = kernel.vector_width;
  const bool whole = args.M % t.BM == 0 && args.N % t.BN == 0 && args.K % t.BK == 0 && args.K > 0;
  const bool pitches = args.lda % v == 0 && args.ldb % v == 0 && args.ldc % v == 0;
  const bool pointers = aligned(args.a, v) && aligned(args.b, v) && aligned(args.c, v);
  return whole && pitches && pointers ? kernel.fast : kernel.guarded;
}

KernelUse use_of(const CompiledKernel& kernel, const gemm::Arguments& args) {
  if (kernel.custom != nullptr) return kernel.custom->use();
  return {reinterpret_cast<const void*>(choose(kernel, args)), kernel.tile.threads(), 0};
}

std::optional<std::string> unavailable(const CompiledKernel& kernel) {
  return kernel.custom == nullptr ? std::nullopt : kernel.custom->unavailable();
}

void launch(const CompiledKernel& kernel, gemm::Arguments args, cudaStream_t stream) {
  if (args.alpha == 0.0f) args.K = 0;
  if (kernel.custom != nullptr) return kernel.custom->launch(args, stream);
  void* parameters[] = {&args};
  check(cudaLaunchKernel(reinterpret_cast<const void*>(choose(kernel, args)),
                         grid_of(kernel.tile, args), dim3(kernel.tile.threads()), parameters, 0,
                         stream),
        kernel.variant);
}

}  // namespace rooftile
