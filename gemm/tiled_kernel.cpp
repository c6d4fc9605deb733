// See tiled_kernel.hpp.
#include "gemm/tiled_kernel.hpp"

#include <algorithm>
#include <utility>

namespace rooftile::gemm {

namespace {

bool guards(const TiledTraits& traits, const Tile& tile, GemmProblem problem) {
  if (traits.transposed_paths) problem.trans_a = problem.trans_b = false;
  return needs_guards(tile, traits.vector_width, problem);
}

StagingShape shape(int rows, int columns, bool turned, int threads, int width) {
  if (turned) std::swap(rows, columns);
  return {rows, columns, threads, width};
}

}  // namespace

TiledKernel::TiledKernel(const TiledTraits& traits_, const Tile& tile, const GemmProblem& problem)
    : traits(traits_),
      t(tile),
      p(problem),
      guarded(guards(traits_, tile, problem)),
      trans_a(problem.trans_a && !guarded),
      trans_b(problem.trans_b && !guarded) {
  const int width = guarded                   ? 1
                    : traits.global_width > 0 ? traits.global_width
                                              : traits.vector_width;
  // What cp.async turns on its way goes word by word.
  a = shape(t.BM, t.BK, trans_a, t.threads(), traits.copied && !trans_a ? 1 : width);
  b = shape(t.BK, t.BN, trans_b, t.threads(), traits.copied && trans_b ? 1 : width);
  a_pitch = (traits.a_transposed ? t.BM : t.BK) + traits.a_padding;
  b_pitch = t.BN + (trans_b ? traits.a_padding : 0);
}

int register_cap(const TiledTraits& traits, const Tile& t) {
  const int fragments = t.TM + t.TN, tile = t.TM * t.TN;
  const int target = traits.max_thread_tile == 1 ? 32
                     : traits.fragments_ahead    ? tile + 2 * fragments + 32
                                                 : tile + fragments + 48;
  const int by_registers = 65536 / (t.threads() * target), by_threads = 2048 / t.threads();
  const int blocks = std::max(1, std::min(by_registers, by_threads));
  return std::min(255, 65536 / (t.threads() * blocks) / 8 * 8);
}

/// Accumulators, fragments and about 30 for pointers, staged values and counters.
int register_need(const TiledTraits& traits, const Tile& t) {
  const int fragments = (traits.fragments_ahead ? 2 : 1) * (t.TM + t.TN);
  const int others = traits.inner_product       ? 43
                     : traits.vector_width == 1 ? 27
                     : traits.fragments_ahead   ? 29
                                                : 42;
  return t.TM * t.TN + fragments + others;
}

}  // namespace rooftile::gemm
