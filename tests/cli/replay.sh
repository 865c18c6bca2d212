#!/bin/sh
# replay.sh - replay packages: names that mean harm, zips that open, the same bytes twice, a run.
# Usage: replay.sh PROGRAM_DIRECTORY. One line a case; exit 1 if one fails.
# PyTorch is looked for in $PYTHON_TORCH, else in /usr/bin/python3 (Debian's python3-torch).
dir=${1:?usage: replay.sh PROGRAM_DIRECTORY}
tool=$dir/tests/replay_tool
python=${PYTHON:-python3}
torch=${PYTHON_TORCH:-/usr/bin/python3}
here=$(dirname "$0")/../replay
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

if [ ! -x "$tool" ]; then
    echo "ok replay packages # SKIP tests/replay_tool is not built"
    exit 0
fi

# Each operator: one call, one launch, one kernel. Names of operators, then harmful ones.
cat >"$tmp/trace.py" <<'EOF'
import json
good = ['aten::mm', 'aten::mm_', 'aten::index_select', 'vllm::' + 'x' * 300]
bad = ['../../../../evil::op', '/abs::op', 'a\\b::c', '..', 'aten::mm; touch evil', '{{x}}',
       '</script><script>alert(1)</script>', '"}],{"op_name":"aten::neg', 'a\x00b::c', 'x\ny::z',
       '\u202ecod::exe', 'CON', '', 'my::scale', '$(touch evil)::`touch evil`', "aten::'x'", 'nccl:all_reduce']
events = []
for i, name in enumerate(good + bad):
    at, tid = 1000 * i, 1
    args = {'External id': i + 1, 'Input Dims': [[8, 4], [4, 2]], 'Input type': ['float', 'float'],
            'Input Strides': [[4, 1], [1, 4]], 'Concrete Inputs': ['', '']}
    if name == 'aten::index_select':
        args.update({'Input Dims': [[50, 4], [], [3]], 'Input type': ['c10::Half', 'Scalar', 'long int'],
                     'Input Strides': [[4, 1], [], [1]], 'Concrete Inputs': ['', '0', '']})
    events.append({'ph': 'X', 'cat': 'cpu_op', 'name': name, 'pid': 1, 'tid': 1, 'ts': at,
                   'dur': 100, 'args': args})
    events.append({'ph': 'X', 'cat': 'cuda_runtime', 'name': 'cudaLaunchKernel', 'pid': 1, 'tid': 1,
                   'ts': at + 10, 'dur': 5, 'args': {'correlation': i + 1, 'External id': i + 1}})
    events.append({'ph': 'X', 'cat': 'kernel', 'name': '</script>kernel "%d"' % i, 'pid': 0, 'tid': 7,
                   'ts': at + 50, 'dur': 40 - i, 'args': {'correlation': i + 1, 'stream': 7, 'device': 0}})
    for ph in 'sf':
        events.append({'ph': ph, 'cat': 'ac2g', 'name': 'ac2g', 'id': i + 1, 'bp': 'e', 'pid': int(ph == 's'),
                       'tid': 1 if ph == 's' else 7, 'ts': at + (10 if ph == 's' else 50)})
json.dump({'traceEvents': events}, open('trace.json', 'w'))
EOF
(cd "$tmp" && "$python" trace.py)
mkdir "$tmp/in"
"$tool" "$tmp/trace.json" "$tmp/in/one" -1 >"$tmp/said" 2>&1
verdict $? "packages of all operations"
"$tool" "$tmp/trace.json" "$tmp/in/two" -1 >"$tmp/again" 2>&1
diff -r "$tmp/in/one" "$tmp/in/two" >/dev/null && diff "$tmp/said" "$tmp/again" >/dev/null
verdict $? "two runs, identical bytes"

# Four operators, four files, and no other file anywhere.
cat >"$tmp/want" <<'EOF'
in/one/MANIFEST.txt
in/one/replay_packages/aten_index_select_replay_package.zip
in/one/replay_packages/aten_mm_HASH_replay_package.zip
in/one/replay_packages/aten_mm_replay_package.zip
in/one/replay_packages/vllm_LONG_HASH_replay_package.zip
EOF
(cd "$tmp" && find in/one -type f | sed -E 's/x{20,}/LONG/; s/_[0-9a-f]{8}_r/_HASH_r/' |
    LC_ALL=C sort) | diff "$tmp/want" - >&2 && [ -z "$(find "$tmp" -name '*evil*')" ]
verdict $? "no name leaves its folder"
[ "$(grep -c '^refused' "$tmp/said")" = 17 ] && ! grep -q "$(printf '\033')" "$tmp/said"
verdict $? "names that are not operators are refused with a reason"

cat >"$tmp/open.py" <<'EOF'
import glob, json, subprocess, zipfile
names = []
for path in sorted(glob.glob('in/one/replay_packages/*.zip')):
    subprocess.run(['unzip', '-tqq', path], check=True)
    with zipfile.ZipFile(path) as z:
        assert z.testzip() is None
        assert z.namelist() == ['replay_ir.json', 'utils.py', 'batched_replay.py', 'README.md', 'LICENSE']
        assert {i.date_time for i in z.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert {i.external_attr >> 16 for i in z.infolist()} == {0o100644}
        ir = json.loads(z.read('replay_ir.json').decode())
        names.append(ir[0]['op_name'])
        assert ir[0]['observed']['kernels'][0].startswith('</script>kernel')
        assert b'/tmp/' not in z.read('replay_ir.json')
        if names[-1] == 'aten::index_select':
            self, dim, index = (a['value'] for a in ir[0]['replay_ir']['list_pos_args'])
            assert self['dtype'] == 'c10::Half' and dim == 0 and index['high'] == 50
assert sorted(names) == sorted(['aten::index_select', 'aten::mm', 'aten::mm_', 'vllm::' + 'x' * 300]), names
EOF
(cd "$tmp" && "$python" open.py >&2)
verdict $? "unzip and zipfile open every package"

if ! "$torch" -c 'import torch' 2>/dev/null; then
    echo "ok packages run # SKIP no PyTorch for $torch"
    exit $failed
fi
for op in mm index_select; do
    mkdir "$tmp/run_$op" && unzip -qd "$tmp/run_$op" "$tmp/in/one/replay_packages/aten_${op}_replay_package.zip"
    (cd "$tmp/run_$op" && "$torch" -B batched_replay.py --device cpu --iterations 1 --no-flush >out 2>&1) &&
        grep -q ' 1 ran, 0 failed' "$tmp/run_$op/out" && grep -q 'us in the trace' "$tmp/run_$op/out"
    verdict $? "the package of aten::$op runs"
done
mkdir "$tmp/unknown" && unzip -qd "$tmp/unknown" "$tmp"/in/one/replay_packages/vllm_*.zip
(cd "$tmp/unknown" && "$torch" -B batched_replay.py --device cpu >out 2>&1)
[ $? = 1 ] && [ "$(wc -l <"$tmp/unknown/out")" = 1 ] && grep -q 'has no operator vllm::' "$tmp/unknown/out"
verdict $? "an operator that is not there ends with one line"
"$python" "$here/kinds.py" trace "$tmp/kinds.json"
"$tool" "$tmp/kinds.json" "$tmp/kinds" -1 >"$tmp/said" 2>&1
"$torch" -B "$here/kinds.py" run "$tmp/kinds" || failed=1
"$torch" -B "$here/test_replay_utils.py" || failed=1
exit $failed
