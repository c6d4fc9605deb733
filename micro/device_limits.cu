// Device limits: what the driver and the compute capability say, read and not measured.
//
// Peak DRAM bandwidth = memory clock x 2 (double data rate) x bus width / 8, the formula of
// NVIDIA's deviceQuery sample. H200: 3201 MHz x 2 x 6016 bit / 8 = 4.81 TB/s. FP32 lanes an SM:
// CUDA C++ Programming Guide, table "Throughput of native arithmetic instructions", 32-bit
// floating-point add, multiply, multiply-add.
//
// Pitfalls: `clockRate` and `memoryClockRate` left cudaDeviceProp with CUDA 13, the attributes
// stay; some virtual GPUs report 0 for them, which becomes `skipped`, never a number.
//
// ENTRY: device.sm_count | metric | count | streaming multiprocessors
// ENTRY: device.fma_lanes_per_sm | metric | count | FP32 lanes an SM, by compute capability (CUDA C++ Programming Guide, arithmetic throughput)
// ENTRY: device.registers_per_sm | metric | count | 32-bit registers an SM
// ENTRY: device.max_threads_per_sm | metric | count | resident threads an SM
// ENTRY: device.max_blocks_per_sm | metric | count | resident blocks an SM
// ENTRY: device.smem_per_sm | metric | byte | shared memory an SM
// ENTRY: device.smem_per_block_optin | metric | byte | most shared memory a block may ask for
// ENTRY: device.smem_reserved_per_block | metric | byte | shared memory the system reserves a block
// ENTRY: device.l2_size | metric | byte | L2 capacity as reported
// ENTRY: device.dram_size | metric | byte | device memory
// ENTRY: device.dram_peak_bandwidth | metric | byte/s | memory clock x 2 x bus width
// ENTRY: device.sm_clock_max | metric | Hz | highest SM clock
#include "micro/text.hpp"

#include "micro/context.hpp"
#include "micro/microbenchmark.hpp"

namespace rooftile::micro {
namespace {

/// FP32 FMA lanes of one SM; 0 where the table has no row.
int fma_lanes(int major, int minor) {
  switch (major * 10 + minor) {
    case 70:
    case 72:
    case 75:
    case 80:
      return 64;
    case 86:
    case 87:
    case 89:
    case 90:
    case 100:
    case 103:
    case 110:
    case 120:
    case 121:
      return 128;
    default:
      return 0;
  }
}

void from_attribute(Context& context, const char* id, cudaDeviceAttr attribute, const char* name,
                    double scale = 1) {
  const int value = context.device().attribute(attribute);
  if (value > 0)
    context.exact(id, value * scale, "device attribute", name);
  else
    context.skip(id, text("the driver reports {} = {}", name, value));
}

void dram_peak(Context& context) {
  const double clock_hz =
      1e3 * context.device().attribute(cudaDevAttrMemoryClockRate);  // attribute in kHz
  const double bus_bits = context.device().attribute(cudaDevAttrGlobalMemoryBusWidth);
  if (clock_hz > 0 && bus_bits > 0)
    context.exact("device.dram_peak_bandwidth", clock_hz * 2 * bus_bits / 8, "device attribute",
                  text("{:.0f} MHz x 2 x {:.0f} bit", clock_hz / 1e6, bus_bits));
  else
    context.skip("device.dram_peak_bandwidth",
                 "the driver does not report memory clock and bus width");
}

void run(Context& context) {
  const cudaDeviceProp& properties = context.device().properties();
  from_attribute(context, "device.sm_count", cudaDevAttrMultiProcessorCount,
                 "cudaDevAttrMultiProcessorCount");
  from_attribute(context, "device.registers_per_sm", cudaDevAttrMaxRegistersPerMultiprocessor,
                 "cudaDevAttrMaxRegistersPerMultiprocessor");
  from_attribute(context, "device.max_threads_per_sm", cudaDevAttrMaxThreadsPerMultiProcessor,
                 "cudaDevAttrMaxThreadsPerMultiProcessor");
  from_attribute(context, "device.max_blocks_per_sm", cudaDevAttrMaxBlocksPerMultiprocessor,
                 "cudaDevAttrMaxBlocksPerMultiprocessor");
  from_attribute(context, "device.smem_per_sm", cudaDevAttrMaxSharedMemoryPerMultiprocessor,
                 "cudaDevAttrMaxSharedMemoryPerMultiprocessor");
  from_attribute(context, "device.smem_per_block_optin", cudaDevAttrMaxSharedMemoryPerBlockOptin,
                 "cudaDevAttrMaxSharedMemoryPerBlockOptin");
  from_attribute(context, "device.l2_size", cudaDevAttrL2CacheSize, "cudaDevAttrL2CacheSize");
  from_attribute(context, "device.sm_clock_max", cudaDevAttrClockRate, "cudaDevAttrClockRate", 1e3);
  // Zero is a true value here (compute capability 7.5 reserves nothing).
  context.exact("device.smem_reserved_per_block",
                context.device().attribute(cudaDevAttrReservedSharedMemoryPerBlock),
                "device attribute", "cudaDevAttrReservedSharedMemoryPerBlock");
  context.exact("device.dram_size", static_cast<double>(properties.totalGlobalMem),
                "device attribute", "cudaDeviceProp::totalGlobalMem");
  dram_peak(context);

  const int lanes = fma_lanes(properties.major, properties.minor);
  if (lanes > 0)
    context.exact("device.fma_lanes_per_sm", lanes, "architecture table",
                  text("compute capability {}.{}", properties.major, properties.minor));
  else
    context.skip("device.fma_lanes_per_sm",
                 text("no table row for compute capability {}.{}: see micro/device_limits.cu",
                      properties.major, properties.minor));
}

const Register registered{{"device_limits", "limits told by the driver", 0.1, run}};

}  // namespace
}  // namespace rooftile::micro
