#!/bin/bash
# Perfetto traces of PyTorch and of rocprofv3, JSON of rocprofv3 and of Ascend, and profiles of JAX.
#
#   tests/cli/protobuf.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
here=$(realpath "$(dirname "$0")")
build=$(realpath "$1")
other=${SHARED:-$here/../../../shared}/other
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work" || exit 1
PATH=$build:$PATH
export PYTHONDONTWRITEBYTECODE=1
samples=$here/../../samples
analyze() { tracefolio analyze -p none -q -f "$@"; }

tracefolio-sample --kind cnn-training --device H100 -o cnn.json
tracefolio-sample --kind llm-prefill --layers 3 --defect many-small-copies -o llm.json
for sample in cnn llm; do
    python3 "$samples/pytorch_pftrace.py" $sample.json $sample.pftrace $sample.pytorch.json &&
        python3 "$samples/rocprof_trace.py" $sample.json $sample && python3 "$samples/xplane_trace.py" $sample.json $sample &&
        python3 "$samples/ascend_trace.py" $sample.json $sample || exit 1
done

# The tables are those of the JSON of the same events.
same() { # FILE JSON
    analyze "$1" --formats csv -o ours && analyze "$2" --formats csv -o json && [ -s ours/perf_report_csvs/kernel_summary.csv ] &&
        diff -r ours/perf_report_csvs json/perf_report_csvs >differ || { head -c 600 differ; return 1; }
}
for sample in cnn llm; do
    check "PyTorch's Perfetto trace: the tables of $sample are those of its JSON" same $sample.pftrace $sample.pytorch.json
    check "rocprofv3's JSON: the tables of $sample are those of PyTorch's JSON" same $sample.rocprof.json $sample.kineto.json
    check "rocprofv3's Perfetto trace: the tables of $sample are those of PyTorch's JSON" same $sample.rocprof.pftrace $sample.threads.json
    check "trace_view.json of Ascend: the tables of $sample are those of PyTorch's JSON" same $sample.ascend.json $sample.npu.json
    check "xplane.pb of JAX: the tables of $sample are those of PyTorch's JSON" same $sample.xplane.pb $sample.jax.json
done
# Work items in blocks, of which the last may be cut off.
grids() {
    for k in rocprof kineto; do
        analyze cnn.$k.json --formats md,json -o $k.grids && grep -rhoE 'on (a grid of [0-9x ]*|grids of [0-9to ]*blocks)' $k.grids | sort -u >$k.sizes &&
            python3 -c 'import json, sys; print(json.load(open(sys.argv[1] + "/report.json"))["fill"])' $k.grids >>$k.sizes || return 1
    done
    [ "$(wc -l <kineto.sizes)" -gt 1 ] && diff rocprof.sizes kineto.sizes
}
check "rocprofv3's JSON: grids are in blocks" grids
python3 - <<'EOF' || exit 1
import json
doc = json.load(open('cnn.rocprof.json', encoding='utf-8'))
doc['rocprofiler-sdk-tool'][0]['buffer_records'].update(hip_api=[], marker_api=[])
json.dump(doc, open('alone.json', 'w', encoding='utf-8'))
EOF
no_host() { # 0 of nothing is no figure
    for k in alone cnn.rocprof; do analyze $k.json -o $k; done && grep -q 'the host waits for the device' cnn.rocprof/system.html && ! grep -q 'the host waits for the device\|after such a wait' alone/system.html
}
check '... and without calls nobody counts how often the host waits' no_host
# A program's HLO says what its collectives move, in pairs of start and done too.
tracefolio-sample --job 4 --tensor 2 --steps 2 -o job && gzip -dc job/rank0.json.gz >rank.json && python3 "$samples/xplane_trace.py" rank.json rank || exit 1
moved() {
    same rank.xplane.pb rank.jax.json && for k in xplane.pb jax.json; do analyze rank.$k -o $k; done && [ "$(wc -l <xplane.pb/own_tables/collective_sizes.csv)" = 4 ] &&
        diff xplane.pb/own_tables/collective_sizes.csv jax.json/own_tables/collective_sizes.csv
}
check 'JAX: sizes, members and bandwidth of collectives from HLO' moved
# RCCL's kernel for everything has no kind, and the function that launched it has: rocprofv3 records that without what it is given.
gzip -dc job/rank0.json.gz >rank.json && python3 "$samples/rocprof_trace.py" rank.json rank && python3 - <<'EOF' || exit 1
import json
tool = (doc := json.load(open('rank.rocprof.json', encoding='utf-8')))['rocprofiler-sdk-tool'][0]
records = tool['buffer_records']
comms = {s['kernel_id'] for s in tool['kernel_symbols'] if 'nccl' in s['kernel_name']}
for s in tool['kernel_symbols']:
    if s['kernel_id'] in comms:
        s['kernel_name'] = s['demangled_kernel_name'] = 'ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)'
calls = {r['correlation_id']['internal']: r for r in records['hip_api']}
of = [calls[k['correlation_id']['internal']] for k in records['kernel_dispatch'] if k['dispatch_info']['kernel_id'] in comms]
tool['strings']['buffer_records'][9]['operations'] = ['ncclAllGather', 'ncclAllReduce']
records['marker_api'] = []
records['rccl_api'] = [dict(c, kind=9, operation=1, correlation_id={'internal': 10**9 + i}, start_timestamp=c['start_timestamp'] - 100,
                            end_timestamp=c['end_timestamp'] + 100) for i, c in enumerate(of)]
json.dump(doc, open('rccl.json', 'w', encoding='utf-8'))
EOF
kinds() {
    rm -rf rccl && tracefolio summarize rccl.json --rank 0 -o rccl && gzip -dc rccl/*.gz | grep -q '"all-reduce"' &&
        analyze rccl.json --formats json -o rccl.out && grep -q all-reduce rccl.out/report.json
}
check 'rocprofv3: the kind of a collective by the call of RCCL' kinds
findings() { # FILE JSON: what is advised
    analyze "$1" --formats json -o ours && analyze "$2" --formats json -o json && python3 -c 'import json
a, b = (json.load(open(f + "/report.json")) for f in ("ours", "json"))
a, b = ([(f["pattern"], f["name"], f["impact"]["mid_ms"]) for f in r["findings"]] + [r["verdict"]] for r in (a, b))
assert a == b and len(a) > 1, (a, b)'
}
check 'the same verdict and findings' findings llm.pftrace llm.pytorch.json
check 'the same of rocprofv3' findings llm.rocprof.json llm.kineto.json
check 'the same of JAX' findings llm.xplane.pb llm.jax.json

# Counters are in packets of their own, and named by descriptors.
python3 "$samples/counter_trace.py" torch counted.json && python3 "$samples/pytorch_pftrace.py" counted.json counted.pftrace counted.pytorch.json || exit 1
counters() {
    analyze counted.pftrace -o ours && analyze counted.pytorch.json -o json && [ "$(wc -l <ours/own_tables/counters.csv)" = 5 ] &&
        diff ours/own_tables/counters.csv json/own_tables/counters.csv && diff ours/own_tables/counter_means.csv json/own_tables/counter_means.csv
}
check "PyTorch's Perfetto trace: the counters of its JSON" counters

# The edges of a GPU graph say what bound a kernel: not what ended last on its stream, but what it depends on.
python3 "$samples/graph_trace.py" graph.json guess.json && python3 "$samples/pytorch_pftrace.py" graph.json graph.pftrace graph.pytorch.json || exit 1
saved() { tracefolio whatif "$1" "kernel:$2=0.5" -p none --print json | python3 -c 'import json, sys; d = json.load(sys.stdin); print(int(d["saved_ms"] * 10))'; }
edges() { # FILE: only the kernel on the other stream saves
    [ "$(saved "$1" long)" = 0 ] && [ "$(saved "$1" short)" = 29 ]
}
check "the edges of GPU graphs in PyTorch's JSON bind the replay" edges graph.json
check "... and in its Perfetto trace" edges graph.pftrace
guess() { [ "$(saved guess.json short)" = 0 ] && [ "$(saved guess.json long)" = 29 ]; }
check '... where they are not recorded, what ended last on the stream does' guess

# A copy has no direction there: there may be some in each.
undirected() {
    analyze llm.pftrace -o ours && grep -q '^| other or unknown | [1-9]' ours/standalone_analysis_rough.md &&
        ! grep -qE '^\| [HD]2[HD] \| 0' ours/standalone_analysis_rough.md && grep -q '>other or unknown</th>' ours/system.html
}
check "PyTorch's Perfetto trace: copies of unknown direction are none of a direction" undirected

# What a format cannot hold is not asked for.
asks_not() { # FILE WORDS
    analyze "$1" -o asks && ! grep -rlE -- "$2" asks --include=*.html --include=*.md --include=*.json
}
check 'no advice on shapes where JAX records none' asks_not llm.xplane.pb 'record_shapes|Record shapes|xla_dump_to|with ``|\(\)  *to judge'
check 'nor where ranges of rocTX hold them' asks_not llm.rocprof.json 'record_shapes|Record shapes|with ``'
check 'nor in Perfetto traces of rocprofv3' asks_not llm.rocprof.pftrace 'record_shapes|Record shapes|with ``'
python3 - <<'EOF'
import json
with open('llm.rocprof.json', encoding='utf-8') as f:
    doc = json.load(f)
records = doc['rocprofiler-sdk-tool'][0]['buffer_records']
records['hip_api'] = records['marker_api'] = []
with open('alone.json', 'w', encoding='utf-8') as f:
    json.dump(doc, f)
records['memory_copy'] = []
with open('kernels.json', 'w', encoding='utf-8') as f:
    json.dump(doc, f)
EOF
copies_missing() {
    analyze kernels.json --formats json -o kernels && grep -q 'Not recorded: .*call stacks, copies' kernels/report.json &&
        analyze alone.json --formats json -o kernels && ! grep -q 'Not recorded: .*copies' kernels/report.json
}
check 'kernels alone: copies are not recorded' copies_missing
check 'no calls of the host: nothing waits for it' asks_not alone.json '[Ww]aits for the host|Host-bound'
check 'what rocprofv3 records host calls with, and no memory of allocators' asks_not alone.json 'profile_memory|CPU activity|ProfilerActivity|Record with \(torch'
check 'nor does JAX' asks_not llm.xplane.pb 'profile_memory|ProfilerActivity|torch\.profiler|newer PyTorch|stacks off|step\(\) of the profiler|non_blocking'
check 'Ascend is recorded with its own activities, and by no profiler of GPUs' asks_not llm.ascend.json '[^.]ProfilerActivity|Nsight|rocmProfileData|profile_memory'
check 'stacks that are not recorded cannot be off' asks_not llm.rocprof.json 'stacks off|newer PyTorch'
how_host() { grep -q 'Record with rocprofv3 --hip-trace --marker-trace' asks/checks.html; }
analyze alone.json -o asks && check '... but by its own options' how_host
ranges_advised() { analyze alone.json --formats md,json -o alone && grep -q 'emit_nvtx, record_shapes=True' -r alone && ! grep -rE '[^,] record_shapes' alone; }
check 'kernels alone: shapes come with ranges of rocTX' ranges_advised

# A program of anything: what only PyTorch can record is for PyTorch.
python3 - <<'EOF'
import json
with open('alone.json', encoding='utf-8') as f:
    doc = json.load(f)
for k, s in enumerate(doc['rocprofiler-sdk-tool'][0]['kernel_symbols']):
    s['kernel_name'] = s['demangled_kernel_name'] = f'solve_{k}(float*)'
with open('native.json', 'w', encoding='utf-8') as f:
    json.dump(doc, f)
EOF
native() { asks_not native.json 'with_stack=True[^,]|record_shapes=True[^,]' && grep -q "with_stack=True, if the program is PyTorch" asks/checks.html; }
check 'kernels of no framework: stacks and shapes only if it is PyTorch' native
counters_of() { ! grep -q 'Nsight' asks/checks.html && grep -q 'Record once with rocmProfileData' asks/checks.html; }
check '... and counters by what knows these devices' counters_of
npu() { tracefolio analyze llm.ascend.json -p none --print >print && grep -q '^NPU busy' print && ! grep -q 'GPU' print; }
check 'an NPU is called so in the text of a run' npu

packed() {
    gzip -c llm.pftrace >llm.gz && zstd -q -f llm.pftrace -o llm.zst && analyze llm.pftrace --formats csv -o plain && analyze - --formats csv -o pipe <llm.gz &&
        analyze llm.zst --formats csv -o zst && diff -r plain/perf_report_csvs pipe/perf_report_csvs && diff -r plain/perf_report_csvs zst/perf_report_csvs
}
check 'compressed, and from standard input' packed

refuses() { # WORDS FILE
    status 3 timeout 20 tracefolio analyze "$2" -o refused && [ "$(wc -l <err)" = 1 ] && grep -q -- "$1" err && [ ! -e refused ] || { cat err; return 1; }
}
head -c 50000 llm.pftrace >cut.pftrace
check 'a Perfetto trace that is cut off' refuses 'cut off after [0-9]* packets' cut.pftrace
head -c 50000 llm.rocprof.json >cut.json
check 'JSON of rocprofv3 that is cut off' refuses 'cut off after [0-9]* values' cut.json
echo '{"rocprofiler-sdk-tool":[{"buffer_records":{"kernel_dispatch":[]}}]}' >empty.json
check 'rocprofv3 without records says how to record' refuses '--kernel-trace' empty.json
printf '\n\4\100\1\120\1' >packet
check 'a Perfetto trace of something else' refuses 'no GPU work' packet

# Bytes changed anywhere: a report, or one line.
hostile() {
    python3 - "$1" "$build/tracefolio" <<'EOF'
import random
import subprocess
import sys
data, seed = open(sys.argv[1], 'rb').read()[:30000], random.Random(7)
for turn in range(40):
    b = bytearray(data)
    for _ in range(1 + turn % 8):
        at = seed.randrange(len(b))
        b[at:at + seed.choice((0, 1, 1, 9))] = bytes(seed.randrange(256) for _ in range(seed.choice((0, 1, 1, 5))))
    open('mutated', 'wb').write(b)
    p = subprocess.run([sys.argv[2], 'analyze', 'mutated', '-p', 'none', '-q', '-f', '-o', 'm', '--formats', 'json'], capture_output=True, timeout=60)
    assert p.returncode in (0, 3), (turn, p)
    assert p.returncode == 0 or p.stderr.count(b'\n') == 1, p.stderr
EOF
}
for file in llm.pftrace llm.rocprof.pftrace llm.rocprof.json cnn.xplane.pb; do
    check "$file with bytes changed" hostile $file
done

if [ -e "$other/rocprofv3-908.json.gz" ]; then
    reference() { analyze "$other/rocprofv3-908.json.gz" --formats csv -o r && python3 "$here/../reference/rocprof.py" r/perf_report_csvs "$other/rocprofv3-908-reference"; }
    check 'a training on MI350X by rocprofv3: kernels and times of the reference' reference
fi
if [ -e "$other/jax-conv-mi300.xplane.pb.gz" ]; then
    jax() {
        tracefolio analyze "$other/jax-conv-mi300.xplane.pb.gz" -q -f --formats csv,json -o x && python3 -c 'import json
r = json.load(open("x/report.json"))
assert len(r["gpus"]["list"]) == 8 and "MI300X" in json.dumps(r) and "Host-bound" in r["verdict"], r["gpus"]' &&
            grep -q 'cudnn-conv.1,Cijk_' x/perf_report_csvs/kernel_summary.csv && grep -q '^total_comm_time,0.0' x/perf_report_csvs/gpu_timeline.csv
    }
    check 'a convolution of JAX on eight MI300X' jax
    # What a thread calls and what XLA says of it are two lines: its first call of 43 ms is known, and seven others run beside it.
    twin() { grep -q 'Record after warm-up: the first call of Build buffer allocations' x/report.json && ! grep -q 'native frames between operators in' x/report.json; }
    check '... which waits for a first call that XLA names on another line' twin
    # 2 x 64 products for each of 5120 x 34 x 31 x 53 elements, in two kernels of 313 us; a transposition of as many in 360.
    roofs() {
        tracefolio analyze "$other/jax-conv-mi300.xplane.pb.gz" -p MI300X -q -f --formats md -o x && ! grep -q ANOMALY x/standalone_analysis.md &&
            grep -qE '^\| `cudnn-conv.1` .*\| 5 \| 1\.5[0-9] \| .* 11[5-8]\.[0-9]+ \| 1\.8[0-9] \| 3[45]\.[0-9]% of 5.3 TB/s' x/standalone_analysis_rough.md &&
            grep -qE '^\| `input_transpose_fusion` .*\| (5[89]|6[0-2])\.[0-9]% of 5.3 TB/s' x/standalone_analysis_rough.md
    }
    check '... has the FLOP and bytes of its HLO, over all kernels of an operation' roofs
fi

exit $failed
