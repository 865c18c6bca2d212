#!/bin/bash
# What must not change a job of many ranks, and what is told apart all the same.
#
#   tests/cli/job_properties.sh BUILD      TAP on standard output
set -u
build=$(realpath "$1")
python3 "$(realpath "$(dirname "$0")")/job_properties.py" "$build/tracefolio" "$build/tracefolio-sample"
