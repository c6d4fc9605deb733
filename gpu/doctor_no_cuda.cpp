// device_checks() of a build without CUDA; gpu/cuda/doctor.cpp takes its place in one with it.
#include "gpu/doctor.hpp"

namespace rooftile {

std::vector<DoctorCheck> device_checks(const std::string&) {
  return {{"GPU", CheckState::warning, "this build has no CUDA and cannot look at a GPU",
           "to measure, configure with -DROOFTILE_CUDA=ON where nvcc is on PATH; predict, validate "
           "and report work as they are"}};
}

}  // namespace rooftile
