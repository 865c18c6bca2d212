#!/bin/bash
# Files beside the trace, damaged at random: captures, notes, waivers, themes, platforms, manifests,
# tables, lists. tests/hostile/mutations.py says how; `make fuzz` goes on for FUZZ_SECONDS.
#
#   tests/cli/mutations.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
build=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

check 'damaged files beside the trace: a report, or one line' python3 "$here/../hostile/mutations.py" "$build" --each 3
echo "1..$count"
exit $failed
