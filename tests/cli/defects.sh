#!/bin/sh
# Planted defects, alone and two at a time: is each found, first, and worth what it costs?
exec python3 "$(dirname "$0")/../analysis/check_defects.py" "$1" --pairs
