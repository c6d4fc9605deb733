// What a tiled kernel is made of for one tile and problem: the shapes in which its slices are
// staged, its shared memory and its registers. Shared by the description and the legality of tiles.
#pragma once

#include "gemm/describe.hpp"
#include "gemm/lanes.hpp"

namespace rooftile::gemm {

struct TiledKernel {
  const TiledTraits& traits;
  const Tile& t;
  const GemmProblem& p;
  bool guarded;
  bool trans_a, trans_b;  ///< the compiled path is one for a transposed A, B
  StagingShape a, b;      ///< as the operands lie in global memory
  int a_pitch, b_pitch;   ///< of shared memory, floats

  TiledKernel(const TiledTraits& traits, const Tile& tile, const GemmProblem& problem);

  int buffers() const { return traits.slices_ahead ? t.stages : 1; }
  int a_floats() const { return a_pitch * (traits.a_transposed ? t.BK : t.BM); }
  int b_floats() const { return t.BK * b_pitch; }
  int shared_bytes() const { return 4 * buffers() * (a_floats() + b_floats()); }
};

/// Launch bounds of the kernels: registers asked for, and so the cap (65,536 over the threads of
/// the blocks that then fit, in units of 8).
int register_cap(const TiledTraits& traits, const Tile& tile);
/// An estimate; the compiler may use more where the launch bounds let it.
int register_need(const TiledTraits& traits, const Tile& tile);

}  // namespace rooftile::gemm
