// Which GPU: by index or UUID among those that CUDA_VISIBLE_DEVICES leaves, or why there is none.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <vector>

namespace rooftile {

/// 13000 -> "13.0", as cudaDriverGetVersion and cudaRuntimeGetVersion encode it.
std::string version_text(int version);

/// Without opening a context.
cudaDeviceProp properties_of(int index);

/// "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", the form of nvidia-smi -L.
std::string uuid_text(const cudaUUID_t& uuid);

/// The name of a GPU, or of the MIG slice that stands in its place, as nvidia-smi -L prints it.
std::string device_uuid(const cudaDeviceProp& properties);

/// One line for each GPU that this process sees: "0  NVIDIA H200  GPU-...  sm_90". Throws
/// NoDeviceError when there is none.
std::vector<std::string> visible_devices();

/// Index of the GPU `which`, which is left as it is. `which`: "" = first, a decimal index, a UUID
/// or the start of one ("GPU-3f2a" as CUDA_VISIBLE_DEVICES takes it), or a MIG slice, which must be
/// asked for before anything else of CUDA is used. Throws InputError when `which` is none of these;
/// NoDeviceError, with what to do, when there is no driver, no GPU, no such GPU or a driver older
/// than the runtime.
int find_device(const std::string& which);

/// Makes this GPU current, with a context. Throws NoDeviceError, with what to do, when this build
/// has no code for it or it is not free.
void use_device(int index);

}  // namespace rooftile
