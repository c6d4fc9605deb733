#!/usr/bin/env bash
# Tests `step` of lib.sh: what it prints, where the output goes, and that a failure ends the script with its code. And that no
# script which sources lib.sh has a function of the same name, which would be lib.sh's from there on.
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
echo "step says what it does, and its name is its own"
