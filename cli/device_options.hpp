// Options of every command that uses a GPU: which one, or recorded files in its place.
#pragma once

#include <memory>
#include <string>

#include "gpu/runner.hpp"

namespace CLI {
class App;
}

namespace rooftile::cli {

struct DeviceOptions {
  std::string device;  ///< index or UUID; empty = the first
  std::string replay;  ///< folder of recorded files that answer in place of a GPU; testing
  double replay_delay_s = 0;
  bool counters = false;  ///< collect hardware counters beside the times

  void define(CLI::App& app);
  /// --counters, for the commands that time GEMM variants.
  void define_counters(CLI::App& app);
  bool given() const { return !device.empty() || !replay.empty(); }
  /// Throw NoDeviceError without a usable GPU.
  std::unique_ptr<GemmRunner> gemm_runner() const;
  std::unique_ptr<MicroRunner> micro_runner() const;
  /// "replayed from FOLDER, not this machine" under --replay, else empty.
  std::string notice() const;
};

}  // namespace rooftile::cli
