// The vendor's libraries, which are measured beside our variants under names of their own: never
// predicted, and without tiles of ours.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace rooftile {

/// The baseline: part of every sweep, and what shares and regrets compare with.
inline constexpr const char* cublas_name = "cublas";
/// The fastest of the first heuristics of cublasLt; measured where it is named.
inline constexpr const char* cublaslt_name = "cublaslt";

inline constexpr std::array library_names{cublas_name, cublaslt_name};

constexpr bool is_library(std::string_view variant) {
  return std::any_of(library_names.begin(), library_names.end(),
                     [variant](const char* name) { return variant == name; });
}

}  // namespace rooftile
