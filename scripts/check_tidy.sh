#!/usr/bin/env bash
# clang-tidy on host C++ (model, report, gpu, gemm, cli), whose build folders it makes below build/.
#
# Most of what a check costs is spent on what a source includes, so all checks read the units of a unity build, where sixteen
# sources share that. Some things are not seen there, because only a unit's own file is asked: unused using-declarations, unused
# aliases, nested conditions of the preprocessor, macros of reserved names, sources that include sources; a second pass reads each
# source for these. It also finds a source that does not compile alone, and so a header that a source includes first
# (check_headers.sh has the others).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tool=$(command -v clang-tidy-14 || command -v clang-tidy) || { echo "clang-tidy is missing: install it" >&2; exit 1; }
sources=build/tidy units=build/tidy-units

cmake --preset dev -DROOFTILE_CUDA=OFF -DROOFTILE_BUILD_TESTS=OFF -B $sources >/dev/null
cmake --preset test -DROOFTILE_CUDA=OFF -DROOFTILE_BUILD_TESTS=OFF -B $units >/dev/null
cmake --build $sources --target rooftile_metric_catalog  # a source reads it
cmake --build $units --target rooftile_metric_catalog
# Generated sources that a build would make are no matter here: units find them empty.
find $units -path '*/Unity/*.cxx' -exec grep -hoP "\"\K$PWD/$units/[^\"]+" {} + |
  while read -r file; do [ -e "$file" ] || { mkdir -p "${file%/*}" && touch "$file"; }; done

# compiled FOLDER: the files that its compile commands name.
compiled() { sed -n 's|^ *"file": "\(.*\)",\?$|\1|p' "$1/compile_commands.json"; }
compiled $units | xargs -P "$(nproc)" -n 1 "$tool" -p $units --quiet --checks=-bugprone-suspicious-include 2>/dev/null
compiled $sources | grep -v "^$PWD/build/" |
  xargs -P "$(nproc)" -n 3 "$tool" -p $sources --quiet --extra-arg=-Wreserved-macro-identifier \
    --checks='-*,bugprone-suspicious-include,misc-unused-using-decls,misc-unused-alias-decls,readability-redundant-preprocessor,clang-diagnostic-reserved-macro-identifier' 2>/dev/null
echo "clang-tidy is clean"
