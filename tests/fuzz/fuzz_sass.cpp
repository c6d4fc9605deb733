// A disassembly: parser, main loop, census and program. Places that they hand on must lie in the
// kernel.
#include <algorithm>

#include "fuzz.hpp"
#include "model/record/kernel_files.hpp"
#include "model/sass/main_loop.hpp"
#include "model/sass/parser.hpp"

namespace rooftile::fuzz {
namespace {

void walk(const sass::Kernel& kernel, sass::Slices slices) {
  const sass::MainLoop loop = find_main_loop(kernel, slices);
  const auto inside = [&](const std::vector<std::size_t>& part) {
    return std::all_of(part.begin(), part.end(),
                       [&](std::size_t place) { return place < kernel.instructions.size(); });
  };
  expect(!loop.body.empty(), "a loop has a body");
  expect(inside(loop.prologue) && inside(loop.body) && inside(loop.epilogue),
         "every place of a loop is one of the kernel");
  expect(loop.stores_from <= loop.epilogue.size(), "the stores begin within the epilogue");
  const sass::Census counted = census(kernel, loop);
  expect(counted.ffma_share() >= 0 && counted.ffma_share() <= 1, "a share is from 0 to 1");
  expect(ffma_outside(kernel, loop) >= 0, "a count is not negative");
}

}  // namespace
}  // namespace rooftile::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rooftile;
  using namespace rooftile::fuzz;
  const std::string_view text = text_of(data, size);
  read_or_refuse([&] { expect(!kernel_id_of(text).empty(), "an id has letters"); });
  read_or_refuse([&] {
    for (const sass::Kernel& kernel : sass::parse(text))
      for (const auto slices : {sass::Slices::whole, sass::Slices::ragged})
        read_or_refuse([&] { walk(kernel, slices); });
  });
  return 0;
}
