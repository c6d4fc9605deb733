#include "micro/run_once.hpp"

#include <fmt/format.h>

#include <chrono>

#include "gpu/cuda/error.hpp"
#include "micro/context.hpp"
#include "model/error.hpp"

namespace rooftile::micro {
namespace {

State state_of(const GpuError& error) {
  return error.code() == cudaErrorMemoryAllocation ? State::skipped : State::failed;
}

}  // namespace

void measure(const Microbenchmark& benchmark, Device& device, bool quick, DeviceProfile& profile,
             Pool& pool) {
  Context context(device, quick, profile, pool, benchmark.name);
  try {
    benchmark.run(context);
    context.close(State::failed, "the microbenchmark ended without a value for it");
  } catch (const GpuError& error) {
    cudaGetLastError();  // an error that is not sticky must not fail the next microbenchmark
    context.close(state_of(error), error.what());
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception& error) {
    context.close(State::failed, error.what());
  }
}

OnceResult run_once(const Microbenchmark& benchmark, Device& device) {
  DeviceProfile profile;
  Pool pool;
  const auto start = std::chrono::steady_clock::now();
  measure(benchmark, device, true, profile, pool);
  OnceResult result;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (const auto& [id, metric] : profile.metrics) {
    if (metric.value) result.counters.emplace_back(id, *metric.value);
    if (metric.state == State::failed && result.error.empty())
      result.error = id + ": " + metric.reason;
  }
  for (const auto& [id, curve] : profile.curves) {
    if (!curve.x.empty()) {
      result.counters.emplace_back(fmt::format("{}[{:g}]", id, curve.x.front()), curve.y.front());
      result.counters.emplace_back(fmt::format("{}[{:g}]", id, curve.x.back()), curve.y.back());
    }
    if (curve.state == State::failed && result.error.empty())
      result.error = id + ": " + curve.reason;
  }
  return result;
}

}  // namespace rooftile::micro
