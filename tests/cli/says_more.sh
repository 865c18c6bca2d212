#!/bin/bash
# What a trace says besides times: layers, bandwidth of collectives, compiled code, the
# critical path, counters. Each has one planted answer, made by says_more.py.
#
#   tests/cli/says_more.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
here=$(realpath "$(dirname "$0")")
build=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
PATH=$build:$PATH
more() { python3 "$here/says_more.py" "$@"; }

more make trace.json && tracefolio analyze trace.json -q -o report || exit 1
check 'layers: eight blocks, of which one takes 40 % longer' more check layers report
check 'collectives: 150 GB/s on the bus, a third of the link; four small ones' more check collectives report
check 'compiled code: a region compiled three times, 50 us between its graphs' more check compiled report
more_layers() { python3 "$here/says_more.py" flat flat.json && tracefolio analyze flat.json -q -o flat && more check by_period flat; }
check 'layers of a trace without modules: a period of kernels' more_layers
check 'the parts of the critical path add up to it' more check path report
drawn() { # slices in a process of their own, and arrows in pairs
    tracefolio cut trace.json --from 0 --to 20000 --critical-path -o cut.json.gz -q && zcat cut.json.gz >cut.json &&
        python3 -c 'import json, collections, sys
e = [x for x in json.load(open("cut.json"))["traceEvents"] if x.get("cat") == "critical_path"]
n = collections.Counter(x["ph"] for x in e)
slices = sorted((x["ts"], x["ts"] + x["dur"]) for x in e if x["ph"] == "X")
sys.exit(not (n["X"] > 10 and n["s"] == n["f"] > 5 and all(b[0] >= a[1] - 0.002 for a, b in zip(slices, slices[1:]))))'
}
check 'cut --critical-path draws it as slices and arrows' drawn
none() { tracefolio analyze "$here/../golden/ops_nested_operators/trace.json" -q -o plain && more check nothing plain && [ ! -e plain/layers.html ]; }
check 'a trace without them has none' none
echo "1..$count"
exit $failed
