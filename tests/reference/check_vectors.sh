#!/bin/sh
# The perf models against the reference's own figures: parameters, FLOP and bytes.
#
#   tests/reference/check_vectors.sh CHECKER SHARED
set -eu
vectors=$2/spec/perf-model-vectors.jsonl
if [ ! -e "$vectors" ]; then
    echo "check-vectors: skipped, $vectors is not there"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
exec "$1" "$vectors"
