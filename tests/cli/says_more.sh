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
both() { more slower slower.json && tracefolio compare report slower.json -q -o both >log && more check compared both; }
check 'collectives of both sides of a comparison: 150 and 120 GB/s' both
trends() { # 20 % less of the large one is a change; the small one has no chart
    tracefolio analyze slower.json -q -o later --run-label later --date 2026-02-01 && tracefolio publish later root -q &&
        tracefolio analyze trace.json -q -o first --run-label first --date 2026-01-01 && tracefolio publish first root -q && more check trends root
}
check 'trends of a collective size: from 150 to 120 GB/s' trends
gate() {
    tracefolio analyze slower.json -q -o gated --fail-on 'collectives.sizes.all-reduce-40000000-4.bus_gb_per_s<130' >no 2>&1
    [ $? = 10 ] && tracefolio analyze slower.json -q -o gated --force --fail-on 'collectives.sizes.all-reduce-40000000-4.bus_gb_per_s<110'
}
check 'a gate on the rate of one size' gate
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
tlparse() { # index.html and folders of frames, one of them compiled again, one of a name that is none
    mkdir -p 'logs/tl out/-_0_2_0' 'logs/tl out/-_0_2_1' 'logs/tl out/-_0_1_0' 'logs/tl out/-_00_2_7' 'logs/tl out/-_0_2_x' &&
        echo secret >'logs/tl out/index.html' && echo secret >'logs/tl out/-_0_2_9' &&
        tracefolio analyze trace.json -q -o linked --tlparse 'logs/tl out' --single-file one.html && more check linked linked &&
        ! grep -rq secret linked one.html && ! grep -q 'tl%20out' one.html && more check unlinked report
}
check 'compiled code: --tlparse links a region to the last attempt at it, and copies nothing' tlparse
no_tlparse() { # MESSAGE STATUS ARGUMENT...
    local message=$1 status=$2
    shift 2
    tracefolio analyze trace.json -q -o refused "$@" >no 2>&1
    [ $? = "$status" ] && grep -qF -- "$message" no && [ ! -e refused ]
}
no_tlparse_at_all() {
    mkdir -p empty ranks/rank_0 inside/-_0_0_0 && touch inside/index.html &&
        no_tlparse 'index.html and folders such as -_0_0_0' 3 --tlparse empty && no_tlparse 'name one of them, rank_0' 3 --tlparse ranks &&
        no_tlparse 'No such file' 3 --tlparse nowhere && no_tlparse 'expected a folder' 3 --tlparse trace.json &&
        no_tlparse 'name folders of this machine' 2 --tlparse inside --share partner &&
        { tracefolio analyze trace.json -q --tlparse inside -o inside --force >no 2>&1; [ $? = 4 ]; } && grep -qF 'which this run reads' no
}
check 'folders that tlparse did not write, and reports that may not name one' no_tlparse_at_all
# NAME OPTION...: whether the report of a case says what it must
case_of() { tracefolio analyze "cases/$1.json" "${@:2}" -q -o "case-$1" && python3 "$here/says_more_cases.py" check "$1" "case-$1"; }
mkdir cases && python3 "$here/says_more_cases.py" make cases
check 'fill: 60 % of kernel time with half a block for each SM, three waves, occupancy where it is known' case_of few_blocks
check 'fill: a block for each SM is no finding' case_of enough_blocks
check 'memory: 900 MiB at the peak, by owner' case_of memory_peak
check 'memory: what was freed before the peak holds none of it' case_of memory_freed_before
check 'MFU: 13.9 % of the dense bf16 peak' case_of mfu
check 'MFU: a lower bound where models cover 40 %' case_of mfu_lower_bound
check 'layers of GPU graphs: modules from --capture-trace' case_of graph_layers --capture-trace cases/captured.json
check 'layers of GPU graphs: none of them without it' case_of graph_alone
# NAME CASE: whether a comparison of `blocks` with the case says what it must
pair_of() { tracefolio compare "cases/${3-blocks}.json" "cases/$2.json" -q -o "pair-$1" >"pair-$1.log" && python3 "$here/says_more_cases.py" pair "$1" "pair-$1"; }
check 'compare: one layer of eight takes five times as long' pair_of one_layer one_layer
check 'compare: one operator of one layer, without steps' pair_of one_operator one_operator no_steps
check 'compare: all layers take 30 % longer alike' pair_of all_layers all_layers
check 'compare: layers of another name, by their number' pair_of renamed renamed
check 'compare: three breaks between compiled calls, and nothing else' pair_of breaks breaks
check 'compare: a graph of another key, the only one left' pair_of recoded recoded
check 'compare: 100 us idle in each layer' pair_of idle_inside idle_inside
recompiled() { more missing once.json && tracefolio compare trace.json once.json -q -o pair-recompiled >log && python3 "$here/says_more_cases.py" pair recompiled pair-recompiled; }
check 'compare: a frame compiled three times, and then once' recompiled
check 'compare: two runs alike, nothing said of layers or breaks' pair_of same blocks
kept() { # from capture files as from traces; without the columns of layers as before there were any
    tracefolio analyze cases/blocks.json -q -o kept && tracefolio analyze cases/one_layer.json -q -o kept_one &&
        tracefolio compare kept kept_one -q -o pair-kept >log && python3 "$here/says_more_cases.py" pair one_layer pair-kept &&
        python3 -c 'import gzip, json
c = json.load(gzip.open("kept/capture.json.gz"))
assert c.pop("layers")["calls"] == [6] * 8
del c["measured"]
with gzip.open("old.capture.json.gz", "wt") as to:
    to.write(json.dumps(c, separators=(",", ":")) + "\n")' &&
        tracefolio compare old.capture.json.gz kept_one/capture.json.gz -q -o pair-old >log && python3 "$here/says_more_cases.py" pair unknown pair-old
}
many_layers() { # 200,000 layers of as many kinds, with times of any size
    python3 -c 'import gzip, json
c = json.load(gzip.open("kept/capture.json.gz"))
first, n = len(c["strings"]), 200000
c["strings"] += ["L%d" % k for k in range(n)]
names = list(range(first, first + n))
c["layers"] = {"backward_ns": [9 * 10 ** 17] * n, "calls": [k % 3 for k in range(n)], "class": names, "forward_ns": [9 * 10 ** 17] * n, "name": names}
with gzip.open("many.capture.json.gz", "wt") as to:
    to.write(json.dumps(c, separators=(",", ":")) + "\n")' &&
        timeout 20 tracefolio compare many.capture.json.gz many.capture.json.gz -q -o pair-many >log 2>&1 &&
        [ "$(wc -l <pair-many/compare_csvs/compare_layers.csv)" = 1025 ]
}
check 'compare: layers are kept in captures, and captures without them are read' kept
check 'compare: of more layers than any model has, some hundreds' many_layers
check 'critical path: a kernel, the wait for it, the host, the next kernel' case_of path_waits
check 'critical path: a kernel beside a longer one is not on it' case_of path_beside
check 'critical path: a stream that waits for an event of another' case_of path_event
check 'critical path: a host that waits for an event' case_of path_event_host
check 'fill: waves by compute units, precision and matrix units by name' case_of fill_amd
check 'memory: 36 GiB by kind: before, activations, a workspace' case_of memory_kinds
check 'memory: nearly full, and what activations and workspaces hold' case_of memory_full
check 'memory: a quarter of what is reserved is not allocated' case_of memory_fragmented
check 'memory: records of 2021, without totals and addresses' case_of memory_old
check 'memory: room for a larger batch where SMs are empty' case_of memory_room
check 'MFU: without recomputation, HFU with it' case_of hfu
check 'collectives: kernels beside them take 30 % longer' case_of comm_slows
check 'counters: 5 J a step of 500 W' case_of energy
missed() { more missing missing.json && tracefolio analyze missing.json -q -o missing && more check just_missed missing; }
check 'layers, collectives, compiled code, counters that just miss it' missed
none() { tracefolio analyze "$here/../golden/ops_nested_operators/trace.json" -q -o plain && more check nothing plain && [ ! -e plain/layers.html ] &&
    tracefolio compare plain plain -q -o plains && more check compared_none plains; }
check 'a trace without them has none' none
echo "1..$count"
exit $failed
