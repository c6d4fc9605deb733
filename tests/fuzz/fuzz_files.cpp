// Whole files: lines of runs, the index of compiled kernels, claims, splits, and gzip around any of
// them. The bytes are a file in memory that has a path.
#include <sys/mman.h>
#include <unistd.h>

#include <stdexcept>

#include "fuzz.hpp"
#include "model/record/claims.hpp"
#include "model/record/kernel_files.hpp"
#include "model/record/run.hpp"
#include "model/record/splits.hpp"

namespace rooftile::fuzz {
namespace {

class MemoryFile {
 public:
  MemoryFile(const std::uint8_t* data, std::size_t size) : file_(memfd_create("input", 0)) {
    if (file_ < 0 || write(file_, data, size) != static_cast<ssize_t>(size))
      throw std::runtime_error("no file in memory");
  }
  ~MemoryFile() { close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

}  // namespace
}  // namespace rooftile::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rooftile;
  using namespace rooftile::fuzz;
  const MemoryFile file(data, size);
  read_or_refuse([&] { load_runs(file.path()); });
  read_or_refuse([&] { KernelIndex::load(file.path()); });
  read_or_refuse([&] { Claims::load(file.path()); });
  read_or_refuse([&] { Splits::load(file.path()); });
  return 0;
}
