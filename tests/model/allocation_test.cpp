// time_s() is called for every tile of a search: it must not allocate.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "model/predict/predictor.hpp"
#include "tests/model/h200_fixture.hpp"

// AddressSanitizer owns operator new: there, nothing is replaced and nothing can be counted.
#ifndef __SANITIZE_ADDRESS__

namespace {
std::atomic<long> allocations{0};

void* counted(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes > 0 ? bytes : 1)) return memory;
  throw std::bad_alloc();
}
}  // namespace

// Replaced for the whole test binary; all plain and array forms end here.
void* operator new(std::size_t bytes) { return counted(bytes); }
void* operator new[](std::size_t bytes) { return counted(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace rooftile {
namespace {

TEST(Allocation, TheCounterCounts) {
  const long before = allocations;
  std::vector<int>* made = new std::vector<int>(100);
  EXPECT_EQ(allocations - before, 2);
  delete made;
}

TEST(Allocation, TimesOfDescribedKernelsAllocateNothing) {
  const DeviceProfile profile = test::h200();
  for (const char* name : {"roofline", "analytic"}) {
    const auto predictor = make_predictor(name, profile);
    for (const Raster raster : {Raster::row, Raster::column, Raster::zigzag, Raster::swizzle})
      for (const bool double_buffered : {false, true}) {
        Tile tile{.BM = 128, .BN = 64, .BK = 8, .TM = 8, .TN = 8};
        tile.raster = raster;
        tile.raster_group = 4;
        const GemmProblem problem = make_problem(4095, 4097, 515);
        const KernelDescription kernel = test::tiled_kernel(tile, problem, double_buffered);
        const long before = allocations;
        const double time = predictor->time_s(kernel, problem);
        const long during = allocations - before;
        EXPECT_EQ(during, 0) << name;
        EXPECT_GT(time, 0);
      }
  }
}

}  // namespace
}  // namespace rooftile

#endif  // __SANITIZE_ADDRESS__
