#include "micro/run_once.hpp"

#include "gpu/cuda/error.hpp"
#include "micro/context.hpp"
#include "model/error.hpp"

namespace rooftile::micro {
namespace {

State state_of(const GpuError& error) {
  return error.code() == cudaErrorMemoryAllocation ? State::skipped : State::failed;
}

}  // namespace

void measure(const Microbenchmark& benchmark, Device& device, bool quick, DeviceProfile& profile) {
  Context context(device, quick, profile, benchmark.name);
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

}  // namespace rooftile::micro
