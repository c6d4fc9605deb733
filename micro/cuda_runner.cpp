// MicroRunner over the CUDA device: what `rooftile characterize` drives.
#include <fmt/format.h>

#include <algorithm>

#include "gpu/runner.hpp"
#include "micro/run_once.hpp"
#include "model/error.hpp"

namespace rooftile {
namespace {

class CudaMicroRunner : public MicroRunner {
 public:
  explicit CudaMicroRunner(const std::string& device) : device_(device) {}

  Environment environment() override { return device_.environment(); }

  std::vector<MicrobenchmarkInfo> list() override {
    std::vector<MicrobenchmarkInfo> infos;
    for (const micro::Microbenchmark& benchmark : micro::microbenchmarks())
      infos.push_back({benchmark.name, benchmark.summary, benchmark.estimated_s, benchmark.once});
    return infos;
  }

  void run(const std::string& name, bool quick, DeviceProfile& profile) override {
    const auto all = micro::microbenchmarks();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const micro::Microbenchmark& b) { return b.name == name; });
    if (found == all.end())
      throw InputError(
          fmt::format("no microbenchmark \"{}\"; `rooftile list` shows all of them", name));
    micro::measure(*found, device_, quick, profile);
  }

 private:
  Device device_;
};

}  // namespace

std::unique_ptr<MicroRunner> make_cuda_micro_runner(const std::string& device) {
  return std::make_unique<CudaMicroRunner>(device);
}

}  // namespace rooftile
