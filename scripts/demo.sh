#!/usr/bin/env bash
# The main job in one command: characterize, predict, measure, validate, report.
# With an NVIDIA GPU on this GPU; without one on the recorded data of an H200. Safe to repeat: finished stages are kept.
#
#   ./scripts/demo.sh [options of `rooftile run`]
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT"
. scripts/lib.sh

prepare() {
  install_packages "${BUILD_PACKAGES[@]}" "${REPORT_PACKAGES[@]}"
  ! have_gpu || find_nvcc >/dev/null || install_cuda_wheels
}

mkdir -p build
LOG=build/demo.log
: >"$LOG"
step "1/4 packages" prepare
preset=host
options=()
if have_gpu; then
  preset=demo
  CUDACXX=$(find_nvcc) || die "the CUDA wheels hold no nvcc; install a CUDA Toolkit 12.8 or newer and put nvcc on PATH"
  export CUDACXX
  capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -1 | tr -d '.')
  [ "$capability" = 90 ] && capability=90a
  options+=("-DCMAKE_CUDA_ARCHITECTURES=$capability-real")
fi
step "2/4 configure ($preset)" cmake --preset "$preset" "${options[@]}"
step "3/4 build (some minutes the first time)" cmake --build --preset "$preset" --target rooftile

rooftile=build/$preset/cli/rooftile
say "4/4 $rooftile run $*"
code=0
"$rooftile" run "$@" || code=$?
say ""
say "The program is $rooftile, for example:"
say "  $rooftile tune --shape 3000x5000x7000"
say "To type rooftile alone in this shell: export PATH=\"$ROOT/${rooftile%/rooftile}:\$PATH\""
exit "$code"
