#!/usr/bin/env bash
# clang-tidy on host C++ (model, report, gpu, gemm, cli) with the compile commands of a build folder.
#
#   scripts/check_tidy.sh BUILD_FOLDER
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tool=$(command -v clang-tidy-14 || command -v clang-tidy)
git ls-files 'model/*.cpp' 'report/*.cpp' 'gpu/*.cpp' 'gemm/*.cpp' 'cli/*.cpp' | grep -v '^gpu/cuda/' |
  while read -r file; do if grep -qF "/$file\"" "$1/compile_commands.json"; then echo "$file"; fi; done |
  xargs -P "$(nproc)" -n 3 "$tool" -p "$1" --quiet 2>/dev/null
echo "clang-tidy is clean"
