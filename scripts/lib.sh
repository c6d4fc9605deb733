# Shared by the scripts of this folder: installing what is missing, finding a GPU and a CUDA compiler.
# Sourced, not run. Works on Debian 12 and Ubuntu 24.04, as root or with sudo.

say() { printf '%s\n' "$*" >&2; }
die() { say "error: $*"; exit 1; }

# step LABEL COMMAND...: runs COMMAND with its output in $LOG, says how long it took, and shows by a dot every ten seconds
# that it works on. When it fails: the end of the log, then exit.
step() {
  local label=$1 start=$SECONDS code=0 ticker
  shift
  printf '%s ...' "$label" >&2
  (while sleep 10 >/dev/null 2>&1; do printf '.' >&2; done) &
  ticker=$!
  trap 'kill "$ticker" 2>/dev/null || true' EXIT
  ("$@") >>"$LOG" 2>&1 </dev/null || code=$?
  { kill "$ticker" && wait "$ticker"; } 2>/dev/null || true
  trap - EXIT
  if [ "$code" -ne 0 ]; then
    say " failed after $((SECONDS - start)) s. The end of $LOG:"
    tail -40 "$LOG" >&2
    exit "$code"
  fi
  say " ok $((SECONDS - start)) s"
}

# install_packages NAME...: those that are missing, by apt-get; nothing happens when all are there.
install_packages() {
  local missing=() name
  for name in "$@"; do
    dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q 'install ok installed' || missing+=("$name")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  local sudo=""
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || die "these packages are missing: ${missing[*]}. Install them as root, or install sudo"
    sudo="sudo"
  fi
  say "installing: ${missing[*]}"
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get update -qq ||
    die "apt-get update failed: check the network and the package sources"
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null ||
    die "apt-get could not install: ${missing[*]}"
}

have_gpu() { command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q '^GPU'; }

# new_enough NVCC: is it of CUDA 12.8 or newer?
new_enough() {
  local release
  release=$("$1" --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\).*/\1/p')
  [ -n "$release" ] && [ "$(printf '12.8\n%s\n' "$release" | sort -V | head -1)" = 12.8 ]
}

# Prints the path of a new enough nvcc: $CUDACXX, PATH, the usual place, or the wheels put into the build folder earlier.
find_nvcc() {
  local candidate
  for candidate in "${CUDACXX:-}" "$(command -v nvcc || true)" /usr/local/cuda/bin/nvcc "$ROOT/build/cuda/nvidia/cu13/bin/nvcc"; do
    if [ -n "$candidate" ] && [ -x "$candidate" ] && new_enough "$candidate"; then
      printf '%s\n' "$candidate"
      return 0
    fi
  done
  return 1
}

# NVIDIA's own wheels, pinned, into build/cuda: compiler, headers, runtime, cuBLAS, NVRTC, CUPTI and disassemblers.
CUDA_WHEELS=(nvidia-cuda-nvcc==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-cuda-runtime==13.0.96
  nvidia-cuda-cccl==13.0.85 nvidia-cublas==13.1.0.3 nvidia-cuda-nvrtc==13.0.88 nvidia-cuda-cupti==13.0.85)
DISASSEMBLER_WHEELS=(nvidia-cuda-cuobjdump==13.2.51 nvidia-cuda-nvdisasm==13.2.51)

# install_wheels FOLDER SPEC...: into FOLDER/nvidia/cu13, once.
install_wheels() {
  local folder=$1 stamp
  shift
  stamp="$folder/.installed-$(printf '%s\n' "$@" | sha256sum | cut -c1-16)"
  [ ! -e "$stamp" ] || return 0
  install_packages python3 python3-venv
  say "installing into ${folder#"$ROOT"/}: $*"
  [ -x "$folder/venv/bin/pip" ] || python3 -m venv "$folder/venv" || die "python3 -m venv failed"
  "$folder/venv/bin/pip" install -q --no-deps --no-compile --target "$folder" --upgrade "$@" ||
    die "pip could not install $*: install a CUDA Toolkit 12.8 or newer and put nvcc on PATH instead"
  touch "$stamp"
}

# The wheels carry versioned libraries only and call the folder lib; compilers look for lib64 and plain names.
install_cuda_wheels() {
  install_wheels "$ROOT/build/cuda" "${CUDA_WHEELS[@]}"
  local home="$ROOT/build/cuda/nvidia/cu13" library
  [ -e "$home/lib64" ] || ln -s lib "$home/lib64"
  for library in "$home"/lib/*.so.*; do
    local plain="${library%%.so.*}.so"
    [ -e "$plain" ] || ln -s "$(basename "$library")" "$plain"
  done
}

# cuobjdump and nvdisasm are no part of every toolkit package; they are small. Without them the SASS tests are skipped.
install_disassembler() {
  command -v cuobjdump >/dev/null && return 0
  if ! (install_wheels "$ROOT/build/disassembler" "${DISASSEMBLER_WHEELS[@]}"); then
    say "no disassembler: the tests that read SASS will be skipped"
    return 0
  fi
  export ROOFTILE_CUOBJDUMP="$ROOT/build/disassembler/nvidia/cu13/bin/cuobjdump"
}

BUILD_PACKAGES=(g++ cmake ninja-build git nlohmann-json3-dev libcli11-dev libtomlplusplus-dev libfmt-dev libeigen3-dev zlib1g-dev libkainjow-mustache-dev)
REPORT_PACKAGES=(gnuplot-nox)
PACKING_PACKAGES=(dpkg-dev file)
TEST_PACKAGES=(libgtest-dev libgmock-dev librapidcheck-dev libvalijson-dev libbenchmark-dev python3 libxml2-utils)
