// Demand: what one block asks of each resource of the machine, from its description.
#pragma once

#include "model/predict/machine.hpp"

namespace rooftile {

/// Of one block; "step" is one iteration of the main loop (BK of K). Cycles are SM cycles.
struct BlockDemand {
  double warps = 0;
  double steps = 0;
  double fma = 0;                ///< FFMA warp instructions of one warp and step
  double other = 0;              ///< all other warp instructions of one warp and step
  double shared_cycles = 0;      ///< of the shared-memory and L1 data path, all warps, one step
  double shared_wavefronts = 0;  ///< of shared-memory instructions alone, all warps, one step
  double l2_bytes = 0;           ///< sectors read from L2, one step
  double l2_link_bytes = 0;      ///< as many in whole lines take the same time, one step
  double dram_bytes = 0;         ///< read from DRAM, one step
  double shared_wait = 0;        ///< cycles of exposed LDS latency, one warp and step
  double chain_wait = 0;         ///< cycles that dependent FFMA leave unused, one warp and step
  double global_wait = 0;        ///< cycles of exposed global-load latency, one step
  double load_latency = 0;       ///< cycles of one global load, unloaded
  double last_load_wait = 0;     ///< that the last load of a slice takes longer, its bytes apart
  double barriers = 0;           ///< per step
  bool loads_overlap = false;    ///< next tile's global loads run under this one's arithmetic
  double slices = 1;             ///< of a block in flight where they overlap: loaded or computed
  bool fragments_overlap = false;
  bool persistent = false;          ///< the block walks over tiles: all here is of one of them
  double store_instructions = 0;    ///< epilogue, one warp
  double store_bytes = 0;           ///< epilogue, one block, whole sectors
  StoreCosts::Cycles store_cycles;  ///< epilogue, one block, where the machine knows them
  double store_dram_bytes = 0;      ///< epilogue, one block
  double c_read_bytes = 0;          ///< epilogue, one block, where beta != 0
};

/// Traffic of the launch, beside the demand of a block.
struct LaunchTraffic {
  double blocks = 0;
  double l2_read_bytes = 0;  ///< panels only
  DramTraffic dram;
  double hit_rate = 0;  ///< of the panel reads
};

struct KernelDemand {
  BlockDemand block;
  LaunchTraffic launch;
};

/// Cycles that the stores of one block take of its SM, and of L2 while `active` SMs store.
double store_cycles(const Machine& machine, const BlockDemand& demand, int active);
double l2_store_cycles(const Machine& machine, const BlockDemand& demand, int active);

/// Cycles until the first slice of n blocks has arrived where `active` SMs ask for theirs at once.
double first_slice_cycles(const Machine& machine, const BlockDemand& demand, int n, int active);

/// Whether the kernel copies its panels to shared memory.
bool stages_panels(const KernelDescription& kernel);

/// `blocks_per_sm` sets the wave for the L2 model. No allocation.
KernelDemand kernel_demand(const Machine& machine, const KernelDescription& kernel,
                           const GemmProblem& problem, int blocks_per_sm);

}  // namespace rooftile
