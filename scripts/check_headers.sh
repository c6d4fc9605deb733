#!/usr/bin/env bash
# Every public host header compiles on its own, with both compilers when both are there.
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT"
compilers=(g++)
command -v clang++ >/dev/null && compilers+=(clang++)
unit=$(mktemp --suffix=.cpp)
# One translation unit a header, many at once: `xargs` keeps two compilers busy.
git ls-files 'model/*.hpp' 'report/*.hpp' 'gpu/*.hpp' 'gemm/*.hpp' 'micro/microbenchmark.hpp' 'cli/*.hpp' | grep -v '^gpu/cuda/' >"$unit.list"
trap 'rm -f "$unit" "$unit.list"' EXIT
for compiler in "${compilers[@]}"; do
  xargs -a "$unit.list" -P "$(nproc)" -I{} sh -c \
    "echo '#include \"{}\"' | $compiler -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Werror -I. -x c++ - || { echo '{} does not stand alone ($compiler)' >&2; exit 255; }"
done
echo "$(wc -l <"$unit.list") headers stand alone (${compilers[*]})"
