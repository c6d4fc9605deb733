#include "model/predict/sum_pass.hpp"

#include <algorithm>

#include "model/kernel/architecture.hpp"
#include "model/kernel/arithmetic.hpp"
#include "model/memory/l2.hpp"

namespace rooftile {
namespace {

/// Cycles in which all SMs store `bytes` side by side, `width_bytes` a lane.
double side_by_side_cycles(const Machine& machine, double bytes, int width_bytes) {
  const int sms = machine.sms();
  if (!machine.stores.known()) return bytes / sms / machine.l2_share(sms);
  const StoreShape shape = store_shape(strided_lanes(width_bytes), width_bytes);
  return bytes / (lanes_per_warp * width_bytes) / sms * machine.stores.cycles(shape).all_sms;
}

}  // namespace

GemmProblem parts_as_batch(const KernelDescription& kernel, const GemmProblem& problem) {
  if (kernel.parts == 1) return problem;
  GemmProblem parts = problem;
  parts.K = (problem.K + kernel.parts - 1) / kernel.parts;
  parts.batch = kernel.parts;
  if (kernel.sum_pass.floats_per_thread > 0) parts.beta = 0;
  return parts;
}

SumPassTime sum_pass_time(const Machine& machine, const KernelDescription& kernel,
                          const GemmProblem& problem) {
  SumPassTime t;
  if (kernel.sum_pass.floats_per_thread == 0) return t;
  const auto matrices = static_cast<double>(problem.batch);
  const int sms = machine.sms();
  const double c = static_cast<double>(problem.M) * static_cast<double>(problem.N) * element_bytes;
  const double workspace = kernel.parts * c, read_c = problem.beta != 0 ? c : 0;
  const double lost =
      1 - machine.residency.hit_rate(footprint_bytes(parts_as_batch(kernel, problem)) + c);
  const double read = workspace + read_c;
  t.l2_read_bytes = matrices * read;
  t.dram_read_bytes = t.l2_read_bytes * lost;
  t.dram_write_bytes = matrices * c * lost;

  const double latency = machine.load_latency(workspace);
  const double waits = kernel.sum_pass.waits - 1 + (read_c > 0 ? 1 : 0);
  const double cycles =
      machine.burst_cycles(latency, read / sms, lost * read / sms, sms) + waits * latency +
      side_by_side_cycles(machine, c, kernel.sum_pass.floats_per_thread * element_bytes);
  t.l2_s = matrices * (read / sms / machine.l2_share(sms)) / machine[Scalar::clock_light];
  t.dram_s = t.dram_read_bytes / (machine.dram_read_share(sms) * sms) +
             t.dram_write_bytes / (machine.dram_write_share(sms) * sms);
  t.work_s = std::max(matrices * cycles / machine[Scalar::clock_light], t.dram_s) +
             matrices * machine[Scalar::store_drain];
  // Twice as many kernels as matrices, the first of which the launch itself is charged for.
  t.gap_s = (2 * matrices - 1) * std::min(machine.launch().next_s, machine.launch().alone_s);
  return t;
}

}  // namespace rooftile
