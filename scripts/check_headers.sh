#!/usr/bin/env bash
# Every public host header compiles on its own: by g++, and by clang++ where that is. Those that a source includes first are left to
# check_tidy.sh, whose clang reads each source alone.
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT"
headers() {
  git ls-files 'model/*.hpp' 'report/*.hpp' 'gpu/*.hpp' 'gemm/*.hpp' 'micro/microbenchmark.hpp' 'cli/*.hpp' | grep -v '^gpu/cuda/' | sort
}
first_includes() {
  git ls-files 'model/*.cpp' 'report/*.cpp' 'gpu/*.cpp' 'gemm/*.cpp' 'cli/*.cpp' | grep -v '/cuda/' |
    xargs -n 1 grep -m1 -h '^#include' | sed -n 's/^#include "\(.*\)"$/\1/p' | sort -u
}
# alone COMPILER: reads names of headers. One translation unit each, many at once: `xargs` keeps two compilers busy.
alone() {
  xargs -P "$(nproc)" -I{} sh -c \
    "echo '#include \"{}\"' | $1 -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Werror -I. -x c++ - || { echo '{} does not stand alone ($1)' >&2; exit 255; }"
}
headers | alone g++
if command -v clang++ >/dev/null; then comm -23 <(headers) <(first_includes) | alone clang++; fi
echo "$(headers | wc -l) headers stand alone"
