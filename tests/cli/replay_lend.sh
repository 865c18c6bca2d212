#!/bin/bash
# `--capture-trace`: what a GPU graph replays gets the operators that another trace recorded.
#
#   tests/cli/replay_lend.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
build=$(realpath "$1")
samples=$(realpath "$(dirname "$0")/../../samples")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
tf=$build/tracefolio

# The same run as one graph: its host calls are gone, one launch replays all device work.
cat >replay.py <<'END'
import gzip, json, sys
trace = json.load(gzip.open(sys.argv[1]))
device = [e for e in trace['traceEvents'] if e.get('cat') in ('kernel', 'gpu_memcpy', 'gpu_memset')]
calls = [e for e in trace['traceEvents'] if e.get('cat') == 'cuda_runtime']
first = min(calls, key=lambda e: e['ts'])
launch = {**first, 'name': 'hipGraphLaunch', 'dur': 400.0, 'args': {'correlation': 1}}
for e in device:
    e['args'] = {'correlation': 1, 'stream': e['args']['stream']}
trace['traceEvents'] = [launch, *device] + [e for e in trace['traceEvents'] if e.get('ph') == 'M']
json.dump(trace, open(sys.argv[2], 'w'))
END
"$build/tracefolio-sample" --layers 2 --steps 1 -o eager.json.gz || exit 1
python3 replay.py eager.json.gz graph.json || exit 1
analyze() { status 0 "$tf" analyze "$1" -p MI300X -f --formats csv,json -o "${@:2}"; }
same_tables() { # of operators: name, shapes, time and count
    python3 - "$1" "$2" <<'END'
import csv, sys
def rows(folder):
    return sorted((r['name'], r['Input Dims'], r['Kernel Time (µs)_sum'], r['operation_count'], r['GFLOPS'])
                  for r in csv.DictReader(open(folder + '/perf_report_csvs/unified_perf_summary.csv')))
a, b = rows(sys.argv[1]), rows(sys.argv[2])
sys.exit(not a or a != b)
END
}
check 'a replay has no operators' eval 'analyze eager.json.gz eager && analyze graph.json alone && ! same_tables eager alone'
check 'lent, they are those of the run without graphs' eval 'analyze graph.json lent --capture-trace eager.json.gz &&
    grep -q "1 of 1 launches of GPU graphs have the operators of eager.json.gz" err && same_tables eager lent'
check 'the checks say so' grep -q 'have the operations of the trace given with --capture-trace' lent/report.json
check 'the same bytes with one thread' eval 'analyze graph.json lent1 -j1 --capture-trace eager.json.gz && diff -r lent lent1'
check 'each operator is matched by itself' eval 'status 0 "$tf" compare eager.json.gz graph.json --capture-trace cand=eager.json.gz \
        -p MI300X --formats csv -o compared && [ "$(tail -n +2 compared/compare_csvs/compare_rows.csv | wc -l)" -gt 8 ] &&
    ! grep -qE ",(G|L4|L5|only in [a-z]*)," compared/compare_csvs/compare_rows.csv'
refused() { # TEXT ARGUMENT...
    status 2 "$tf" "${@:2}" -o x && grep -qF -- "$1" err && [ ! -e x ]
}
cp graph.json other_graph.json
cp eager.json.gz other_eager.json.gz
check 'nothing to lend' eval 'analyze graph.json none --capture-trace other_graph.json && grep -q "warning: other_graph.json lends no operators: " err'
check 'nothing to lend to' eval 'analyze eager.json.gz none --capture-trace other_eager.json.gz && grep -q "the trace replays no GPU graph" err'
check 'a side must be named' refused 'ref=FILE or cand=FILE' compare graph.json graph.json --capture-trace eager.json.gz
check 'and only of two' refused 'are for compare' analyze graph.json --capture-trace ref=eager.json.gz
check 'a capture cannot borrow' eval '"$tf" analyze graph.json -p none -q --formats csv -o g &&
    refused "lends operators to a trace" compare g graph.json --capture-trace ref=eager.json.gz'
check 'standard input is read once' eval 'refused "must be a file" analyze - --capture-trace eager.json.gz <graph.json'
check 'no such lender' eval 'status 3 "$tf" analyze graph.json --capture-trace nothing.json -o x && grep -q "reading the trace of the capture" err && [ ! -e x ]'

# An execution trace of the same run has the shapes that the profiler was not asked for.
"$build/tracefolio-sample" --layers 3 --device H100 -o run.json || exit 1
shaped() { # SCHEMA
    python3 "$samples/execution_trace.py" run.json run "$1" && "$tf" analyze run.full.json -p H100 -q -f --formats csv -o full &&
        "$tf" analyze run.bare.json -p H100 -f --formats csv -o shaped --capture-trace run.et.json 2>err >out &&
        grep -q 'of [0-9]* operators without shapes have those of run.et.json' err
}
gemms() { # the first columns of the table: names, shapes and types
    python3 -c 'import csv, sys; print([[r["name"], r.get("Input Dims"), r.get("Input type")] for r in csv.DictReader(open(sys.argv[1] + "/perf_report_csvs/unified_perf_summary.csv")) if "mm" in r["name"]])' "$1"
}
check 'a trace without shapes has the tables of one with' eval 'shaped 1.1.1-chakra.0.0.4 && diff -r full/perf_report_csvs shaped/perf_report_csvs && same_tables full shaped'
check 'an older schema has no strides' eval 'shaped 1.0.1 && [ "$(gemms full)" = "$(gemms shaped)" ] && gemms full | grep -q 4096'
check 'shapes that are there stay' eval '"$tf" analyze run.full.json -p none -f --formats csv -o stays --capture-trace run.et.json 2>err && grep -q "lends no shapes" err'
check 'other numbers lend nothing' eval '"$tf" analyze "$samples"/../tests/golden/ops_copies/trace.json -p none -f --formats csv -o none2 --capture-trace run.et.json 2>err && grep -q "lends no shapes" err'
check 'it is no trace itself' eval 'status 3 "$tf" analyze run.et.json -o x && grep -q "which holds shapes and no times" err && [ ! -e x ]'
head -c 5000 run.et.json >cut.et.json
check 'one that is cut off' eval 'status 3 "$tf" analyze run.bare.json -o x --capture-trace cut.et.json && grep -q "cut off.*reading the execution trace" err && [ ! -e x ]'
echo "1..$count"
exit $failed
