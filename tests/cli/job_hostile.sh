#!/bin/bash
# Captures that are damaged or made to harm: refused in a line, or a job like any other.
#
#   tests/cli/job_hostile.sh BUILD      TAP on standard output
set -u
build=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$build/tracefolio-sample" --no-python --job 4 --steps 3 -o "$work/traces" >/dev/null &&
    "$build/tracefolio" summarize "$work/traces" -o "$work/sum" -q &&
    python3 "$here/job_hostile.py" "$build/tracefolio" "$work/sum"
