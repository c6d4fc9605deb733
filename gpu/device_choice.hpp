// Which GPU a user asks for, before CUDA is asked.
#pragma once

#include <string>

namespace rooftile {

struct DeviceChoice {
  enum class Kind { first, index, gpu, mig };
  Kind kind = Kind::first;
  int index = 0;     ///< of kind index
  std::string uuid;  ///< of kinds gpu and mig, as given
};

/// "" (the first), a decimal index, "GPU-..." (a UUID or its start), or a MIG slice as nvidia-smi
/// -L prints it: "MIG-<uuid>", by older drivers "MIG-GPU-<uuid>/<instance>/<compute instance>".
/// Throws InputError for anything else.
DeviceChoice parse_device_choice(const std::string& which);

/// Whether CUDA_VISIBLE_DEVICES with the value `visible` (nullptr: not set) leaves the MIG slice
/// `uuid` to this process: where set, it must name the slice, or the GPU of an older driver's name.
bool leaves_visible(const char* visible, const std::string& uuid);

/// The MIG slice that CUDA_VISIBLE_DEVICES with this value makes device 0, or "". CUDA shows one
/// slice at most, and only where it comes first.
std::string visible_mig(const char* visible);

}  // namespace rooftile
