// The main loop of a GEMM kernel: where it is, and what it holds.
//
// A loop is what lies between a backward branch and its target. The main loop is the innermost one
// with the most multiply-add work (FFMA, FMUL and FADD count as one, a tensor instruction as its
// products over 32); of equal ones the shorter. A loop around it that stores to global memory walks
// over tiles, and is not the main one. What comes before and after is walked along the path of a
// full tile and beta = 0, of several tiles the first; other loops count once. Unconditional
// branches are followed. Conditional ones count as not taken, but for those of the epilogue that
// jump over reads of global memory and no store (the reading of C), and, where K is whole slices,
// those of the prologue that jump over multiply-adds and a barrier: a ragged first slice. A
// conditional EXIT is passed unless the tile has been stored and C would be read next.
#pragma once

#include <cstddef>
#include <vector>

#include "model/sass/parser.hpp"

namespace rooftile::sass {

/// Indices into Kernel::instructions, in the order of execution.
struct MainLoop {
  std::vector<std::size_t> prologue;
  std::vector<std::size_t> body;  ///< the last one is the branch back
  std::vector<std::size_t> epilogue;
  std::size_t stores_from = 0;  ///< into `epilogue`: its first store to global memory, or its size
};

/// How K divides into the loop's slices.
enum class Slices { whole, ragged };

/// Throws InputError, which names the kernel, when it has no loop with multiply-add work.
MainLoop find_main_loop(const Kernel& kernel, Slices slices = Slices::whole);

/// FFMA of one thread before and after the loop: slices that the compiler or the source peeled.
int ffma_outside(const Kernel& kernel, const MainLoop& loop);
/// Warp instructions of one trip by what they do. `bytes`: what one thread moves in one trip.
struct Moves {
  int instructions_4 = 0, instructions_8 = 0, instructions_16 = 0;  ///< by bytes a lane
  int count() const { return instructions_4 + instructions_8 + instructions_16; }
  int bytes() const { return 4 * instructions_4 + 8 * instructions_8 + 16 * instructions_16; }
};

struct Census {
  int instructions = 0;
  int ffma = 0;         ///< FFMA, and no other arithmetic
  int tensor = 0;       ///< HMMA, IMMA, HGMMA, ...
  Moves lds, sts;       ///< LDSM among lds
  Moves ldg, stg;       ///< LDG; STG and RED
  Moves ldgsts;         ///< copies to shared memory by cp.async
  int bulk_copies = 0;  ///< UTMALDG, UBLKCP: one for a box, bytes unknown
  int barriers = 0;     ///< BAR
  int mbarriers = 0;    ///< SYNCS
  int branches = 0;
  int others = 0;  ///< address and predicate arithmetic and the rest
  int bytes_of_code = 0;
  double ffma_share() const { return instructions ? static_cast<double>(ffma) / instructions : 0; }
};

/// Of the loop's body; `ffma` is the FMA of one thread in one trip.
Census census(const Kernel& kernel, const MainLoop& loop);

}  // namespace rooftile::sass
