#!/bin/bash
# What a hostile trace demands: a limit, one line, and nothing absurd in what is written.
#
#   tests/cli/limits.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
build=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

tf=$build/tracefolio
run() { "$tf" analyze "$@" -p MI300X -q -f -o site; }
says() { # WANT TEXT ARGUMENTS...: one line on stderr that holds TEXT
    local want=$1 text=$2
    shift 2
    status "$want" run "$@" && grep -qF -- "$text" err && [ "$(wc -l <err)" = 1 ] || { cat err; return 1; }
}
repeat() { # BEFORE PATTERN MB AFTER
    printf '%s' "$1"
    head -c "$3"M /dev/zero | tr "\0" "$2"
    printf '%s' "$4"
}

# Times around 2^63 ns and 2^61, sizes of 2^63 - 1 bytes, beside three ordinary kernels.
python3 - <<'PY'
import json
edge = 9223372036854775  # us
times = [(0, 10), (20, 10), (40, 10), (edge, 10), (-edge, 10), (edge - 1, 1), (100, edge), (2305843009213693, 1),
         (-2305843009213693, 1), (60, 1152921504606846), (70, -edge), (1e300, 5), (200, 1e300),
         ('9223372036854775.807', '9223372036854775.807')]
events = []
def add(cat, name, ts, dur, pid, tid, **args):
    events.append({'ph': 'X', 'cat': cat, 'name': name, 'pid': pid, 'tid': tid, 'ts': ts, 'dur': dur, 'args': args})
for i, (ts, dur) in enumerate(times):
    add('cpu_op', 'aten::mm', ts, dur, 1, 1, **{'External id': i, 'Input Dims': [[2**62, 16], [16, 2**62]],
                                              'Input type': ['float', 'float']})
    add('cuda_runtime', 'hipLaunchKernel', ts, dur, 1, 1, correlation=i)
    add('kernel', 'gemm', ts, dur, 0, 7, correlation=i, stream=7)
    add('gpu_memcpy', 'Memcpy HtoD', ts, dur, 0, 8, correlation=100 + i, stream=2**63 - 1, bytes=2**63 - 1)
    for n in (2**63 - 1, -2**63, '-9223372036854775808', 1e300):
        add('kernel', 'ncclDevKernel_AllReduce_Sum_f32_RING_LL', ts, dur, 0, 9, correlation=200 + i, stream=9, dtype='Float',
            **{'Collective name': 'allreduce', 'In msg nelems': n, 'Out msg nelems': n, 'Group size': n,
               'Process Group Name': '0', 'Process Group Ranks': [n]})
    events.append({'ph': 'i', 'name': '[memory]', 'pid': 1, 'tid': 1, 'ts': ts,
                   'args': {'Bytes': 2**63 - 1, 'Device Id': 0, 'Total Allocated': -2**63, 'Total Reserved': 1}})
json.dump({'traceEvents': events}, open('edge.json', 'w'))
PY
nothing_absurd() { # the parts of the wall time, and what is left out
    grep -vE '^(type,.*|[a-z_]+,[0-9.e+]+,(100\.0|[0-9]{1,2}(\.[0-9]*)?(e-[0-9]+)?))$' site/perf_report_csvs/gpu_timeline.csv && return 1
    ! grep -rniE '(^|[^a-z])(nan|inf) ?%' site --include=*.md --include=*.html || return 1
    grep -qE '[0-9]+ events have no start.*too large to add up, and are left out' site/standalone_analysis.md
}
check 'times and sizes at the end of 64 bits: no absurd share, and what is left out is counted' \
    eval 'status 0 run edge.json && head -n 3 site/perf_report_csvs/gpu_timeline.csv && nothing_absurd'

# Reports of which nothing but tables is left, with numbers that cannot be added up.
python3 - <<'PY'
import os
top = 2**63 - 1
for side, ns, counts in (('ref', (8.9e18, 8.9e18, 8.8e18, 1, -9e18), (top, -top - 1, 1, top, 0)),
                         ('cand', (7, 8.9e18, 8.9e18, 8.9e18, 1e308), (-top - 1, top, top, 1, -1))):
    os.makedirs(side + '/perf_report_csvs')
    with open(side + '/perf_report_csvs/gpu_timeline.csv', 'w') as f:
        f.write('type,time ms,percent\n' + ''.join('%s_time,%r,%r\n' % (kind, n / 1e6, n) for kind, n in zip(
            ('computation', 'exposed_comm', 'exposed_memcpy', 'total'), ns)))
    for sheet, count, time, each in (('unified_perf_summary', 'operation_count', 'Kernel Time (µs)_sum', 1e3),
                                     ('ops_summary', 'Count', 'total_direct_kernel_time_ms', 1e6)):
        with open(side + '/perf_report_csvs/%s.csv' % sheet, 'w') as f:
            f.write('name,op category,%s,%s\n' % (count, time))
            for i, n in enumerate(ns):
                f.write('aten::mm%d,GEMM,%r,%r\n' % (i, counts[i], n / each))
PY
check 'tables with numbers that cannot be added up' \
    eval 'status 0 "$tf" compare ref cand -p MI300X -q -f -o joined && ! grep -rniE "(^|[^a-z])(nan|inf) ?%" joined --include=*.md'

limited() { (ulimit -v 1000000 && "$@"); }
repeat '[{"ph":"X","cat":"kernel","ts":1,"dur":1,"name":"' x 40 '"}]' | gzip -1 >record.gz
check 'a record of 40 MB' says 3 'a record of more than 33554432 bytes, which is the limit' record.gz
repeat '[{}' ' ' 1200 ',{}]' | gzip -1 >space.gz
if nm "$tf" 2>/dev/null | grep -q __asan_init; then
    echo "ok - 1.2 gigabytes of space # SKIP the sanitizer needs more"
    count=$((count + 1))
else
    check '1.2 gigabytes of space take no memory' limited status 0 run space.gz
fi
{ printf '['; yes 0, | tr -d '\n' | head -c 20M; printf '0]'; } | gzip -1 >void.gz
check 'ten million elements that are not records are counted, in no time' \
    eval 'status 3 timeout 20 "$tf" analyze void.gz -p none -q -f -o site && grep -q "none of its 10485761 elements is an event" err'
repeat '[{"ph":"X","cat":"kernel","pid":1,"tid":1,"ts":1,"dur":1,"name":"' x 3 '"}]' | gzip -1 >name.gz
check 'a name of 3 MB is cut, and this is said' \
    eval 'status 0 run name.gz && [ "$(du -sm site | cut -f1)" -lt 4 ] && grep -rq "name of more than 65,536 bytes" site/checks.html'

check 'valid JSON is taken and other JSON is refused, wherever it stands' python3 "$here/../hostile/json_texts.py" "$tf"
printf '42\n' >number.json
check 'valid JSON that is not a trace is not called invalid' \
    eval 'says 3 "number.json: byte 0: not a trace of a known format" number.json && ! grep -q "valid JSON" err'
printf '[{"ph":"X","cat":"kernel","name":"k","ts":1,"dur":1,"args":{"x":NaN}}]' >nan.json
check 'NaN is not well-formed' eval 'status 0 run nan.json && grep -q "holds NaN or Infinity" site/checks.html'
check 'a closed standard input' eval '! "$tf" analyze - -p none -q -o x <&- 2>err && grep -q "standard input is closed" err && [ ! -e x ]'
check 'a closed standard output is not a page of the report' \
    eval '"$tf" analyze nan.json -p none -o closed >&- 2>err; [ $? = 4 ] && "$tf" verify closed'
echo 'pattern {' >broken.lua
check 'a broken extension is said' eval 'status 0 run nan.json --extension broken.lua && grep -q "warning: the rest of broken.lua is left out" err'
printf '{}' >"$(printf 'a\342\200\250\302\233\330\234\342\200\256.json')"
check 'nothing in a name moves the cursor, ends the line or turns the text' \
    eval 'status 3 run a*.json && [ "$(wc -l <err)" = 1 ] && grep -qF "a\xe2\x80\xa8\xc2\x9b\xd8\x9c\xe2\x80\xae.json" err'

echo "1..$count"
exit $failed
