#!/usr/bin/env bash
# How many of the host's lines (model, report, gpu, gemm, cli) the tests run, by gcovr; the files with the fewest come first.
#
#   ./scripts/coverage.sh [options of ctest]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/lib.sh
export ROOFTILE_CONFIG=/dev/null  # no options of the user's own file

install_packages "${BUILD_PACKAGES[@]}" "${REPORT_PACKAGES[@]}" "${TEST_PACKAGES[@]}" gcovr
cmake --preset coverage
cmake --build --preset coverage
find build/coverage -name '*.gcda' -delete  # counts of an earlier run
ctest --preset coverage -j "$(nproc)" "$@"
gcovr --root . --filter '(model|report|gpu|gemm|cli)/' --exclude '(gpu|gemm)/cuda/' --exclude '.*\.cu$' \
  --sort-percentage --print-summary -j "$(nproc)" build/coverage
