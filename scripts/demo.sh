#!/usr/bin/env bash
# The main job in one command: characterize, predict, measure, validate, report.
# With an NVIDIA GPU on this GPU; without one on the recorded data of an H200. Safe to repeat: finished stages are kept.
#
#   ./scripts/demo.sh [options of `rooftile run`]
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT"
. scripts/lib.sh

install_packages "${BUILD_PACKAGES[@]}" gnuplot-nox
preset=host
options=()
if have_gpu; then
  preset=demo
  if ! nvcc=$(find_nvcc); then
    install_cuda_wheels
    nvcc=$(find_nvcc) || die "the CUDA wheels hold no nvcc; install a CUDA Toolkit 12.8 or newer and put nvcc on PATH"
  fi
  export CUDACXX="$nvcc"
  capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -1 | tr -d '.')
  [ "$capability" = 90 ] && capability=90a
  options+=("-DCMAKE_CUDA_ARCHITECTURES=$capability-real")
fi
cmake --preset "$preset" "${options[@]}" >build-demo.log 2>&1 || { cat build-demo.log >&2; die "configuring failed"; }
cmake --build --preset "$preset" --target rooftile >>build-demo.log 2>&1 || { tail -40 build-demo.log >&2; die "building failed"; }
rm -f build-demo.log
exec "build/$preset/cli/rooftile" run "$@"
