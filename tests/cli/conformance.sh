#!/bin/bash
# Conformance of all sources: the events of src/ops/array_source_test.c, and of traces of the golden cases, written in each
# format by a maker of samples/, give the tables of PyTorch's JSON that holds no more than that format does.
#
#   tests/cli/conformance.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
here=$(realpath "$(dirname "$0")")
build=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
PATH=$build:$PATH
export PYTHONDONTWRITEBYTECODE=1
samples=$here/../../samples

# The literal of the C test, so that both are of the same events.
python3 - "$here/../../src/ops/array_source_test.c" <<'PY' || exit 1
import json, re, sys
text = open(sys.argv[1], encoding='utf-8').read()
literal = re.search(r'json\[\] =(.*?);\n', text, re.S).group(1)
doc = json.loads(''.join(json.loads(s) for s in re.findall(r'"(?:[^"\\]|\\.)*"', literal)))
assert len(doc['traceEvents']) == 5
json.dump(doc, open('array.json', 'w', encoding='utf-8'))
PY
for k in ops_collective ops_copies ops_graph_launch ops_two_streams; do cp "$here/../golden/$k/trace.json" $k.json; done

make() { # FORMAT TRACE: `this`, in the format, and `that.json`, which holds no more
    rm -f this that.json x.*
    case $1 in
    nsys | rpd | rocpd | rocpd-tracks) python3 "$samples/sqlite_trace.py" "$1" this that.json "$2" ;;
    pftrace) python3 "$samples/pytorch_pftrace.py" "$2" this that.json ;;
    merged-*) python3 "$samples/merged_json.py" "${1#*-}" this "$2" "$2" && cp "$2" that.json ;;
    rpd2tracing*) python3 "$samples/rpd_json_trace.py" "$2" x && mv "x.rpd2${1#rpd2tracing}.json" this && mv x.us.json that.json ;;
    rocprof.json) python3 "$samples/rocprof_trace.py" "$2" x && mv x.rocprof.json this && mv x.kineto.json that.json ;;
    rocprof.pftrace) python3 "$samples/rocprof_trace.py" "$2" x && mv x.rocprof.pftrace this && mv x.threads.json that.json ;;
    xplane) python3 "$samples/xplane_trace.py" "$2" x && mv x.xplane.pb this && mv x.jax.json that.json ;;
    ascend) python3 "$samples/ascend_trace.py" "$2" x && mv x.ascend.json this && mv x.npu.json that.json ;;
    *) return 1 ;;
    esac
}
# Every cell but the place in the file, and what a format calls its processes and threads; a list of ranks is a text in some.
tables_of() { # FOLDER
    python3 - "$1" <<'PY'
import csv, glob, os, sys
for path in sorted(glob.glob(sys.argv[1] + '/perf_report_csvs/*.csv')):
    for row in csv.DictReader(open(path, encoding='utf-8')):
        print(os.path.basename(path), {k: v.replace('(', '[').replace(')', ']') for k, v in row.items() if 'UID' not in k and not k.startswith(('process_', 'thread_'))})
PY
}
conforms() { # FORMAT TRACE
    make "$1" "$2" || return 1
    for k in this that.json; do
        rm -rf "out.$k" && tracefolio analyze $k -p none -q -f --formats csv -o "out.$k" 2>err && tables_of "out.$k" >"tables.$k" || { cat err; return 1; }
    done
    [ -s out.this/perf_report_csvs/kernel_summary.csv ] && { diff tables.this tables.that.json >differ || { head -c 600 differ; return 1; }; }
}
for format in nsys rpd rocpd rocpd-tracks rpd2tracing rpd2tracingo pftrace rocprof.json rocprof.pftrace xplane ascend merged-sglang merged-fused; do
    for trace in array ops_collective ops_copies ops_graph_launch ops_two_streams; do
        check "$format: the tables of $trace are those of its JSON" conforms $format $trace.json
    done
done
echo "1..$count"
exit $failed
