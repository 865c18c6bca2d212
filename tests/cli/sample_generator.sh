#!/bin/sh
# sample_generator.sh - the generator of sample traces keeps its promises.
# Usage: sample_generator.sh PROGRAM_DIRECTORY. One line a case; exit 1 if one fails.
dir=${1:?usage: sample_generator.sh PROGRAM_DIRECTORY}
sample=$dir/tracefolio-sample
python=${PYTHON:-python3}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0

verdict() { # status name
    if [ "$1" -eq 0 ]; then
        echo "ok $2"
    else
        echo "not ok $2"
        failed=1
    fi
}

# A trace that parses, whose flows resolve, whose frames nest and whose streams are serial;
# prints the device's span and idle time in ns, and the number of events.
cat >"$tmp/check.py" <<'EOF'
import gzip, json, sys
path = sys.argv[1]
with (gzip.open(path, 'rb') if path.endswith('.gz') else open(path, 'rb')) as f:
    events = json.loads(f.read().decode('utf-8'))['traceEvents']
ns = lambda us: round(us * 1000)
span = lambda e: (ns(e['ts']), ns(e['ts']) + ns(e['dur']))
start, finish, threads, device = {}, {}, {}, []
for e in events:
    if e['ph'] in 'sf' and 'id' in e:
        side = start if e['ph'] == 's' else finish
        key = (e['cat'], e['id'], e['ts']) if (e['cat'], e['ph']) == ('ac2g', 'f') else (e['cat'], e['id'])
        assert key not in side, 'flow told twice'
        side[key] = e
    elif e['ph'] == 'X' and e['cat'] in ('kernel', 'gpu_memcpy'):
        device.append(e)
    elif e['ph'] == 'X' and e['cat'] in ('cpu_op', 'cuda_runtime', 'cuda_driver',
                                         'python_function', 'user_annotation'):
        threads.setdefault((e['pid'], e['tid']), []).append(e)
assert all(k in finish for k in start if k[0] == 'fwdbwd'), 'forward without backward'
assert all(k in start for k in finish if k[0] == 'fwdbwd'), 'backward without forward'
for e in device: # a graph launch starts many
    key = 'ac2g', e['args']['correlation']
    assert start[key]['ts'] < e['ts'] and (*key, e['ts']) in finish, 'kernel before its launch'
for events_of in threads.values():
    stack, last = [], None
    for e in sorted(events_of, key=lambda e: e['ts']):
        a, b = span(e)
        assert a != last and b > a, 'two frames start together, or one is empty'
        last = a
        while stack and stack[-1] <= a:
            stack.pop()
        assert not stack or b <= stack[-1], 'frames cross'
        stack.append(b)
total = idle = 0
if device:
    streams, spans = {}, sorted(span(e) for e in device)
    for e in sorted(device, key=lambda e: e['ts']):
        a, b = span(e)
        assert a >= streams.get(e['tid'], 0) and b > a, 'kernels overlap on a stream'
        streams[e['tid']] = b
    # The window begins with the first step, as the host has it, and ends with the last or behind it.
    steps = [span(e) for e in events if e['ph'] == 'X' and e['cat'] == 'user_annotation'
             and e['name'].startswith('ProfilerStep#')]
    start = end = min(spans[0][0], min(a for a, b in steps))
    for a, b in spans:
        idle += max(0, a - end)
        end = max(end, b)
    finish = max(end, max(b for a, b in steps))
    total, idle = finish - start, idle + finish - end
print(total, idle, len(events))
EOF

for kind in llm-prefill llm-decode cnn-training moe healthy serving; do
    "$sample" --kind $kind --layers 4 --steps 2 -o "$tmp/a.json" &&
        "$sample" --kind $kind --layers 4 --steps 2 -o "$tmp/b.json" &&
        cmp -s "$tmp/a.json" "$tmp/b.json"
    verdict $? "deterministic $kind"
    "$python" -m json.tool "$tmp/a.json" >/dev/null
    verdict $? "valid JSON $kind"
    "$python" "$tmp/check.py" "$tmp/a.json" >/dev/null
    verdict $? "sound $kind"
    "$sample" --kind $kind --layers 4 --steps 2 --device H100 -o "$tmp/c.json.gz" &&
        "$python" "$tmp/check.py" "$tmp/c.json.gz" >/dev/null
    verdict $? "sound $kind on H100"
    "$sample" --kind $kind --hostile --layers 4 --steps 2 -o "$tmp/h.json" &&
        "$python" -m json.tool "$tmp/h.json" >/dev/null
    verdict $? "valid JSON $kind hostile"
    "$sample" --kind $kind --events 20000 -o "$tmp/n.json" &&
        n=$("$python" "$tmp/check.py" "$tmp/n.json" | cut -d' ' -f3) &&
        [ "$n" -ge 19000 ] && [ "$n" -le 21000 ]
    verdict $? "events $kind"
done

"$sample" --layers 2 --steps 1 -o - >"$tmp/stdout.json" &&
    "$sample" --layers 2 --steps 1 -o "$tmp/file.json" &&
    cmp -s "$tmp/stdout.json" "$tmp/file.json"
verdict $? "standard output"
"$sample" --layers 2 --steps 1 -o "$tmp/file.json.gz" &&
    gzip -dc "$tmp/file.json.gz" | cmp -s - "$tmp/file.json"
verdict $? "gzip"
"$sample" --seed 2 --layers 2 --steps 1 -o "$tmp/other.json" &&
    ! cmp -s "$tmp/other.json" "$tmp/file.json"
verdict $? "another seed"
"$sample" --empty --layers 2 --steps 1 -o "$tmp/e.json" &&
    [ "$("$python" "$tmp/check.py" "$tmp/e.json" | cut -d' ' -f1)" = 0 ]
verdict $? "empty"
"$sample" --no-python --no-shapes --layers 2 --steps 1 -o "$tmp/p.json" &&
    "$python" "$tmp/check.py" "$tmp/p.json" >/dev/null &&
    ! grep -q -e python_function -e 'Input Dims' "$tmp/p.json"
verdict $? "no python, no shapes"

# The truth agrees with the trace, and the defect is worth finding.
cat >"$tmp/truth.py" <<'EOF'
import json, subprocess, sys
truth = json.load(open(sys.argv[1]))
total, idle, events = map(int, sys.argv[3:6])
d, = truth['defects']
assert d['name'] == sys.argv[2] and truth['events'] == events
assert abs(truth['total_us'] * 1000 - total) < 2 and abs(truth['idle_us'] * 1000 - idle) < 2
assert abs(d['time_us'] - d['ideal_us'] - d['saving_us']) < 0.01
assert abs(100 * d['saving_us'] / truth['total_us'] - d['saving_percent_of_total']) < 0.001
assert d['count'] > 0 and d['saving_percent_of_total'] > (0.8 if 'copies' in d['name'] else 10)
# What goes away is about what was blamed; gaps and the time between steps go with it.
assert 0.9 < d['end_to_end_saving_us'] / d['saving_us'] < 1.4
EOF
truth_case() { # kind defect
    "$sample" --kind "$1" --defect "$2" --steps 2 --truth "$tmp/t.json" -o "$tmp/t.json.gz" &&
        figures=$("$python" "$tmp/check.py" "$tmp/t.json.gz") &&
        "$python" "$tmp/truth.py" "$tmp/t.json" "$2" $figures
    verdict $? "truth $1 $2"
}
for defect in tiny-batched-gemm unfused-attention skinny-gemm few-tiles-gemm item-sync \
    many-small-copies host-bound unfused-elementwise slow-softmax slow-reduce; do
    truth_case llm-prefill $defect
done
for defect in conv-transposes item-sync exposed-allreduce slow-batch-norm host-bound \
    many-small-copies slow-reduce; do
    truth_case cnn-training $defect
done
for defect in alloc-in-step cpu-preprocessing cpu-attention fp32-gemm; do
    truth_case llm-prefill $defect
done
for defect in alloc-in-step cpu-preprocessing first-launch allreduce-per-parameter; do
    truth_case cnn-training $defect
done
truth_case llm-decode host-bound
truth_case llm-decode tiny-batched-gemm
truth_case moe moe-few-tokens
truth_case healthy unfused-attention

# The difference of the two traces is the saving that the truth tells, to the ns.
cat >"$tmp/fix.py" <<'EOF'
import json, sys
truth = json.load(open(sys.argv[1]))
d, = [d for d in truth['defects'] if d['name'] == sys.argv[2]]
with_ns, without_ns = int(sys.argv[3]), int(sys.argv[4])
assert d['count'] > 0 and abs(with_ns - truth['total_us'] * 1000) < 2
assert abs(with_ns - without_ns - d['end_to_end_saving_us'] * 1000) < 2, (with_ns - without_ns, d)
EOF
fix_case() { # defect options...: with it and fixed
    name=$1
    shift
    "$sample" "$@" --defect "$name" --steps 2 --truth "$tmp/t.json" -o "$tmp/t.json.gz" &&
        "$sample" "$@" --defect "$name" --steps 2 -o "$tmp/again.json.gz" &&
        cmp -s "$tmp/t.json.gz" "$tmp/again.json.gz" &&
        "$sample" "$@" --defect "$name" --fix "$name" --steps 2 -o "$tmp/m.json.gz" &&
        with=$("$python" "$tmp/check.py" "$tmp/t.json.gz") &&
        without=$("$python" "$tmp/check.py" "$tmp/m.json.gz") &&
        "$python" "$tmp/fix.py" "$tmp/t.json" "$name" "${with%% *}" "${without%% *}"
    verdict $? "fixed $name $*"
}
for defect in alloc-in-step cpu-preprocessing cpu-attention first-launch fp32-gemm host-bound; do
    fix_case $defect --layers 8
done
fix_case fp32-gemm --layers 8 --device H100
fix_case align1-gemm --layers 8 --device H100
fix_case slow-small-kernels --layers 8 --defect host-bound
for defect in pageable-copies allreduce-per-parameter alloc-in-step cpu-preprocessing \
    first-launch; do
    fix_case $defect --kind cnn-training --device H100
done

# What only looks like a mistake: in the trace, and worth nothing.
harmless_case() { # defect text kind options...
    name=$1 text=$2 kind=$3
    shift 3
    "$sample" --kind "$kind" "$@" --defect "$name" --steps 2 --truth "$tmp/truth.json" \
        -o "$tmp/t.json" && "$python" "$tmp/check.py" "$tmp/t.json" >/dev/null &&
        grep -q "$text" "$tmp/t.json" &&
        grep -q '"count": [1-9].*"end_to_end_saving_us": 0.0*}' "$tmp/truth.json"
    verdict $? "harmless $name"
}
harmless_case leading-artefact 'HtoD' llm-prefill --layers 8
harmless_case leading-artefact 'HtoD' cnn-training
harmless_case gpu-graph 'hipGraphLaunch' llm-decode --layers 8
harmless_case compiled 'CompiledFunction' llm-prefill --layers 8
harmless_case pinned-copies 'Pinned -> Device' cnn-training --device H100

# Refusals: status 2, one line, nothing written.
refused() { # name arguments...
    name=$1
    shift
    rm -f "$tmp/r.json"
    "$sample" "$@" >"$tmp/out" 2>"$tmp/err"
    [ $? -eq 2 ] && [ ! -e "$tmp/r.json" ] && [ ! -s "$tmp/out" ] &&
        [ "$(wc -l <"$tmp/err")" -eq 1 ]
    verdict $? "refuses $name"
}
refused "a defect of another kind" --kind llm-decode --defect conv-transposes -o "$tmp/r.json"
refused "an all-reduce of one rank" --kind cnn-training --world 1 --defect exposed-allreduce \
    -o "$tmp/r.json"
refused "an unknown defect" --defect nonsense -o "$tmp/r.json"
refused "small kernels of a host that keeps up" --defect slow-small-kernels -o "$tmp/r.json"
refused "fixing what is not planted" --fix fp32-gemm -o "$tmp/r.json"
refused "near misses of what is not planted" --near few-blocks -o "$tmp/r.json"
refused "a near miss that there is none of" --defect fp32-gemm --near fp32-gemm -o "$tmp/r.json"
refused "a name that HIP does not write" --kind cnn-training --defect pageable-copies \
    -o "$tmp/r.json"
refused "an unknown kind" --kind nonsense -o "$tmp/r.json"
refused "a number that is none" --layers 3x -o "$tmp/r.json"
refused "a rank outside" --rank 4 --world 4 -o "$tmp/r.json"
refused "no output"
if [ -e /dev/full ]; then
    "$sample" --layers 2 --steps 1 -o /dev/full 2>/dev/null
    [ $? -eq 4 ]
    verdict $? "notices a full disk"
fi
exit $failed
