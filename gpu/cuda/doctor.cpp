// The GPU's half of the doctor: each check asks the device itself.
#include "gpu/doctor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gpu/cuda/counters.hpp"
#include "gpu/cuda/device.hpp"
#include "gpu/cuda/probe.hpp"
#include "gpu/program.hpp"
#include "gpu/sampler.hpp"
#include "model/error.hpp"

namespace rooftile {

namespace {

DoctorCheck identity_check(const Environment& environment) {
  return {"GPU", CheckState::ok,
          fmt::format("{}, {}, PCI {}, compute capability {}.{}, {} SMs", environment.gpu_name,
                      environment.gpu_uuid, environment.pci_bus_id,
                      environment.compute_capability_major, environment.compute_capability_minor,
                      environment.sm_count),
          ""};
}

DoctorCheck compute_mode_check(const Device& device) {
  const int mode = device.attribute(cudaDevAttrComputeMode);
  if (mode == cudaComputeModeDefault) return {"compute mode", CheckState::ok, "default", ""};
  return {"compute mode", CheckState::warning, "exclusive: one process at a time",
          "a sweep that isolates variants in child processes may find the GPU taken: nvidia-smi -c "
          "0 (as administrator)"};
}

DoctorCheck memory_check() {
  constexpr double gib = 1024.0 * 1024 * 1024, needed_gib = 4;
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  const auto share = static_cast<double>(free) / static_cast<double>(total);
  const auto finding = fmt::format("{:.1f} of {:.1f} GiB free", static_cast<double>(free) / gib,
                                   static_cast<double>(total) / gib);
  if (static_cast<double>(free) / gib < needed_gib) {
    return {"device memory", CheckState::problem, finding,
            "large shapes and the 1 GiB footprints will be skipped: end the processes that "
            "nvidia-smi lists"};
  }
  if (share < 0.9) {
    return {"device memory", CheckState::warning, finding,
            "another process uses this GPU and will disturb the times: see nvidia-smi"};
  }
  return {"device memory", CheckState::ok, finding, ""};
}

DoctorCheck ecc_check(const Environment& environment) {
  if (environment.ecc == "on") return {"ECC", CheckState::ok, "on", ""};
  return {"ECC", CheckState::warning, environment.ecc,
          "with ECC off the DRAM of some GPUs is faster than in a data centre: compare like with "
          "like"};
}

DoctorCheck mig_check(const Environment& environment) {
  if (environment.mig != "on") return {"MIG", CheckState::ok, environment.mig, ""};
  return {"MIG", CheckState::warning, "on",
          "this is a slice of a GPU: its numbers hold for such a slice only, and counters and NVML "
          "answer less"};
}

DoctorCheck throttle_check(const DeviceCondition& condition) {
  const std::string title = "clocks and power";
  if (!condition.available) {
    return {title, CheckState::warning, "unknown: NVML does not answer",
            "throttling will not be noticed by its reason, only by the clock probe"};
  }
  std::vector<std::string> reasons;
  for (const auto& reason : condition.throttle_reasons) {
    if (is_throttling(reason)) reasons.push_back(reason);
  }
  const auto finding =
      fmt::format("SM {:.0f} MHz, memory {:.0f} MHz, {:.0f} W, {:.0f} C, throttled by: {}",
                  condition.sm_clock_hz * 1e-6, condition.memory_clock_hz * 1e-6, condition.power_w,
                  condition.temperature_c,
                  reasons.empty() ? "nothing" : fmt::to_string(fmt::join(reasons, ", ")));
  if (reasons.empty()) return {title, CheckState::ok, finding, ""};
  return {title, CheckState::warning, finding,
          "results will be marked suspect: see nvidia-smi -q -d PERFORMANCE,CLOCK,POWER; unlock "
          "clocks with nvidia-smi -rgc, raise the limit with nvidia-smi -pl, or cool the machine"};
}

/// The probe under the load of its own launches, after a warm-up that ends the idle state.
DoctorCheck probe_check(Device& device) {
  double hz = 0;
  for (int i = 0; i < 50; ++i) hz = device.sm_clock_hz();
  const auto highest_hz = device.attribute(cudaDevAttrClockRate) * 1e3;
  const auto finding = fmt::format("{:.0f} MHz of at most {:.0f}", hz * 1e-6, highest_hz * 1e-6);
  if (hz >= 0.9 * highest_hz) return {"SM clock by probe", CheckState::ok, finding, ""};
  return {"SM clock by probe", CheckState::warning, finding,
          "the clock is held below its maximum: see nvidia-smi -q -d CLOCK, and nvidia-smi -rgc to "
          "end a lock"};
}

DoctorCheck persistence_check(const std::string& uuid) {
  const std::string title = "persistence mode";
  const auto tool = find_program("nvidia-smi");
  if (tool.empty()) {
    return {title, CheckState::warning, "unknown: no nvidia-smi on PATH", "put it on PATH"};
  }
  auto result =
      run_program({tool, "--query-gpu=persistence_mode", "--format=csv,noheader", "--id=" + uuid});
  while (!result.output.empty() && result.output.back() == '\n') result.output.pop_back();
  if (result.exit_code == 0 && result.output == "Enabled") {
    return {title, CheckState::ok, "on", ""};
  }
  return {title, CheckState::warning,
          result.exit_code == 0 && result.output == "Disabled" ? "off" : "unknown",
          "each start then waits for the driver to load: nvidia-smi -pm 1 (as administrator)"};
}

/// Asks for the counters of a real launch: permission, library and hardware in one.
DoctorCheck counters_check(const Device& device) {
  const auto counters = make_counters(device.index());
  const auto set = counters->collect([&] { launch_delay(20'000, device.stream()); });
  if (set.reason.empty()) {
    return {"hardware counters", CheckState::ok, fmt::format("{} of them", set.values.size()), ""};
  }
  return {"hardware counters", CheckState::warning, "not available: everything else goes on",
          set.reason};
}

std::vector<DoctorCheck> checks_of(Device& device) {
  const auto environment = device.environment();
  std::vector<DoctorCheck> checks{identity_check(environment), compute_mode_check(device),
                                  memory_check(), ecc_check(environment), mig_check(environment)};
  checks.push_back(probe_check(device));
  checks.push_back(throttle_check(device.condition()));
  checks.push_back(persistence_check(environment.gpu_uuid));
  checks.push_back(counters_check(device));
  return checks;
}

}  // namespace

std::vector<DoctorCheck> device_checks(const std::string& which) {
  try {
    Device device(which);
    return checks_of(device);
  } catch (const NoDeviceError& error) {
    return {{"GPU", CheckState::problem, "none that can be used", error.what()}};
  } catch (const GpuError& error) {
    return {{"GPU", CheckState::problem, error.what(), "see dmesg for lines with NVRM or Xid"}};
  }
}

}  // namespace rooftile
