// See jit.hpp.
#include "gemm/jit.hpp"

#include <fmt/format.h>

#include <array>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

#include "gpu/cuda/attribute.hpp"
#include "gpu/cuda/error.hpp"
#include "model/error.hpp"

namespace rooftile::gemm {

namespace {

/// Loads the code for good. The handle is what the runtime takes for the address of a kernel.
CompiledKernel::Function load(const CompiledProgram& program) {
  cudaLibrary_t library = nullptr;  // never unloaded
  check(
      cudaLibraryLoadData(&library, program.cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
      "cudaLibraryLoadData of a kernel compiled at run time");
  cudaKernel_t kernel = nullptr;
  check(cudaLibraryGetKernel(&kernel, library, program.symbol.c_str()), "cudaLibraryGetKernel");
  return reinterpret_cast<CompiledKernel::Function>(kernel);
}

/// A kernel that differs from that of the variant's default tile in its tile, and so perhaps in its
/// code.
class RunTimeKernel : public KernelPaths {
 public:
  RunTimeKernel(const CompiledKernel& default_kernel, const Tile& tile, std::string architecture)
      : kernel_(default_kernel), architecture_(std::move(architecture)) {
    transposed_ = kernel_.fast_transposed[0] != nullptr;
    kernel_.tile = tile;
    if (!same_code(tile, default_kernel.tile)) kernel_.paths = this;
  }
  const CompiledKernel& kernel() const { return kernel_; }

  CompiledKernel::Function function(const KernelPath& path) const override {
    const Loaded* found = loaded(path);
    return found == nullptr ? nullptr : found->function;
  }
  std::string kernel_id(const KernelPath& path) const override {
    const Loaded* found = loaded(path);
    return found == nullptr ? "" : found->kernel_id;
  }

 private:
  struct Loaded {
    CompiledKernel::Function function;
    std::string kernel_id;
  };

  /// nullptr where there is no such path.
  const Loaded* loaded(const KernelPath& path) const {
    if (!path.guarded && transposed_operands(path) != 0 && !transposed_) return nullptr;
    const std::lock_guard lock(mutex_);
    auto& kept =
        path.guarded ? guarded_ : fast_[static_cast<std::size_t>(transposed_operands(path))];
    if (!kept) {
      const auto program = compile_kernel(kernel_.variant, kernel_.tile, path, architecture_);
      kept = Loaded{load(program), program.kernel_id};
    }
    return &*kept;
  }

  CompiledKernel kernel_;
  std::string architecture_;
  bool transposed_ = false;  ///< there are paths of whole tiles for transposed operands
  mutable std::mutex mutex_;
  mutable std::optional<Loaded> guarded_;
  mutable std::array<std::optional<Loaded>, 4> fast_;
};

std::string architecture_of_device() {
  return nvrtc_architecture(current_attribute(cudaDevAttrComputeCapabilityMajor),
                            current_attribute(cudaDevAttrComputeCapabilityMinor));
}

}  // namespace

CompiledProgram compile_kernel(std::string_view variant, const Tile& tile, const KernelPath& path,
                               const std::string& architecture) {
  return compile_program(kernel_source(variant, tile, path), architecture,
                         FileCache(cache_folder()));
}

const CompiledKernel& kernel_for(const Variant& variant, const Tile& tile) {
  if (const CompiledKernel* found = find_kernel(variant.name, tile)) return *found;
  if (const auto reason = variant.illegal(tile))
    throw InputError(fmt::format("{} has no tile {}: {}", variant.name, tile_name(tile), *reason));
  using Key = std::tuple<std::string_view, Tile, std::string>;
  static std::mutex mutex;
  static auto& made = *new std::map<Key, RunTimeKernel>;  // kernels stay loaded to the end
  const std::string architecture = architecture_of_device();
  const std::lock_guard lock(mutex);
  const CompiledKernel& of_default = *find_kernel(variant.name, variant.default_tile);
  return made.try_emplace(Key{variant.name, tile, architecture}, of_default, tile, architecture)
      .first->second.kernel();
}

}  // namespace rooftile::gemm
