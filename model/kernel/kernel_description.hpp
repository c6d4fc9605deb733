// KernelDescription: what a predictor knows of a GEMM kernel that need not be compiled: its
// resources, the instructions of one main-loop iteration and the addresses that its lanes touch.
// Variants fill it in from their tile; nothing here is measured.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/kernel/problem.hpp"
#include "model/kernel/tile.hpp"

namespace rooftile {

/// Byte address of each lane relative to the start of the array; lanes with active == false do not
/// take part.
struct LaneAddresses {
  std::array<std::int32_t, 32> byte_offset{};
  std::array<bool, 32> active{};
};

/// Addresses base + stride * lane for all 32 lanes.
LaneAddresses strided_lanes(std::int32_t stride_bytes);

enum class Direction { load, store };

/// One kind of shared-memory access of the main loop: `per_iteration` warp instructions of this
/// width and lane pattern by each warp.
struct SharedAccess {
  std::string name;  ///< "A fragment", "B tile store", ...
  Direction direction = Direction::load;
  int width_bytes = 4;  ///< 4, 8 or 16
  double per_iteration = 0;
  LaneAddresses lanes;
  /// False for what a copy writes on its own (cp.async): wavefronts, but no issue slot.
  bool issued = true;
};

/// One kind of global-memory access of the main loop. The lane addresses are within the matrix, in
/// bytes, for a typical warp.
struct GlobalAccess {
  std::string name;  ///< "A", "B"
  int width_bytes = 4;
  double per_iteration = 0;  ///< warp instructions a warp
  LaneAddresses lanes;
  /// Share of the requested sectors that a later access of the same block finds in L1 (naive
  /// kernels); 0 where each byte is read once a block.
  double l1_reuse = 0;
};

/// What one warp's store to global memory touches.
struct StoreShape {
  int width_bytes = 4;            ///< of a lane
  double lines = 0, sectors = 0;  ///< distinct: 128 and 32 bytes
};

/// Which phases of an iteration may overlap with the arithmetic of the same block.
struct Overlap {
  bool global_to_shared =
      false;  ///< the next block tile's loads are in flight during this one's arithmetic
  bool shared_to_register =
      false;  ///< the next fragment's LDS are in flight during this one's FFMA
};

/// Resources of one block, from the compiler (`compiled`) or estimated from the tile.
struct KernelResources {
  int registers_per_thread = 0;
  int static_shared_bytes = 0;
  int dynamic_shared_bytes = 0;
  int spill_bytes = 0;
  bool compiled = false;
};

/// Per warp and per main-loop iteration (one step of BK), averaged over the loop where unrolled.
struct InstructionMix {
  double fma = 0;           ///< FFMA warp instructions that do the product
  double integer = 0;       ///< address and predicate arithmetic
  double control = 0;       ///< loop branch and compare
  double barriers = 0;      ///< block-wide barriers
  double shared_moves = 0;  ///< LDS + STS; equals the sum over `shared` of what is issued
  double global_moves = 0;  ///< LDG, LDGSTS; equals the sum over `global`
  double total() const { return fma + integer + control + barriers + shared_moves + global_moves; }
};

/// The kernel that adds up the parts of K, whose results lie side by side in a workspace.
struct SumPass {
  int floats_per_thread = 0;  ///< neighbours in a row; 0: there is no such kernel
  double waits = 0;           ///< loads that a thread waits for one after another
};

struct KernelDescription {
  std::string variant;
  Tile tile;
  int threads_per_block = 0;
  KernelResources resources;
  std::int64_t k_iterations = 0;  ///< main-loop trips of one block
  int parts = 1;                  ///< of K, each summed by blocks of its own
  SumPass sum_pass;               ///< after the kernel, where there are parts
  InstructionMix mix;
  std::vector<SharedAccess> shared;
  std::vector<GlobalAccess> global;
  Overlap overlap;
  /// Independent LDS or LDG that a warp issues before it must wait; 1 = a fully dependent chain.
  /// Read only where the two counts below are 0 and the phase does not overlap: waits = moves /
  /// loads_in_flight.
  double loads_in_flight = 1;
  /// Times in one iteration that a warp stands still for a whole latency because nothing of the
  /// same warp hides it: LDS waited for (at most one a k-step), global loads waited for (1 for a
  /// kernel that loads its block tile, then stores it to shared memory). Fractions are averages
  /// over an unrolled loop. 0 with `overlap` set: none.
  double exposed_shared_latencies = 0;
  double exposed_global_latencies = 0;
  double epilogue_stores = 0;  ///< STG warp instructions a warp after the loop
  StoreShape epilogue_store;   ///< each of them
  bool guarded = false;        ///< the path with bounds checks
  /// As many blocks as fit on the GPU at once walk over the tiles of C, block b over b, b + blocks,
  /// ...; else each tile has a block of its own.
  bool persistent = false;
  std::string kernel_id;  ///< of a measured kernel that named itself, else empty
};

}  // namespace rooftile
