#!/usr/bin/env bash
# Installs what is missing, builds everything that this machine can build, and runs all tests. GPU tests are skipped without a GPU.
#
#   ./scripts/test.sh [options of ctest]
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT"
. scripts/lib.sh
export ROOFTILE_CONFIG=/dev/null  # no options of the user's own file

install_packages "${BUILD_PACKAGES[@]}" "${REPORT_PACKAGES[@]}" "${PACKING_PACKAGES[@]}" "${TEST_PACKAGES[@]}"
if nvcc=$(find_nvcc); then
  export CUDACXX="$nvcc"
  install_disassembler
elif have_gpu; then
  install_cuda_wheels
  CUDACXX=$(find_nvcc) || die "the CUDA wheels hold no nvcc"
  export CUDACXX
  install_disassembler
fi
cmake --preset test
cmake --build --preset test
exec ctest --preset test -j "$(nproc)" "$@"
