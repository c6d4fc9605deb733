#!/usr/bin/env bash
# Every public host header compiles on its own, with both compilers when both are there. Those that a source includes first are
# compiled so with that source: check_tidy.sh reads each source alone.
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT"
compilers=(g++)
command -v clang++ >/dev/null && compilers+=(clang++)
list=$(mktemp)
trap 'rm -f "$list"' EXIT
first_includes() {
  git ls-files 'model/*.cpp' 'report/*.cpp' 'gpu/*.cpp' 'gemm/*.cpp' 'cli/*.cpp' | grep -v '/cuda/' |  # as clang-tidy reads them
    xargs -n 1 grep -m1 -h '^#include' | sed -n 's/^#include "\(.*\)"$/\1/p' | sort -u
}
git ls-files 'model/*.hpp' 'report/*.hpp' 'gpu/*.hpp' 'gemm/*.hpp' 'micro/microbenchmark.hpp' 'cli/*.hpp' | grep -v '^gpu/cuda/' | sort |
  comm -23 - <(first_includes) >"$list"
# One translation unit a header, many at once: `xargs` keeps two compilers busy.
for compiler in "${compilers[@]}"; do
  xargs -a "$list" -P "$(nproc)" -I{} sh -c \
    "echo '#include \"{}\"' | $compiler -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Werror -I. -x c++ - || { echo '{} does not stand alone ($compiler)' >&2; exit 255; }"
done
echo "$(wc -l <"$list") headers stand alone (${compilers[*]})"
