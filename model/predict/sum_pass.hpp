// Split-K in two kernels: the parts of K are summed side by side as the matrices of a batch are,
// into a workspace, and a second kernel adds them up to C.
#pragma once

#include "model/predict/machine.hpp"

namespace rooftile {

/// What the first kernel computes: each part of K is a product of its own, of a slice of A and one
/// of B, with a result of its own that is stored without C being read. The batch is one of
/// `kernel.parts`; a batch of `problem` is launched matrix by matrix. `problem` where there are no
/// parts.
GemmProblem parts_as_batch(const KernelDescription& kernel, const GemmProblem& problem);

/// Of all matrices of a batch. Bytes are between SMs and L2, and between L2 and DRAM.
struct SumPassTime {
  double gap_s = 0;   ///< from kernel to kernel, where the first is over before the second begins
  double work_s = 0;  ///< of the second kernel
  double l2_s = 0, dram_s = 0;  ///< what L2 and DRAM are busy with it
  double l2_read_bytes = 0, dram_read_bytes = 0, dram_write_bytes = 0;
  double total_s() const { return gap_s + work_s; }
};

/// A thread adds up the same place of all parts: the parts come as one burst, from DRAM what of the
/// workspace L2 has lost since it was written, and each wait of a thread after the first takes
/// another latency; then C is read, where beta is not 0, and stored, side by side.
SumPassTime sum_pass_time(const Machine& machine, const KernelDescription& kernel,
                          const GemmProblem& problem);

}  // namespace rooftile
