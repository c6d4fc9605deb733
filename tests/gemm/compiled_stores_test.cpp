// What descriptions say of the stores of C, against the recorded machine code.
#include <gtest/gtest.h>

#include <string>

#include "gemm/variant.hpp"
#include "model/record/kernel_files.hpp"
#include "model/sass/main_loop.hpp"

namespace rooftile::gemm {
namespace {

/// Stores of C by one thread on the path of a full tile with beta = 0.
sass::Moves compiled_stores(const sass::Kernel& kernel) {
  const sass::MainLoop loop = sass::find_main_loop(kernel);
  sass::Moves stores;
  for (const std::size_t at : loop.epilogue) {
    const sass::Instruction& i = kernel.instructions[at];
    if (i.opcode.rfind("STG", 0) != 0) continue;
    ++(i.has("128")  ? stores.instructions_16
       : i.has("64") ? stores.instructions_8
                     : stores.instructions_4);
  }
  return stores;
}

GemmProblem problem_of(const KernelPath& path) {
  GemmProblem problem =
      path.guarded ? make_problem(1021, 1031, 1033) : make_problem(1024, 1024, 1024);
  problem.trans_a = path.trans_a;
  problem.trans_b = path.trans_b;
  return problem;
}

TEST(Stores, OfEachDescriptionAreThoseOfTheCode) {
  const std::string folder = std::string(ROOFTILE_SOURCE_DIR) + "/data/h200/kernels";
  const auto source = open_kernel_folder(folder);
  int compared = 0;
  for (const KernelRecord& record : KernelIndex::load(folder + "/index.json").kernels) {
    const Variant& variant = require_variant(record.variant);
    const sass::Kernel kernel = sass::parse(source->listing(record.kernel_id).value()).front();
    const sass::Moves stores = compiled_stores(kernel);
    if (stores.count() == 0) continue;  // atomic additions
    const KernelDescription k = variant.describe(record.tile, problem_of(record.path));
    const int of_width = k.epilogue_store.width_bytes == 16  ? stores.instructions_16
                         : k.epilogue_store.width_bytes == 8 ? stores.instructions_8
                                                             : stores.instructions_4;
    EXPECT_EQ(of_width, stores.count()) << record.variant << " " << path_name(record.path);
    EXPECT_EQ(stores.count(), k.epilogue_stores) << record.variant << " " << path_name(record.path);
    ++compared;
  }
  EXPECT_GE(compared, 40);
}

}  // namespace
}  // namespace rooftile::gemm
