#!/usr/bin/env bash
# clang-format on everything that is tracked; prints the files that differ.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tool=$(command -v clang-format-14 || command -v clang-format)
git ls-files '*.cpp' '*.hpp' '*.cu' '*.cuh' | xargs -P "$(nproc)" -n 20 "$tool" --dry-run --Werror
echo "format is clean"
