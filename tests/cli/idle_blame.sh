#!/bin/sh
# Idle time of made-up traces: the program, an independent reading and the generator agree.
exec python3 "$(dirname "$0")/../analysis/check_idle.py" "$1/tracefolio" --samples
