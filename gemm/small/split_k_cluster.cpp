// Launches split_k_cluster: chooses tile, path and split, copies operands that 16-byte accesses do
// not reach, runs the kernel, and adds up partial sums where no cluster does.
//
// A workspace belongs to a device and a stream, is kept, and only grows. Launches on one stream
// follow one another, so they may share it.
#include "gemm/small/split_k_cluster.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "gemm/compiled_kernel.cuh"
#include "gemm/small/helpers.hpp"
#include "gemm/small/kernels.hpp"
#include "gemm/small/machine.hpp"
#include "gemm/variants/split_k_cluster.hpp"
#include "gpu/cuda/handles.hpp"

namespace rooftile::gemm::small {

namespace {

constexpr long long quad = 4;  // floats of a 16-byte access

/// Whether the first kernel of a launch may start while the work before it in the stream ends, as
/// the later ones do. It is right either way, for every kernel waits before it touches memory, and
/// takes 0.5 to 1.5 us off each of many launches in a row. Off, because cuBLAS does not either and
/// times of single launches would not show it.
constexpr bool overlaps_work_before = false;

long long whole_quads(long long extent) { return (extent + quad - 1) / quad * quad; }

bool aligned(const float* data, long long pitch) {
  return reinterpret_cast<std::uintptr_t>(data) % 16 == 0 && pitch % quad == 0;
}

class Workspace {
 public:
  enum Use { copy_a, copy_b, partial };

  float* room(Use use, long long floats, cudaStream_t stream) {
    DeviceBuffer<float>& buffer = buffers_[use];
    if (buffer.size() < static_cast<std::size_t>(floats)) {
      check(cudaStreamSynchronize(stream), "growing the workspace");
      buffer = DeviceBuffer<float>();  // both at a time might not fit
      buffer = DeviceBuffer<float>(static_cast<std::size_t>(floats));
    }
    return buffer.data();
  }

 private:
  DeviceBuffer<float> buffers_[3];
};

Workspace& workspace(cudaStream_t stream) {
  // Never destroyed: the runtime may be gone by then.
  static auto& all = *new std::map<std::pair<int, cudaStream_t>, std::unique_ptr<Workspace>>;
  static std::mutex mutex;
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  const std::lock_guard lock(mutex);
  auto& found = all[{device, stream}];
  if (!found) found = std::make_unique<Workspace>();
  return *found;
}

/// Path::prepared reads A as K x M and B as K x N, in whole quads.
bool a_is_prepared(const Arguments& g) {
  return g.trans_a && g.M % quad == 0 && aligned(g.a, g.lda);
}
bool b_is_prepared(const Arguments& g) {
  return !g.trans_b && g.N % quad == 0 && aligned(g.b, g.ldb);
}

Problem problem_of(const Arguments& g) {
  Problem p{.M = g.M, .N = g.N, .K = g.K};
  const bool plain = !g.trans_a && !g.trans_b;
  p.direct =
      plain && g.K % quad == 0 && aligned(g.a, g.lda) && b_is_prepared(g) && aligned(g.c, g.ldc);
  p.words = plain;
  if (!a_is_prepared(g))
    p.copied_bytes += 4.0 * static_cast<double>(g.M) * static_cast<double>(g.K);
  if (!b_is_prepared(g))
    p.copied_bytes += 4.0 * static_cast<double>(g.K) * static_cast<double>(g.N);
  return p;
}

/// Copies what is not prepared; returns the arguments that read the copies.
Arguments prepare(Arguments g, Workspace& space, cudaStream_t stream) {
  Packing a, b;
  if (!a_is_prepared(g)) {
    const long long pitch = whole_quads(g.M);
    a = {g.a,       space.room(Workspace::copy_a, g.K * pitch, stream), g.K, g.M, g.lda, pitch,
         !g.trans_a};
    g.a = a.to, g.lda = pitch;
  }
  if (!b_is_prepared(g)) {
    const long long pitch = whole_quads(g.N);
    b = {g.b,      space.room(Workspace::copy_b, g.K * pitch, stream), g.K, g.N, g.ldb, pitch,
         g.trans_b};
    g.b = b.to, g.ldb = pitch;
  }
  if (a.to != nullptr || b.to != nullptr)
    pack(a, b, overlaps_work_before && has_clusters(), stream);
  return g;
}

/// With nothing to multiply C = beta C, which any kernel does that takes C as it lies.
Choice nothing_to_multiply() { return {.path = Path::words, .candidate = 0}; }

void run(const Arguments& given, const Choice& choice, cudaStream_t stream) {
  Workspace& space = workspace(stream);
  SplitArguments arguments{
      .problem = given, .splits = choice.splits, .partial = nullptr, .pitch = whole_quads(given.N)};
  bool overlap = overlaps_work_before && has_clusters();
  if (choice.path == Path::prepared) {
    arguments.problem = prepare(given, space, stream);
    const bool copied = arguments.problem.a != given.a || arguments.problem.b != given.b;
    overlap = overlap || (copied && has_clusters());
  }
  const bool adds = choice.splits > 1 && !choice.cluster;
  if (adds)
    arguments.partial =
        space.room(Workspace::partial, choice.splits * given.M * arguments.pitch, stream);
  const Candidate& tile = candidates[static_cast<std::size_t>(choice.candidate)];
  const FamilyKernel& kernel = kernels_of(choice.path)[static_cast<std::size_t>(choice.candidate)];
  const long long tiles = ((given.M - 1) / tile.BM + 1) * ((given.N - 1) / tile.BN + 1);
  void* parameters[] = {&arguments};
  launch_kernel({.function = kernel.function,
                 .blocks = tiles * choice.splits,
                 .threads = kernel.threads,
                 .shared_bytes = kernel.shared_bytes(choice.cluster ? choice.splits : 1),
                 .cluster = choice.cluster ? choice.splits : 1,
                 .overlap = overlap},
                parameters, stream);
  if (adds) add(arguments, has_clusters(), stream);
}

class SplitKCluster : public CustomKernel {
 public:
  std::optional<std::string> unavailable() const override { return std::nullopt; }

  /// Of the tile that the variant goes by; a launch may take another (choice_of()).
  KernelUse use() const override {
    machine();
    for (std::size_t i = 0; i < candidates.size(); ++i)
      if (tile_of({.candidate = static_cast<int>(i)}) == split_k_cluster::default_tile) {
        const FamilyKernel& kernel = direct_kernels()[i];
        return {kernel.function, kernel.threads, kernel.shared_bytes(1)};
      }
    return {};
  }

  void launch(const Arguments& g, cudaStream_t stream) const override {
    machine();  // makes the kernels ready
    run(g, g.K == 0 ? nothing_to_multiply() : choice_of(g), stream);
  }
};

const SplitKCluster the_kernel;

const RegisterKernel registered({.variant = "split_k_cluster",
                                 .tile = split_k_cluster::default_tile,
                                 .vector_width = split_k_cluster::vector_width,
                                 .custom = &the_kernel});

}  // namespace

/// Remembered, since a search costs as much as some launches: the latest few thousand problems.
Choice choice_of(const Arguments& g) {
  constexpr std::size_t most_remembered = 4096;
  struct Less {
    bool operator()(const Problem& x, const Problem& y) const { return (x <=> y) < 0; }
  };
  static std::map<const Machine*, std::map<Problem, Choice, Less>> known;
  static std::mutex mutex;
  const Machine& device = machine();
  const Problem problem = problem_of(g);
  const std::lock_guard lock(mutex);
  auto& choices = known[&device];
  if (const auto found = choices.find(problem); found != choices.end()) return found->second;
  if (choices.size() >= most_remembered) choices.clear();
  return choices[problem] = choose(problem, device);
}

}  // namespace rooftile::gemm::small
