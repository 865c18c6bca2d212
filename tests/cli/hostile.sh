#!/bin/bash
# Traces of nothing but distinct rows: what they may write and take, and where the rest is counted.
#
#   tests/cli/hostile.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
build=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

tf=$build/tracefolio
make_trace() { python3 "$here/../hostile/many_rows.py" "$@"; }
# The folder without its tables, which are whole; and any page.
small() { # MB
    local bytes
    bytes=$(find site -type f ! -name '*.csv' ! -name '*.xlsx' -printf '%s\n' | awk '{ n += $1 } END { print n }')
    [ "$bytes" -le $(($1 * 1000000)) ] || { echo "$bytes bytes"; return 1; }
    [ -z "$(find site -name '*.html' -size +500000c)" ] || { ls -l site/*.html; return 1; }
}
rows() { # TABLE N
    [ "$(($(wc -l <"site/perf_report_csvs/$1.csv") - 1))" = "$2" ] || { wc -l "site/perf_report_csvs/$1.csv"; return 1; }
}
json() { python3 -c 'import json, sys
for path in sys.argv[2:]: globals()[path.split("/")[-1].split(".")[0]] = json.load(open(path))
assert eval("(" + sys.argv[1] + ")"), sys.argv[1]' "$@"; }
peak() { # MB COMMAND...: its most memory
    python3 -c 'import resource, subprocess, sys
code = subprocess.call(sys.argv[2:])
mb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000
sys.exit(code or (mb > float(sys.argv[1]) and "%.0f MB" % mb))' "$@"
}
limit() { # WHAT MB COMMAND...
    if nm "$tf" 2>/dev/null | grep -q __asan_init; then
        check "$1 (not measured: the sanitizer needs more)" "${@:3}"
    else
        check "$1" peak "${@:2}"
    fi
}
analyze() { status 0 timeout 120 "$tf" analyze "$1" -p MI300X -q -f -o site; }

make_trace shapes 5000 shapes.json
check '5,000 shapes: 8 MB beside whole tables, no page above 500 kB' \
    eval 'analyze shapes.json && small 8 && rows unified_perf_summary 5000'
limit '5,000 shapes: 7 kB each beside the 25 MB of any run' 62 \
    timeout 60 "$tf" analyze shapes.json -p MI300X -q -f -o site
check 'the rest of a list is counted' \
    json 'report["operations_total"] == 5000 > len(report["operations"]) and gemm_metrics["rows_total"] == 5000 > len(gemm_metrics["operations"]) and
          all(f["operations_total"] >= len(f["operations"]) for f in report["findings"])' \
    site/report.json site/category_data/gemm_metrics.json
check 'and said on the last page of the table' \
    grep -q '2897 more rows, .*% of kernel time, only in the CSV file' site/operations-7.html
check 'of thousands of shapes, the shortest are one row' \
    grep -q '904 more shapes' site/operations.html
make_trace shapes 20000 more.json
limit '20,000 shapes: as a trace of this size may take' 70 timeout 60 "$tf" analyze more.json -p MI300X -q -f -o site
make_trace operators 5000 operators.json
check '5,000 operators with long names' \
    eval 'analyze operators.json && small 10 && rows unified_perf_summary 5000'
make_trace kernels 20000 kernels.json
check '20,000 kernels' eval 'analyze kernels.json && small 8 && rows kernel_summary 20000'

# Calls in calls, each with a launch: the tables of models list what is below every level.
make_trace nested 20000 nested.json
limit '20,000 nested calls' 200 timeout 60 "$tf" analyze nested.json -p MI300X -q -f -o site
check 'what is too deep for a table is counted' grep -q 'operators are nested too deep for rows' site/checks.html

# Time of the processor, which other work on the machine does not change: the square of N takes minutes.
in_time() { # SECONDS COMMAND...
    (ulimit -t "$1" && exec "${@:2}")
}
make_trace nested 60000 nested.json
check '60,000 nested calls: their time, not its square' in_time 20 "$tf" analyze nested.json -p MI300X -q -f -o site
make_trace climb 60000 climb.json
check '60,000 short gaps between launches of nested calls: their time, not its square' \
    in_time 20 "$tf" analyze climb.json -p MI300X -q -f -o site
make_trace lender 150000 lender.json && make_trace replay 150000 replay.json
check 'a graph lent 75,000 calls in calls: their time, not its square' \
    in_time 20 "$tf" analyze replay.json --capture-trace lender.json -p MI300X -q -f -o site

# Small traces with one thing wrong each: what is written parses, what is refused is one line.
hostile() {
    local trace got
    for trace in "$here"/../hostile/corpus/*.json; do
        rm -rf site
        timeout 60 "$tf" analyze "$trace" -p MI300X -q -f -o site >/dev/null 2>err
        got=$?
        case $got in
        0) find site -name "*.json" -print0 | xargs -0 python3 -c "import json, sys
for path in sys.argv[1:]: json.load(open(path), parse_constant=lambda c: 1 / 0)" && "$tf" verify site >/dev/null ;;
        3) [ "$(wc -l <err)" = 1 ] && [ ! -e site ] ;;
        *) false ;;
        esac || { echo "${trace##*/}: status $got"; cat err; return 1; }
    done
}
# Braces in the names of a kernel, a frame and its file: none is a placeholder of a pattern.
braces() {
    python3 - >braces.json <<'PY'
import json
frame, call = 'a{b}.py(1): run{x}', 'cudaStreamSynchronize'
events = [{'ph': 'X', 'cat': 'python_function', 'name': frame, 'pid': 9, 'tid': 1, 'ts': 0, 'dur': 9000, 'args': {}}]
for k in range(8):
    at = 1000 * k
    events += [{'ph': 'X', 'cat': 'cuda_runtime', 'name': 'cudaLaunchKernel', 'pid': 9, 'tid': 1, 'ts': at, 'dur': 5, 'args': {'correlation': k}},
               {'ph': 'X', 'cat': 'cuda_runtime', 'name': call, 'pid': 9, 'tid': 1, 'ts': at + 10, 'dur': 450, 'args': {}},
               {'ph': 'X', 'cat': 'kernel', 'name': 'f{lambda()#1}', 'pid': 0, 'tid': 7, 'ts': at + 20, 'dur': 430,
                'args': {'correlation': k, 'stream': 7, 'grid': [1, 1, 1], 'block': [64, 1, 1]}}]
print(json.dumps({'deviceProperties': [{'name': 'NVIDIA A100-SXM4-80GB', 'numSms': 108}], 'traceEvents': events}))
PY
    status 0 "$tf" analyze braces.json -o braces --force && ! grep -q "left out" err && grep -q "f{lambda()#1}" braces/standalone_analysis_rough.md
}
check "braces in names are no placeholders" braces
check "small traces with one thing wrong each" hostile
echo "1..$count"
exit $failed
