#!/bin/bash
# `tracefolio whatif`: how long the run would take with changes to it.
#
#   tests/cli/whatif.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
build=$(realpath "$1")
tf=$build/tracefolio
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
"$build/tracefolio-sample" --kind llm-prefill --layers 2 --steps 2 --defect item-sync -o t.json.gz || exit 1

whatif() { status 0 "$tf" whatif t.json.gz "$@" -p MI300X -q; }
asked() { # CONDITION CHANGE...: of the answer as JSON, r
    local condition=$1
    shift
    whatif "$@" --print=json && python3 -c "
import json, sys
r = json.load(open('out'))
assert abs(r['now_ms'] - r['then_ms'] - r['saved_ms']) < 1e-6, r
assert abs(r['saved_pct'] - 100 * r['saved_ms'] / r['now_ms']) < 0.01, r
assert abs(sum(p['ms'] for p in r['critical_path']) - r['then_ms']) < 0.1, r
assert $condition, r"
}

check 'kernels that stay as they are save nothing' asked 'r["saved_ms"] == 0 and r["changes"][0]["events"] == 68' 'kernel:*=1'
check 'faster kernels save no more than their time, and free ones more' asked \
    '0 < r["saved_ms"] < r["now_ms"] and not any(p["kind"] == "kernel" and p["ms"] > 0.01 for p in r["critical_path"])' 'kernel:*=0'
check 'a host that takes no time leaves the kernels on the path' asked 'r["saved_ms"] > 0 and r["critical_path"][0]["kind"] == "kernel"' 'host:*=0'
check 'several changes count together' eval \
    'asked True "kernel:*=0.5" && a=$(grep -o "\"saved_ms\": *[0-9.]*" out) && asked True "kernel:*=0.5" "host:*=0.5" &&
        b=$(grep -o "\"saved_ms\": *[0-9.]*" out) && [ "${a##* }" != "${b##* }" ] && [ "$(grep -c "\"change\"" out)" = 2 ]'
check 'a finding saves what the report says of it' eval \
    'status 0 "$tf" analyze t.json.gz -p MI300X -o r -q --formats json && whatif finding:S1 --print=json && python3 -c "
import json
f = [f for f in json.load(open(\"r/report.json\"))[\"findings\"] if f[\"rank\"] == \"S1\"][0]
w = json.load(open(\"out\"))
i = f[\"impact\"]
assert i[\"low_ms\"] - 0.01 <= w[\"saved_ms\"] <= i[\"high_ms\"] + 0.01 and w[\"saved_ms\"] > 0, (i, w[\"saved_ms\"])"'
check 'every finding goes by the number that the report gives it' eval \
    'for id in $(python3 -c "import json; print(*[f[\"rank\"] for f in json.load(open(\"r/report.json\"))[\"findings\"]])"); do
        whatif "finding:$id" || return 1
    done; [ -n "$id" ]'
check 'the text says now, then, saved, and the path' eval \
    'whatif "kernel:*=0.5" && grep -q "^now  .* ms$" out && grep -q "^saved .* ms  (.*%)$" out && grep -q "^On the critical path then$" out'
check 'a name that no event has is status 3' eval \
    'status 3 "$tf" whatif t.json.gz kernel:nosuch=0 && grep -q "kernel:nosuch=0. is about no event" err && [ ! -s out ]'
check 'a finding that is not there is status 3' status 3 "$tf" whatif t.json.gz finding:S99
check 'a change without a factor is status 2' eval \
    'status 2 "$tf" whatif t.json.gz kernel:x && grep -q "expected kernel:" err'
check 'no change is status 2' status 2 "$tf" whatif t.json.gz
check '--print takes text or json' status 2 "$tf" whatif t.json.gz 'kernel:*=0' --print xml
"$build/tracefolio-sample" --kind llm-prefill --layers 1 --steps 1 --hostile -o h.json.gz >/dev/null || exit 1
check 'hostile names reach a terminal as plain lines' eval \
    'status 0 "$tf" whatif h.json.gz "kernel:*=0.5" -q && ! grep -q "$(printf "\\033")" out'

echo "1..$count"
exit $failed
