// Loads and launches the hand-scheduled FP32 GEMM.
//
// The kernel reads A (M x K) and B (K x N) by TMA, which wants 16-byte aligned pointers and rows
// that are a multiple of 16 bytes apart; an operand that is not so, or is stored transposed, is
// copied first, into a workspace, as part of the launch. C may lie anyhow. Sizes may be ragged: TMA
// fills in zeros.
//
// The workspace of a stream holds the sums that blocks hand on (128 KiB an SM), their flags, and
// the copies.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>

#include "gemm/compiled_kernel.cuh"
#include "gemm/hand/cubin.hpp"
#include "gemm/hand/operands.cuh"
#include "gemm/hand/schedule.hpp"
#include "gemm/problem_arguments.hpp"
#include "gemm/small/helpers.hpp"
#include "gemm/variants/hand_scheduled.hpp"
#include "gpu/cuda/attribute.hpp"
#include "gpu/cuda/handles.hpp"
#include "gpu/cuda/stream_spaces.hpp"
#include "gpu/cuda/tensor_map.hpp"
#include "model/error.hpp"
#include "model/record/gzip.hpp"

namespace rooftile::gemm::hand {

namespace {

constexpr Tile tile = hand_scheduled::default_tile;
static_assert(tile.BM == block_m && tile.BN == block_n && tile.BK == block_k);
constexpr int threads = tile.threads() + hand_scheduled::producer_threads;
constexpr int shared_bytes = hand_scheduled::dynamic_shared_bytes;

/// The kernel, loaded once; its handle holds for every device of compute capability 9.0.
cudaKernel_t kernel() {
  static const cudaKernel_t loaded = [] {
    const std::span<const unsigned char> packed = compressed_cubin();
    const std::string cubin = gunzip({reinterpret_cast<const char*>(packed.data()), packed.size()},
                                     "the embedded cubin of hand_scheduled");
    cudaLibrary_t library = nullptr;  // never unloaded
    check(cudaLibraryLoadData(&library, cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
          "cudaLibraryLoadData of hand_scheduled");
    cudaKernel_t found = nullptr;
    check(cudaLibraryGetKernel(&found, library, "sgemm"), "cudaLibraryGetKernel");
    return found;
  }();
  return loaded;
}

/// Allows the kernel its shared memory on the current device: before a launch, and before its
/// occupancy is asked for.
void allow_shared_memory() {
  check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel()),
                             cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes),
        "cudaFuncSetAttribute");
}

/// A row-major matrix; `transposed`: what lies in memory is columns x rows.
struct Operand {
  const float* data;
  long long rows, columns, pitch;
  bool transposed = false;
};

bool suits_tma(const Operand& x) { return !x.transposed && aligned16(x.data, x.pitch); }

CUtensorMap map_of(const Operand& x, unsigned box_rows, unsigned box_columns,
                   CUtensorMapSwizzle swizzle) {
  static const TensorMapEncoder encode = tensor_map_encoder();
  if (encode == nullptr)
    throw InputError("hand_scheduled needs a driver with cuTensorMapEncodeTiled (CUDA 12.0)");
  return tensor_map(encode, {.words = const_cast<float*>(x.data),
                             .columns = static_cast<unsigned long long>(x.columns),
                             .rows = static_cast<unsigned long long>(x.rows),
                             .pitch_words = static_cast<unsigned long long>(x.pitch),
                             .box_columns = box_columns,
                             .box_rows = box_rows,
                             .swizzle = swizzle,
                             .promotion = CU_TENSOR_MAP_L2_PROMOTION_L2_256B});
}

class Workspace {
 public:
  Workspace(int sm_count, cudaStream_t stream)
      : partial_(static_cast<std::size_t>(sm_count) * block_m * block_n),
        flags_(static_cast<std::size_t>(sm_count)) {
    check(cudaMemsetAsync(flags_.data(), 0, flags_.size_bytes(), stream), "clear flags");
  }
  float* partial() const { return partial_.data(); }
  unsigned* flags() const { return flags_.data(); }

  /// Copies what TMA does not take; what it then takes stands in `a` and `b`.
  void prepare(Operand& a, Operand& b, cudaStream_t stream) {
    const small::Packing copy_a = copy_of(a, copies_[0], stream);
    const small::Packing copy_b = copy_of(b, copies_[1], stream);
    if (copy_a.to != nullptr || copy_b.to != nullptr) small::pack(copy_a, copy_b, stream);
  }

 private:
  /// The copy to be made of `x`, which then stands for it; none where TMA takes it as it is.
  static small::Packing copy_of(Operand& x, GrowingBuffer<float>& room, cudaStream_t stream) {
    if (suits_tma(x)) return {};
    const long long pitch = (x.columns + 3) / 4 * 4;
    float* const to = room.room(static_cast<std::size_t>(x.rows * pitch), stream);
    const small::Packing copy{x.data, to, x.rows, x.columns, x.pitch, pitch, x.transposed};
    x = {to, x.rows, x.columns, pitch};
    return copy;
  }

  DeviceBuffer<float> partial_;
  DeviceBuffer<unsigned> flags_;
  GrowingBuffer<float> copies_[2];
};

/// Of the stream; prepares the kernel for its device when it is new.
StreamSpaces<Workspace>::Lease workspace(cudaStream_t stream) {
  static auto& spaces = *new StreamSpaces<Workspace>;
  return spaces.lease(stream, "hand_scheduled", [stream] {
    allow_shared_memory();
    return Workspace(current_attribute(cudaDevAttrMultiProcessorCount), stream);
  });
}

ShellArguments shell_arguments(const Arguments& g, const Schedule& s, const Workspace& space) {
  return {.c = g.c,
          .partial = space.partial(),
          .flag = space.flags(),
          .alpha = g.alpha,
          .beta = g.beta,
          .m = static_cast<int>(g.M),
          .n = static_cast<int>(g.N),
          .ldc = static_cast<int>(g.ldc),
          .k_tiles = s.k_tiles,
          .tiles_m = s.tiles_m,
          .tiles_n = s.tiles_n,
          .group = tile.raster_group,
          .vector_c = aligned16(g.c, g.ldc),
          .split_tiles = s.split_tiles,
          .split_share = s.split_share,
          .split_rest = s.split_rest};
}

class HandScheduled : public CustomKernel {
 public:
  std::optional<std::string> unavailable() const override {
    const int major = current_attribute(cudaDevAttrComputeCapabilityMajor);
    const int minor = current_attribute(cudaDevAttrComputeCapabilityMinor);
    if (major == 9 && minor == 0) return std::nullopt;
    return fmt::format(
        "hand_scheduled is machine code for compute capability 9.0 (Hopper); this GPU has {}.{}",
        major, minor);
  }

  KernelUse use(const Arguments&) const override {
    allow_shared_memory();
    return {reinterpret_cast<const void*>(kernel()), threads, shared_bytes};
  }

  void launch(const Arguments& g, cudaStream_t stream) const override {
    if (const auto why = unavailable()) throw InputError(*why);
    if (const auto why = too_large(g.M, g.N, std::max(g.K, 1LL))) throw InputError(*why);
    if (g.K == 0) return scale(g.c, g.ldc, g.beta, g.M, g.N, stream);
    const auto lease = workspace(stream);
    Operand a{g.a, g.M, g.K, g.lda, g.trans_a}, b{g.b, g.K, g.N, g.ldb, g.trans_b};
    lease.space().prepare(a, b, stream);
    const Schedule schedule =
        schedule_of(g.M, g.N, g.K, current_attribute(cudaDevAttrMultiProcessorCount));
    const CUtensorMap map_a = map_of(a, block_m, block_k, CU_TENSOR_MAP_SWIZZLE_128B);
    const CUtensorMap map_b = map_of(b, block_k, block_n, CU_TENSOR_MAP_SWIZZLE_NONE);
    ShellArguments arguments = shell_arguments(g, schedule, lease.space());
    void* parameters[] = {const_cast<CUtensorMap*>(&map_a), const_cast<CUtensorMap*>(&map_b),
                          &arguments};
    check(cudaLaunchKernel(reinterpret_cast<const void*>(kernel()),
                           dim3(static_cast<unsigned>(schedule.blocks)), dim3(threads), parameters,
                           shared_bytes, stream),
          "hand_scheduled");
  }
};

const HandScheduled the_kernel;

const RegisterKernel registered({.variant = "hand_scheduled",
                                 .tile = tile,
                                 .vector_width = hand_scheduled::vector_width,
                                 .custom = &the_kernel});

}  // namespace

}  // namespace rooftile::gemm::hand
