// Launching a compiled kernel: choice of path, grid, batch and the alpha == 0 case.
//
// Grid: x = blocks along N, y = rows of blocks, at most 65,535. z takes what there is one of: the
// matrices of a batch, planes of further rows, or parts of K; for another of them the launch is
// repeated. Persistent kernels have x alone, as many blocks as fit on the GPU at once.
#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "gemm/compiled_kernel.cuh"
#include "gemm/split_k.cuh"
#include "gpu/cuda/attribute.hpp"
#include "gpu/cuda/error.hpp"
#include "model/error.hpp"

namespace rooftile {

namespace {

constexpr long long x_limit = 2147483647, yz_limit = 65535;
constexpr long long walked_limit = 2147483647;  ///< tiles that a persistent kernel counts

std::vector<CompiledKernel>& registry() {
  static std::vector<CompiledKernel> kernels;
  return kernels;
}

bool aligned(const void* pointer, int vector_width) {
  return reinterpret_cast<std::uintptr_t>(pointer) % (vector_width * sizeof(float)) == 0;
}

struct Blocks {
  long long columns, rows, planes;
};

Blocks blocks_of(const Tile& tile, const gemm::Arguments& args) {
  const long long columns = (args.N + tile.BN - 1) / tile.BN;
  const long long rows = (args.M + tile.BM - 1) / tile.BM;
  const Blocks blocks{columns, std::min(rows, yz_limit), (rows + yz_limit - 1) / yz_limit};
  if (columns > x_limit || blocks.planes > yz_limit)
    throw InputError("M or N is too large for tile " + tile_name(tile) +
                     ": the grid would pass the hardware's limits; take a larger tile");
  return blocks;
}

void launch_function(const CompiledKernel& kernel, CompiledKernel::Function function, dim3 grid,
                     gemm::Arguments args, cudaStream_t stream) {
  args.raster_group = kernel.tile.raster_group;
  void* parameters[] = {&args};
  check(cudaLaunchKernel(reinterpret_cast<const void*>(function), grid, dim3(kernel.tile.threads()),
                         parameters, 0, stream),
        kernel.variant);
}

/// One launch with `z` planes.
void launch_grid(const CompiledKernel& kernel, const gemm::Arguments& args, const Blocks& blocks,
                 long long z, cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>(blocks.columns), static_cast<unsigned>(blocks.rows),
                  static_cast<unsigned>(z));
  launch_function(kernel, choose(kernel, args), grid, args, stream);
}

/// Matrix `index` of the batch alone.
gemm::Arguments one_of(gemm::Arguments args, long long index) {
  args.a += index * args.stride_a;
  args.b += index * args.stride_b;
  args.c += index * args.stride_c;
  args.stride_a = args.stride_b = args.stride_c = 0;
  args.batch = 1;
  return args;
}

void launch_planes(const CompiledKernel& kernel, gemm::Arguments args, const Blocks& blocks,
                   cudaStream_t stream) {
  if (blocks.planes > 1) args.z_rows = blocks.rows;
  launch_grid(kernel, args, blocks, blocks.planes, stream);
}

/// K in parts, each a z; see split_k.cuh. As many parts as there are slices at most, and one where
/// z walks further rows of blocks: the record's split_k is then what was asked for, not what ran.
void launch_parts(const CompiledKernel& kernel, const gemm::Arguments& args, const Blocks& blocks,
                  cudaStream_t stream) {
  const Tile& tile = kernel.tile;
  const long long slices = (args.K + tile.BK - 1) / tile.BK;
  const long long parts =
      blocks.planes > 1 ? 1 : std::max(1LL, std::min<long long>(tile.split_k, slices));
  const auto run = [&](gemm::Arguments part) {
    part.z_parts = static_cast<int>(parts);
    if (parts == 1) return launch_planes(kernel, part, blocks, stream);
    launch_grid(kernel, part, blocks, parts, stream);
  };
  if (kernel.sums == PartialSums::atomics) {
    gemm::scale_c(args, stream);
    if (slices > 0) run(args);
  } else if (parts == 1) {
    run(args);
  } else {
    gemm::sum_parts(args, parts, stream, run);
  }
}

void launch_batch(const CompiledKernel& kernel, const gemm::Arguments& args, const Blocks& blocks,
                  cudaStream_t stream) {
  for (long long first = 0; first < args.batch; first += yz_limit) {
    gemm::Arguments some = args;
    some.a += first * args.stride_a;
    some.b += first * args.stride_b;
    some.c += first * args.stride_c;
    launch_grid(kernel, some, blocks, std::min(yz_limit, args.batch - first), stream);
  }
}

/// Blocks of this function that fit on the current device at once; at least one, which the launch
/// refuses where it does not fit.
long long resident_blocks(CompiledKernel::Function function, int threads) {
  int of_one = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &of_one, reinterpret_cast<const void*>(function), threads, 0),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return std::max(1LL, 1LL * of_one * current_attribute(cudaDevAttrMultiProcessorCount));
}

/// The same, asked once: a launch that asks the runtime would lengthen what is timed around it.
long long known_resident_blocks(CompiledKernel::Function function, int threads) {
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  static std::mutex mutex;
  static auto& kept = *new std::map<std::pair<int, CompiledKernel::Function>, long long>;
  const std::lock_guard lock(mutex);
  if (const auto found = kept.find({device, function}); found != kept.end()) return found->second;
  return kept[{device, function}] = resident_blocks(function, threads);
}

/// Tiles of all matrices in one walk, or in as many as count them in 32 bits.
void launch_persistent(const CompiledKernel& kernel, const gemm::Arguments& args,
                       cudaStream_t stream) {
  const Tile& tile = kernel.tile;
  const long long columns = (args.N + tile.BN - 1) / tile.BN;
  const long long rows = (args.M + tile.BM - 1) / tile.BM;
  if (columns > walked_limit / rows)
    throw InputError("M or N is too large for tile " + tile_name(tile) +
                     ": a persistent kernel counts tiles up to 2,147,483,647; take a larger tile");
  const long long most = walked_limit / (rows * columns);  // matrices of a walk
  for (long long first = 0; first < args.batch; first += most) {
    gemm::Arguments some = args;
    some.a += first * args.stride_a;
    some.b += first * args.stride_b;
    some.c += first * args.stride_c;
    some.batch = std::min(most, args.batch - first);
    const CompiledKernel::Function function = choose(kernel, some);
    const long long blocks =
        std::min(rows * columns * some.batch, known_resident_blocks(function, tile.threads()));
    launch_function(kernel, function, dim3(static_cast<unsigned>(blocks)), some, stream);
  }
}

/// alpha == 0 sums over no K.
gemm::Arguments as_launched(gemm::Arguments args) {
  if (args.alpha == 0.0f) args.K = 0;
  return args;
}

CompiledKernel::Function function_of(const CompiledKernel& kernel, const KernelPath& path) {
  if (kernel.paths != nullptr) return kernel.paths->function(path);
  if (path.guarded) return kernel.guarded;
  const int transposed = gemm::transposed_operands(path);
  return transposed == 0 ? kernel.fast : kernel.fast_transposed[transposed - 1];
}

struct Chosen {
  KernelPath path;
  CompiledKernel::Function function;
};

Chosen chosen_for(const CompiledKernel& kernel, const gemm::Arguments& args) {
  const Tile& t = kernel.tile;
  const int v = kernel.vector_width;
  const bool whole = args.M % t.BM == 0 && args.N % t.BN == 0 && args.K % t.BK == 0 && args.K > 0;
  const bool pitches = args.lda % v == 0 && args.ldb % v == 0 && args.ldc % v == 0;
  const bool strides = args.stride_a % v == 0 && args.stride_b % v == 0 && args.stride_c % v == 0;
  const bool pointers = aligned(args.a, v) && aligned(args.b, v) && aligned(args.c, v);
  if (whole && pitches && strides && pointers) {
    const KernelPath fast{.trans_a = args.trans_a, .trans_b = args.trans_b};
    if (const auto function = function_of(kernel, fast)) return {fast, function};
  }
  const KernelPath guarded{.guarded = true};
  return {guarded, function_of(kernel, guarded)};
}

}  // namespace

RegisterKernel::RegisterKernel(const CompiledKernel& kernel, const std::vector<Tile>& tiles) {
  registry().push_back(kernel);
  for (const Tile& tile : tiles) {
    if (tile == kernel.tile || !same_code(tile, kernel.tile)) continue;
    registry().push_back(kernel);
    registry().back().tile = tile;
  }
}

std::span<const CompiledKernel> compiled_kernels() { return registry(); }

const CompiledKernel* find_kernel(std::string_view variant, const Tile& tile) {
  for (const CompiledKernel& kernel : registry())
    if (kernel.variant == variant && kernel.tile == tile) return &kernel;
  return nullptr;
}

CompiledKernel::Function choose(const CompiledKernel& kernel, const gemm::Arguments& args) {
  return chosen_for(kernel, args).function;
}

KernelUse use_of(const CompiledKernel& kernel, const gemm::Arguments& args) {
  if (kernel.custom != nullptr) return kernel.custom->use(as_launched(one_of(args, 0)));
  const Chosen chosen = chosen_for(kernel, as_launched(args));
  return {reinterpret_cast<const void*>(chosen.function), kernel.tile.threads(), 0, chosen.path};
}

std::optional<std::string> unavailable(const CompiledKernel& kernel) {
  if (kernel.custom != nullptr) return kernel.custom->unavailable();
  if (kernel.least_compute_capability == 0) return std::nullopt;
  int device = 0, major = 0, minor = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "major");
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device), "minor");
  if (10 * major + minor >= kernel.least_compute_capability) return std::nullopt;
  const auto name = [](int a, int b) { return std::to_string(a) + "." + std::to_string(b); };
  return std::string(kernel.variant) + " needs compute capability " +
         name(kernel.least_compute_capability / 10, kernel.least_compute_capability % 10) +
         "; this GPU has " + name(major, minor);
}

void launch(const CompiledKernel& kernel, gemm::Arguments args, cudaStream_t stream) {
  args = as_launched(args);
  if (args.batch == 1) args = one_of(args, 0);
  if (kernel.custom != nullptr) {
    for (long long i = 0; i < args.batch; ++i) kernel.custom->launch(one_of(args, i), stream);
    return;
  }
  if (kernel.persistent) return launch_persistent(kernel, args, stream);
  const Blocks blocks = blocks_of(kernel.tile, args);
  const bool parts = kernel.sums != PartialSums::none;
  if (!parts && blocks.planes == 1) return launch_batch(kernel, args, blocks, stream);
  for (long long i = 0; i < args.batch; ++i) {
    if (parts)
      launch_parts(kernel, one_of(args, i), blocks, stream);
    else
      launch_planes(kernel, one_of(args, i), blocks, stream);
  }
}

}  // namespace rooftile
