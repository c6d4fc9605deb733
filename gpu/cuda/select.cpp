// Selection of the GPU and the advice when there is none.
//
// Pitfall: cudaGetDeviceCount answers cudaErrorInsufficientDriver also where no driver is installed
// at all; cudaDriverGetVersion tells the two apart (it gives 0 then).
#include "gpu/cuda/select.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>

#include "gpu/cuda/error.hpp"
#include "gpu/cuda/probe.hpp"
#include "gpu/device_choice.hpp"
#include "model/error.hpp"

namespace rooftile {

namespace {

std::string visible_hint() {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  return visible
             ? fmt::format("CUDA_VISIBLE_DEVICES is '{}': unset it or name a GPU in it. ", visible)
             : "";
}

std::string old_driver_advice() {
  int driver = 0;
  static_cast<void>(cudaDriverGetVersion(&driver));
  if (driver == 0) {
    return "no NVIDIA driver is loaded: install one (Debian and Ubuntu: nvidia-driver), in a "
           "container start it with --gpus all, and see that nvidia-smi works";
  }
  return fmt::format(
      "the driver supports CUDA {} and this build needs {}: install a newer driver, or build with "
      "a toolkit of at most {}",
      version_text(driver), version_text(CUDART_VERSION), version_text(driver));
}

std::string selection_advice(cudaError_t status) {
  switch (status) {
    case cudaErrorInsufficientDriver:
      return old_driver_advice();
    case cudaErrorNoDevice:
      return visible_hint() +
             "the driver shows no GPU to this process: see nvidia-smi -L, in a container start it "
             "with --gpus all";
    case cudaErrorSystemDriverMismatch:
      return "the driver's kernel module and libcuda differ in version: reboot, or restart the "
             "container after the driver's update";
    case cudaErrorSystemNotReady:
      return "the system's fabric is not ready: start nvidia-fabricmanager";
    case cudaErrorCompatNotSupportedOnDevice:
      return "the cuda-compat package does not serve this GPU: remove it from LD_LIBRARY_PATH or "
             "install a newer driver";
    case cudaErrorDevicesUnavailable:
      return "another process holds the GPU in exclusive mode, or it is prohibited: see nvidia-smi "
             "-q -d COMPUTE; set it free with nvidia-smi -c 0 (as administrator)";
    case cudaErrorMemoryAllocation:
      return "its memory is full: nvidia-smi lists the processes that hold it";
    case cudaErrorStubLibrary:
      return "libcuda is the toolkit's stub: remove lib64/stubs from LD_LIBRARY_PATH";
    default:
      return "see that nvidia-smi works, and dmesg for lines with NVRM or Xid";
  }
}

[[noreturn]] void no_device(cudaError_t status) {
  static_cast<void>(cudaGetLastError());
  throw NoDeviceError(fmt::format("no usable GPU ({}): {}. rooftile doctor tells more",
                                  cudaGetErrorName(status), selection_advice(status)));
}

int device_count() {
  int count = 0;
  if (const auto status = cudaGetDeviceCount(&count); status != cudaSuccess) no_device(status);
  if (count == 0) no_device(cudaErrorNoDevice);
  return count;
}

[[noreturn]] void no_such_device(const std::string& which) {
  throw NoDeviceError(fmt::format("there is no GPU '{}'. {}This process sees:\n  {}", which,
                                  visible_hint(), fmt::join(visible_devices(), "\n  ")));
}

int by_uuid(const std::string& which, int count) {
  std::vector<int> found;
  for (int index = 0; index < count; ++index) {
    if (uuid_text(properties_of(index).uuid).starts_with(which)) found.push_back(index);
  }
  if (found.size() > 1) {
    throw InputError(
        fmt::format("device '{}' is the start of {} UUIDs: write more of it. This "
                    "process sees:\n  {}",
                    which, found.size(), fmt::join(visible_devices(), "\n  ")));
  }
  if (found.empty()) no_such_device(which);
  return found.front();
}

/// CUDA shows a MIG slice only to a process whose CUDA_VISIBLE_DEVICES names it, so we name it,
/// before CUDA reads the variable; the slice is then device 0.
int by_mig(const std::string& uuid) {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  const bool hidden = !leaves_visible(visible, uuid);
  if (hidden || setenv("CUDA_VISIBLE_DEVICES", uuid.c_str(), 1) != 0) {
    throw NoDeviceError(
        fmt::format("there is no MIG slice '{}' for this process. {}", uuid, visible_hint()));
  }
  int count = 0;
  const auto status = cudaGetDeviceCount(&count);
  if (status == cudaErrorNoDevice || (status == cudaSuccess && count == 0)) {
    throw NoDeviceError(
        fmt::format("there is no MIG slice '{}': nvidia-smi -L lists those there are", uuid));
  }
  if (status != cudaSuccess) no_device(status);
  return 0;
}

int index_of(const DeviceChoice& choice, const std::string& which) {
  if (choice.kind == DeviceChoice::Kind::mig) return by_mig(choice.uuid);
  const int count = device_count();
  if (choice.kind == DeviceChoice::Kind::gpu) return by_uuid(which, count);
  if (choice.index >= count) no_such_device(which);
  return choice.index;
}

/// Creates the context and asks for one of our kernels, so that a GPU we cannot use fails here.
void require_usable(int index) {
  if (const auto status = cudaSetDevice(index); status != cudaSuccess) no_device(status);
  if (const auto status = cudaFree(nullptr); status != cudaSuccess) no_device(status);
  const auto status = has_kernel_image();
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());
  if (status != cudaErrorNoKernelImageForDevice && status != cudaErrorInvalidDeviceFunction) {
    no_device(status);
  }
  const auto properties = properties_of(index);
  throw NoDeviceError(fmt::format(
      "this build has code for architectures {} and none for {} (compute capability {}.{}): "
      "configure it with -DCMAKE_CUDA_ARCHITECTURES={}{}",
      built_architectures(), properties.name, properties.major, properties.minor, properties.major,
      properties.minor));
}

}  // namespace

cudaDeviceProp properties_of(int index) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, index), "cudaGetDeviceProperties");
  return properties;
}

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

std::string device_uuid(const cudaDeviceProp& properties) {
  const std::string mig = visible_mig(std::getenv("CUDA_VISIBLE_DEVICES"));
  return mig.empty() ? uuid_text(properties.uuid) : mig;
}

std::vector<std::string> visible_devices() {
  std::vector<std::string> lines;
  const int count = device_count();
  for (int index = 0; index < count; ++index) {
    const auto properties = properties_of(index);
    lines.push_back(fmt::format("{}  {}  {}  sm_{}{}", index, properties.name,
                                device_uuid(properties), properties.major, properties.minor));
  }
  return lines;
}

int find_device(const std::string& which) { return index_of(parse_device_choice(which), which); }

void use_device(int index) { require_usable(index); }

}  // namespace rooftile
