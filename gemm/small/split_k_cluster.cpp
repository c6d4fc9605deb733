// Launches split_k_cluster: chooses tile, path and split, copies operands that 16-byte accesses do
// not reach, runs the kernel, and adds up partial sums where no cluster does.
#include "gemm/small/split_k_cluster.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

#include "gemm/compiled_kernel.cuh"
#include "gemm/problem_arguments.hpp"
#include "gemm/small/helpers.hpp"
#include "gemm/small/kernels.hpp"
#include "gemm/small/machine.hpp"
#include "gemm/variants/split_k_cluster.hpp"
#include "gpu/cuda/stream_spaces.hpp"

namespace rooftile::gemm::small {

namespace {

constexpr long long quad = 4;  // floats of a 16-byte access

long long whole_quads(long long extent) { return (extent + quad - 1) / quad * quad; }

struct Workspace {
  GrowingBuffer<float> copy_a, copy_b, partial;
};

/// Path::prepared reads A as K x M and B as K x N, in whole quads.
bool a_is_prepared(const Arguments& g) {
  return g.trans_a && g.M % quad == 0 && aligned16(g.a, g.lda);
}
bool b_is_prepared(const Arguments& g) {
  return !g.trans_b && g.N % quad == 0 && aligned16(g.b, g.ldb);
}

Problem problem_of(const Arguments& g) {
  Problem p{.M = g.M, .N = g.N, .K = g.K};
  const bool plain = !g.trans_a && !g.trans_b;
  p.direct = plain && g.K % quad == 0 && aligned16(g.a, g.lda) && b_is_prepared(g) &&
             aligned16(g.c, g.ldc);
  p.words = plain;
  if (!a_is_prepared(g))
    p.copied_bytes += 4.0 * static_cast<double>(g.M) * static_cast<double>(g.K);
  if (!b_is_prepared(g))
    p.copied_bytes += 4.0 * static_cast<double>(g.K) * static_cast<double>(g.N);
  return p;
}

/// A copy of `columns` x `rows` (or, `transposed`, of `rows` x `columns`) in `to`.
Packing packing(const float* from, long long pitch, long long rows, long long columns,
                bool transposed, GrowingBuffer<float>& to, cudaStream_t stream) {
  const long long pitch_to = whole_quads(columns);
  float* const room = to.room(static_cast<std::size_t>(rows * pitch_to), stream);
  return {from, room, rows, columns, pitch, pitch_to, transposed};
}

/// Copies what is not prepared; returns the arguments that read the copies.
Arguments prepare(Arguments g, Workspace& space, cudaStream_t stream) {
  Packing a, b;
  if (!a_is_prepared(g)) {
    a = packing(g.a, g.lda, g.K, g.M, !g.trans_a, space.copy_a, stream);
    g.a = a.to, g.lda = a.pitch_to;
  }
  if (!b_is_prepared(g)) {
    b = packing(g.b, g.ldb, g.K, g.N, g.trans_b, space.copy_b, stream);
    g.b = b.to, g.ldb = b.pitch_to;
  }
  pack(a, b, stream);
  return g;
}

/// With nothing to multiply C = beta C, which any kernel does that takes C as it lies.
Choice nothing_to_multiply() { return {.path = Path::words, .candidate = 0}; }

const FamilyKernel& kernel_of(const Choice& choice) {
  return kernels_of(choice.path)[static_cast<std::size_t>(choice.candidate)];
}

int shared_bytes_of(const Choice& choice) {
  return kernel_of(choice).shared_bytes(choice.cluster ? choice.splits : 1);
}

void run_main(SplitArguments arguments, const Choice& choice, bool overlap, cudaStream_t stream) {
  const Candidate& tile = candidates[static_cast<std::size_t>(choice.candidate)];
  const Arguments& g = arguments.problem;
  const long long tiles = ((g.M - 1) / tile.BM + 1) * ((g.N - 1) / tile.BN + 1);
  void* parameters[] = {&arguments};
  launch_kernel({.function = kernel_of(choice).function,
                 .blocks = tiles * choice.splits,
                 .threads = kernel_of(choice).threads,
                 .shared_bytes = shared_bytes_of(choice),
                 .cluster = choice.cluster ? choice.splits : 1,
                 .overlap = overlap},
                parameters, stream);
}

/// One kernel where operands and C are taken as they lie; else up to three, and a workspace.
void run(const Arguments& given, const Choice& choice, cudaStream_t stream) {
  static auto& spaces = *new StreamSpaces<Workspace>;
  const bool copies =
      choice.path == Path::prepared && !(a_is_prepared(given) && b_is_prepared(given));
  const bool adds = choice.splits > 1 && !choice.cluster;
  const bool may_overlap = machine().has_clusters;  // and the kernels are then ready
  SplitArguments arguments{
      .problem = given, .splits = choice.splits, .partial = nullptr, .pitch = whole_quads(given.N)};
  if (!copies && !adds) return run_main(arguments, choice, false, stream);
  const auto lease = spaces.lease(stream, "split_k_cluster", [] { return Workspace(); });
  if (copies) arguments.problem = prepare(given, lease.space(), stream);
  if (adds)
    arguments.partial = lease.space().partial.room(
        static_cast<std::size_t>(choice.splits * given.M * arguments.pitch), stream);
  run_main(arguments, choice, copies && may_overlap, stream);
  if (adds) add(arguments, may_overlap, stream);
}

class SplitKCluster : public CustomKernel {
 public:
  std::optional<std::string> unavailable() const override { return std::nullopt; }

  KernelUse use(const Arguments& g) const override {
    machine();  // allows the kernels their shared memory
    const Choice choice = choice_for(g);
    return {kernel_of(choice).function, kernel_of(choice).threads, shared_bytes_of(choice)};
  }

  void launch(const Arguments& g, cudaStream_t stream) const override {
    run(g, choice_for(g), stream);
  }

 private:
  static Choice choice_for(const Arguments& g) {
    return g.K == 0 ? nothing_to_multiply() : choice_of(g);
  }
};

const SplitKCluster the_kernel;

const RegisterKernel registered({.variant = "split_k_cluster",
                                 .tile = split_k_cluster::default_tile,
                                 .vector_width = split_k_cluster::vector_width,
                                 .custom = &the_kernel});

}  // namespace

/// Remembered, since a search costs as much as some launches; after some thousand problems anew.
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

void launch_choice(const Arguments& arguments, const Choice& choice, cudaStream_t stream) {
  run(arguments, choice, stream);
}

}  // namespace rooftile::gemm::small
