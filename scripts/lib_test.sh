#!/usr/bin/env bash
# Tests `step` of lib.sh: what it prints, where the output goes, and that a failure ends the script with its code. And that no
# script which sources lib.sh has a function of the same name, which would be lib.sh's from there on. And that the packages which lib.sh
# lists are those of docs/install.md and of the Containerfile, and exist where apt can tell.
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$ROOT/scripts/lib.sh"

LOG=$(mktemp)
trap 'rm -f "$LOG"' EXIT
fail() { say "not as expected: $1"; exit 1; }
loud() { echo "to stdout"; echo "to stderr" >&2; return "$1"; }

printed=$(step "1/2 good" loud 0 2>&1)
[[ $printed =~ ^"1/2 good ... ok "[0-9]+" s"$ ]] || fail "$printed"
[ "$(cat "$LOG")" = $'to stdout\nto stderr' ] || fail "the log: $(cat "$LOG")"

code=0
printed=$( (step "2/2 bad" loud 7; echo "went on") 2>&1) || code=$?
[ "$code" -eq 7 ] || fail "exit code $code"
[[ $printed == "2/2 bad ... failed after "*"to stderr"* ]] || fail "$printed"
[[ $printed != *"went on"* ]] || fail "it went on after a failure"

printed=$( (step "3 dying" die "no such thing") 2>&1) && fail "die did not end the script"
[[ $printed == *"error: no such thing"* ]] || fail "$printed"

functions_of() { sed -n 's/^\([a-z_]*\)() .*/\1/p' "$1" | sort; }
users=0
for script in "$ROOT"/scripts/*.sh "$ROOT/.ci/run"; do
  grep -q '^\. .*lib\.sh' "$script" && [ "$script" != "${BASH_SOURCE[0]}" ] || continue
  users=$((users + 1))
  shared=$(comm -12 <(functions_of "$ROOT/scripts/lib.sh") <(functions_of "$script"))
  [ -z "$shared" ] || fail "$script and lib.sh both define $shared"
done
[ "$users" -ge 3 ] || fail "$users scripts source lib.sh"

packages=("${BUILD_PACKAGES[@]}" "${REPORT_PACKAGES[@]}" "${PACKING_PACKAGES[@]}" "${TEST_PACKAGES[@]}")
documented=$(sed -n '/^apt-get install/,/[^\\]$/ { s/apt-get install//; s/#.*//; s/\\$//; p }' "$ROOT/docs/install.md" | tr -s ' ' '\n')
difference=$(diff <(printf '%s\n' "${packages[@]}" | sort) <(sort <<<"$documented" | sed '/^$/d')) ||
  fail "docs/install.md names other packages than lib.sh: $difference"

container=$ROOT/Containerfile
used=$(grep -o '[A-Z]*_PACKAGES' "$container" | sort -u)
[ "$used" = $'BUILD_PACKAGES\nPACKING_PACKAGES\nREPORT_PACKAGES' ] || fail "the Containerfile installs $used"
named=$(sed -n 's/.*apt-get install -y --no-install-recommends \([^&]*\).*/\1/p' "$container")
[ "${named% }" = '/tmp/rooftile/rooftile_*.deb' ] || fail "the Containerfile names a package itself: $named"
grep -qF '"name": "package"' "$ROOT/CMakePresets.json" || fail "the Containerfile's preset does not exist"

if command -v apt-cache >/dev/null && [ -n "$(apt-cache policy cmake)" ]; then
  known=$(apt-cache policy "${packages[@]}" | awk '/^[^ ]/ { name = $1; sub(/:$/, "", name) } /Candidate: [^(]/ { print name }')
  unknown=$(comm -23 <(printf '%s\n' "${packages[@]}" | sort) <(sort <<<"$known"))
  [ -z "$unknown" ] || fail "apt knows no package $unknown"
fi
echo "step says what it does, its name is its own, and ${#packages[@]} packages are the same everywhere"
