// --device and the hidden --replay: the same runners, from a GPU or from recorded files.
#include "cli/device_options.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "gemm/cuda_runner.hpp"
#include "gpu/interrupt.hpp"

namespace rooftile::cli {

void DeviceOptions::define(CLI::App& app) {
  app.add_option("--device", device,
                 "GPU by index or UUID, or MIG slice by UUID (default: the first)")
      ->type_name("N|UUID")
      ->group("Device");
  // The empty group hides them from --help: they serve tests, and docs/cli.md describes them.
  app.add_option("--replay", replay)->check(CLI::ExistingDirectory)->group("");
  app.add_option("--replay-delay", replay_delay_s)->check(CLI::Range(0.0, 60.0))->group("");
}

void DeviceOptions::define_counters(CLI::App& app) {
  app.add_flag("--counters", counters,
               "Also hardware counters, in launches of their own that are not timed")
      ->envname("ROOFTILE_COUNTERS")
      ->group("Device");
}

// From here on there is something to save when a signal comes; without a device a signal ends the
// process at once.
std::unique_ptr<GemmRunner> DeviceOptions::gemm_runner() const {
  install_interrupt_handlers();
  return replay.empty() ? make_cuda_gemm_runner(device, {.counters = counters})
                        : make_replay_gemm_runner(replay, replay_delay_s);
}

std::unique_ptr<MicroRunner> DeviceOptions::micro_runner() const {
  auto runner = replay.empty() ? make_cuda_micro_runner(device)
                               : make_replay_micro_runner(replay, replay_delay_s);
  install_interrupt_handlers();
  return runner;
}

std::string DeviceOptions::notice() const {
  return replay.empty() ? "" : fmt::format("replayed from {}, not this machine", replay);
}

}  // namespace rooftile::cli
