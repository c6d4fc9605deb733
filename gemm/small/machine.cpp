// See machine.hpp. Everything is asked of the runtime but for clusters of blocks that share a
// multiprocessor: the hardware places those pairwise long before all multiprocessors are taken, so
// the rule counts clusters with a block a multiprocessor.
#include "gemm/small/machine.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>

#include "gemm/small/kernels.hpp"
#include "gpu/cuda/attribute.hpp"

namespace rooftile::gemm::small {

namespace {

int most_shared_bytes(const FamilyKernel& kernel, bool clusters) {
  int most = kernel.shared_bytes(1);
  for (int splits = 2; clusters && splits <= largest_cluster; ++splits)
    most = std::max(most, kernel.shared_bytes(splits));
  return most;
}

/// Blocks of `kernel` on a multiprocessor, of a cluster of `splits`; 0: it does not fit.
int resident(const FamilyKernel& kernel, int splits, int limit) {
  const int bytes = kernel.shared_bytes(splits);
  if (bytes > limit) return 0;
  int blocks = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel.function, kernel.threads,
                                                      static_cast<std::size_t>(bytes)),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return blocks;
}

/// Clusters of `size` that run at once with a block a multiprocessor; 0: none.
int clusters_of(int size, const FamilyKernel& kernel, int limit) {
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {static_cast<unsigned>(size), 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(size) * 1024);
  config.blockDim = dim3(static_cast<unsigned>(kernel.threads));
  // More than half of the shared memory leaves room for one block.
  config.dynamicSmemBytes = static_cast<std::size_t>(limit) * 9 / 10;
  config.attrs = &cluster;
  config.numAttrs = 1;
  int count = 0;
  if (cudaOccupancyMaxActiveClusters(&count, kernel.function, &config) != cudaSuccess) {
    cudaGetLastError();  // a size that this device does not take
    return 0;
  }
  return count;
}

void allow(const FamilyKernel& kernel, int shared_bytes, bool clusters) {
  check(cudaFuncSetAttribute(kernel.function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             shared_bytes),
        "cudaFuncSetAttribute");
  if (clusters)
    check(cudaFuncSetAttribute(kernel.function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
          "cudaFuncSetAttribute");
}

/// Both must have them: the device, and the code that was compiled for it. PTX of an older compute
/// capability has no clusters and no waits for the grid before, on whatever device it runs.
bool has_clusters() {
  if (current_attribute(cudaDevAttrClusterLaunch) == 0) return false;
  constexpr int first_with_clusters = 90;
  cudaFuncAttributes compiled{};
  check(cudaFuncGetAttributes(&compiled, direct_kernels()[0].function), "cudaFuncGetAttributes");
  return compiled.ptxVersion >= first_with_clusters;
}

/// As resident(), of pairs, where every size of cluster that the device takes fits; else 0. The
/// shared memory does not grow evenly with the size: rows are dealt out in whole ones.
int resident_in_cluster(const FamilyKernel& kernel, const Machine& device, int limit) {
  for (int splits = 2; splits <= largest_cluster; ++splits)
    if (device.clusters[static_cast<std::size_t>(splits)] > 0 &&
        resident(kernel, splits, limit) == 0)
      return 0;
  return resident(kernel, 2, limit);
}

std::unique_ptr<Machine> ask() {
  auto found = std::make_unique<Machine>();
  found->sm_count = current_attribute(cudaDevAttrMultiProcessorCount);
  const int limit = current_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  const bool clusters = found->has_clusters = has_clusters();
  const FamilyKernel& any = direct_kernels()[0];
  if (clusters) {
    allow(any, limit, true);
    for (int size = 2; size <= largest_cluster; ++size)
      found->clusters[static_cast<std::size_t>(size)] = clusters_of(size, any, limit);
  }
  for (const Path path : {Path::direct, Path::prepared, Path::words})
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const FamilyKernel& kernel = kernels_of(path)[i];
      const auto p = static_cast<std::size_t>(path);
      if (kernel.function == nullptr) continue;
      allow(kernel, std::min(limit, most_shared_bytes(kernel, clusters)), clusters);
      found->whole[p][i] = resident(kernel, 1, limit);
      if (clusters) found->in_cluster[p][i] = resident_in_cluster(kernel, *found, limit);
    }
  return found;
}

}  // namespace

const Machine& machine() {
  // Never destroyed: the runtime may be gone by then.
  static auto& all = *new std::map<int, std::unique_ptr<Machine>>;
  static std::mutex mutex;
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  const std::lock_guard lock(mutex);
  auto& found = all[device];
  if (!found) found = ask();
  return *found;
}

}  // namespace rooftile::gemm::small
