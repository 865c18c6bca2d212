#!/bin/sh
# Planted defects with and without: is each named first, for what it truly costs, and is no advice
# given that the trace contradicts?
exec python3 "$(dirname "$0")/../analysis/check_defects.py" "$1" --proof
