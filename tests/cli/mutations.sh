#!/bin/bash
# Traces and the files beside them, damaged at random: captures, packs, notes, waivers, themes, platforms,
# extensions, manifests, tables, lists. tests/hostile/mutations.py says how; `make fuzz` goes on for FUZZ_SECONDS.
#
#   tests/cli/mutations.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
build=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

check 'damaged files: a report, or one line' python3 "$here/../hostile/mutations.py" "$build" --each 2
echo "1..$count"
exit $failed
