// cuTensorMapEncodeTiled through the runtime.
#include "gpu/cuda/tensor_map.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "gpu/cuda/error.hpp"

namespace rooftile {

TensorMapEncoder tensor_map_encoder() {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault,
                                       &found) != cudaSuccess ||
      found != cudaDriverEntryPointSuccess)
    return nullptr;
  return reinterpret_cast<TensorMapEncoder>(entry);
}

CUtensorMap tensor_map(TensorMapEncoder encode, const TensorMapPlan& plan) {
  CUtensorMap map{};
  const cuuint64_t size[] = {plan.columns, plan.rows};
  const cuuint64_t pitch_bytes[] = {4 * plan.pitch_words};
  const cuuint32_t box[] = {plan.box_columns, plan.box_rows}, step[] = {1, 1};
  const CUresult result = encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, plan.words, size,
                                 pitch_bytes, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                 plan.swizzle, plan.promotion, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS)
    throw GpuError("cuTensorMapEncodeTiled", static_cast<int>(result), "CUresult",
                   fmt::format("of a {} x {} matrix, {} words a row, boxes of {} x {}", plan.rows,
                               plan.columns, plan.pitch_words, plan.box_rows, plan.box_columns),
                   std::source_location::current());
  return map;
}

}  // namespace rooftile
