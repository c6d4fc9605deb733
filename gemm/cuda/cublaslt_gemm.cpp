// See cublaslt_gemm.cuh. cublasLt is column-major: it sees each row-major matrix transposed, and so
// computes C^T.
#include "gemm/cublaslt_gemm.cuh"

#include <fmt/format.h>

#include <cstdint>

#include "gemm/cublas_gemm.cuh"

namespace rooftile::gemm {

namespace {

constexpr auto type = CUDA_R_32F;

CublasLtHandle make_handle() {
  cublasLtHandle_t handle = nullptr;
  check(cublasLtCreate(&handle), "cublasLtCreate");
  return CublasLtHandle(handle);
}

CublasLtOperation make_operation(const Arguments& g) {
  cublasLtMatmulDesc_t made = nullptr;
  check(cublasLtMatmulDescCreate(&made, CUBLAS_COMPUTE_32F_PEDANTIC, type),
        "cublasLtMatmulDescCreate");
  CublasLtOperation operation(made);
  const auto transpose = [made](cublasLtMatmulDescAttributes_t attribute, bool transposed) {
    const cublasOperation_t value = cublas_operation(transposed);
    check(cublasLtMatmulDescSetAttribute(made, attribute, &value, sizeof(value)),
          "cublasLtMatmulDescSetAttribute");
  };
  transpose(CUBLASLT_MATMUL_DESC_TRANSA, g.trans_b);
  transpose(CUBLASLT_MATMUL_DESC_TRANSB, g.trans_a);
  return operation;
}

template <class Value>
void set_attribute(cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t attribute,
                   Value value) {
  check(cublasLtMatrixLayoutSetAttribute(layout, attribute, &value, sizeof(value)),
        "cublasLtMatrixLayoutSetAttribute");
}

/// Of row-major matrices as they are stored, `stride` elements apart.
CublasLtLayout make_layout(long long rows, long long columns, long long pitch, long long batch,
                           long long stride) {
  cublasLtMatrixLayout_t made = nullptr;
  check(cublasLtMatrixLayoutCreate(&made, type, static_cast<std::uint64_t>(columns),
                                   static_cast<std::uint64_t>(rows), pitch),
        "cublasLtMatrixLayoutCreate");
  CublasLtLayout layout(made);
  if (batch == 1) return layout;
  set_attribute(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, static_cast<std::int32_t>(batch));
  set_attribute(made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                static_cast<std::int64_t>(stride));
  return layout;
}

template <class Value>
void set_attribute(cublasLtMatmulPreference_t preference,
                   cublasLtMatmulPreferenceAttributes_t attribute, Value value) {
  check(cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, sizeof(value)),
        "cublasLtMatmulPreferenceSetAttribute");
}

/// In bytes; cublasLt asks no more than 256.
std::uint32_t alignment_of(const float* data) {
  const auto bits = reinterpret_cast<std::uintptr_t>(data) | 256U;
  return static_cast<std::uint32_t>(bits & (~bits + 1));
}

/// Without the alignments heuristics count on 256 bytes.
CublasLtPreference make_preference(const Arguments& g) {
  cublasLtMatmulPreference_t made = nullptr;
  check(cublasLtMatmulPreferenceCreate(&made), "cublasLtMatmulPreferenceCreate");
  CublasLtPreference preference(made);
  set_attribute(made, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                static_cast<std::uint64_t>(CublasLt::workspace_bytes));
  set_attribute(made, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment_of(g.b));
  set_attribute(made, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment_of(g.a));
  set_attribute(made, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment_of(g.c));
  set_attribute(made, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment_of(g.c));
  return preference;
}

template <class Value>
Value configured(const cublasLtMatmulAlgo_t& algorithm,
                 cublasLtMatmulAlgoConfigAttributes_t attribute) {
  Value value{};
  std::size_t written = 0;
  check(
      cublasLtMatmulAlgoConfigGetAttribute(&algorithm, attribute, &value, sizeof(value), &written),
      "cublasLtMatmulAlgoConfigGetAttribute");
  return value;
}

}  // namespace

CublasLt::CublasLt() : handle(make_handle()), workspace(workspace_bytes) {}

CublasLtGemm::CublasLtGemm(const CublasLt& library, const Arguments& g)
    : library_(library),
      arguments_(g),
      operation_(make_operation(g)),
      a_(make_layout(g.trans_a ? g.K : g.M, g.trans_a ? g.M : g.K, g.lda, g.batch, g.stride_a)),
      b_(make_layout(g.trans_b ? g.N : g.K, g.trans_b ? g.K : g.N, g.ldb, g.batch, g.stride_b)),
      c_(make_layout(g.M, g.N, g.ldc, g.batch, g.stride_c)),
      heuristics_(most_heuristics) {
  const CublasLtPreference preference = make_preference(g);
  int found = 0;
  const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
      library_.handle.get(), operation_.get(), b_.get(), a_.get(), c_.get(), c_.get(),
      preference.get(), most_heuristics, heuristics_.data(), &found);
  if (status != CUBLAS_STATUS_NOT_SUPPORTED) check(status, "cublasLtMatmulAlgoGetHeuristic");
  heuristics_.resize(status == CUBLAS_STATUS_SUCCESS ? static_cast<std::size_t>(found) : 0);
  std::erase_if(heuristics_, [](const auto& h) { return h.state != CUBLAS_STATUS_SUCCESS; });
}

cublasStatus_t CublasLtGemm::launch(std::size_t heuristic, cudaStream_t stream) const {
  const Arguments& g = arguments_;
  return cublasLtMatmul(library_.handle.get(), operation_.get(), &g.alpha, g.b, b_.get(), g.a,
                        a_.get(), &g.beta, g.c, c_.get(), g.c, c_.get(),
                        &heuristics_.at(heuristic).algo, library_.workspace.data(),
                        library_.workspace.size_bytes(), stream);
}

std::string CublasLtGemm::describe(std::size_t heuristic) const {
  const cublasLtMatmulAlgo_t& algorithm = heuristics_.at(heuristic).algo;
  return fmt::format("heuristic {} of {}: algorithm {}, tile {}, stages {}, split-K {}",
                     heuristic + 1, heuristics_.size(),
                     configured<std::int32_t>(algorithm, CUBLASLT_ALGO_CONFIG_ID),
                     configured<std::uint32_t>(algorithm, CUBLASLT_ALGO_CONFIG_TILE_ID),
                     configured<std::uint32_t>(algorithm, CUBLASLT_ALGO_CONFIG_STAGES_ID),
                     configured<std::int32_t>(algorithm, CUBLASLT_ALGO_CONFIG_SPLITK_NUM));
}

}  // namespace rooftile::gemm
