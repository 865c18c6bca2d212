#!/bin/bash
# Analyse every shared trace and every sample, and check the reports by the rubric.
#
#   tests/rubric/run_rubric.sh BUILD SHARED     one line a trace; status 1 if any fails
#
# Traces are skipped where SHARED is absent; a trace that is refused for what it is (no
# GPU work, no trace) needs no report.
set -u
export LC_ALL=C.UTF-8
build=$(realpath "$1")
shared=$2
cd "$(dirname "$0")/../.." || exit 1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

passed=0 failed=0 refused=0

check() { # NAME TRACE PLATFORM
    local out=$scratch/out status
    rm -rf "$out"
    timeout 300 "$build/tracefolio" analyze "$2" -p "$3" -o "$out" -q >"$scratch/log" 2>&1
    status=$?
    if [ $status = 3 ]; then
        refused=$((refused + 1))
        echo "$1: refused: $(head -c 200 "$scratch/log" | tr '\n' ' ')"
        return
    fi
    if [ $status != 0 ]; then
        failed=$((failed + 1))
        echo "$1: analyze ended with status $status"
        sed 's/^/    /' "$scratch/log" | head -n 5
        return
    fi
    if python3 tests/rubric/check_rubric.py "$out" >"$scratch/said" 2>&1; then
        passed=$((passed + 1))
        echo "$1: $(tail -n 1 "$scratch/said")"
    else
        failed=$((failed + 1))
        echo "$1:"
        sed 's/^/    /' "$scratch/said"
    fi
}

platform_of() { # NAME
    case $1 in
    *h100*) echo H100 ;;
    *a100*) echo A100 ;;
    *) echo MI300X ;;
    esac
}

sample() { # ARGUMENT...: of the generator
    local trace=$scratch/sample.json.gz
    if "$build/tracefolio-sample" "$@" -o "$trace" >"$scratch/log" 2>&1; then
        check "sample $*" "$trace" MI300X
    else
        failed=$((failed + 1))
        echo "sample $*: $(head -n 1 "$scratch/log")"
    fi
}

for kind in llm-prefill llm-decode cnn-training moe healthy serving; do
    sample --kind "$kind"
done
sample --hostile
sample --empty
sample --no-python
sample --no-shapes
# Each defect in the first kind that has it, by the generator's own list, and with what it needs.
"$build/tracefolio-sample" --help |
    awk '/^Defects:/ { on = 1 }
        on && / in: / { kind = $2; sub(/;$/, "", kind); print kind, name, /--device H100/ ? "--device H100" : "" }
        on { name = $1 }' >"$scratch/defects"
while read -r kind defect needs; do
    [ "$defect" != slow-small-kernels ] || needs='--defect host-bound'
    # shellcheck disable=SC2086  # words of ours
    sample --kind "$kind" --defect "$defect" $needs
done <"$scratch/defects"
if [ -d "$shared/traces" ]; then
    for trace in "$shared"/traces/*.json.gz "$shared"/evals/standalone/*/trace.json.gz; do
        [ -e "$trace" ] || continue
        name=${trace#"$shared"/}
        check "$name" "$trace" "$(platform_of "$name")"
    done
else
    echo "$shared/traces is absent: samples only"
fi
[ "$refused" = 0 ] || echo "$refused traces were refused for what they are"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
