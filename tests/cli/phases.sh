#!/bin/bash
# Prefill and decode apart: the program and an independent reading of the same events agree, and
# nothing is said of traces that do not tell.
#
#   tests/cli/phases.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
build=$(realpath "$1")
here=$(realpath "$(dirname "$0")/..")
shared=$(realpath "$here/../../shared" 2>/dev/null)/traces
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

agrees() { # TRACE
    "$build/tracefolio" analyze "$1" -p MI300X --formats json -o "$work/out" --force -q >"$work/log" 2>&1 &&
        python3 "$here/analysis/check_phases.py" "$1" "$work/out/report.json"
}

says_nothing() { # TRACE
    "$build/tracefolio" analyze "$1" -p MI300X --formats json -o "$work/out" --force -q >"$work/log" 2>&1 &&
        python3 -c 'import json, sys; sys.exit(json.load(open(sys.argv[1]))["phases"]["list"] != [])' "$work/out/report.json"
}

"$build/tracefolio-sample" --kind serving --layers 6 --seq 64 -o "$work/serving.json.gz"
"$build/tracefolio-sample" --kind serving --layers 2 --no-python --device H100 -o "$work/h100.json.gz"
"$build/tracefolio-sample" --kind llm-decode --layers 2 -o "$work/decode.json.gz"
check "a server" agrees "$work/serving.json.gz"
check "a server on H100" agrees "$work/h100.json.gz"
unannotated() { # operators tell what the annotations did
    zcat "$work/serving.json.gz" | sed 's/step\[[A-Z]* bs=[^"]*/forward/' >"$work/plain.json"
    "$build/tracefolio" analyze "$work/serving.json.gz" -p MI300X --formats json -o "$work/out" --force -q &&
        "$build/tracefolio" analyze "$work/plain.json" -p MI300X --formats json -o "$work/plain" --force -q &&
        python3 -c 'import json, sys
a, b = (json.load(open(f))["phases"] for f in sys.argv[1:])
assert (a["source"], b["source"]) == ("annotations of the serving engine", "the shapes of embeddings and attention")
assert len(a["list"]) == 3 and a["headline"] == b["headline"]' "$work/out/report.json" "$work/plain/report.json"
}
check "a server without annotations" unannotated
check "the golden case" agrees "$here/golden/serving_phases/trace.json"
check "shapes that could be another model are not said to be decode" says_nothing "$work/decode.json.gz"
gate() { # STATUS LIMIT
    "$build/tracefolio" analyze "$here/golden/serving_phases/trace.json" -p MI300X -o "$work/out" --force -q \
        --fail-on "phases.decode.step_to_step_ns$2" --metrics "$work/metrics"
    [ $? = "$1" ] && grep -qx 'tracefolio_phase_step_seconds{phase="prefill"} 0.0006' "$work/metrics"
}
check "a build may fail on the time from decode to decode" gate 10 '>99us'
check "and pass" gate 0 '>101us'
for name in sglang-qwen3moe-mi300 sglang-qwen3moe-b300 vllm-piecewise-amd; do
    if [ -e "$shared/$name.json.gz" ]; then
        check "$name" agrees "$shared/$name.json.gz"
    else
        count=$((count + 1))
        echo "ok - $name # SKIP the shared traces are absent"
    fi
done
echo "1..$count"
exit "$failed"
