#!/bin/bash
# `tracefolio tree`: events by name, what called one, and what it called; held against the raw events.
#
#   tests/cli/tree.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
build=$(realpath "$1")
tf=$build/tracefolio
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
"$build/tracefolio-sample" --kind llm-prefill --layers 2 --steps 2 --defect item-sync -o t.json.gz || exit 1

tree() { status 0 "$tf" tree t.json.gz "$@"; }

cat >truth.py <<'PY'
"""Sums over the raw events: tree.json is what the program prints, of `--find NAME`."""
import gzip, json, sys

events = [e for e in json.load(gzip.open("t.json.gz"))["traceEvents"]]
kernels = {}
for e in events:
    if e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset"):
        kernels[e["args"]["correlation"]] = kernels.get(e["args"]["correlation"], 0) + e["dur"]
calls = [e for e in events if e.get("cat") in ("cuda_runtime", "cuda_driver") and e.get("ph") == "X"]
want = {}
for i, e in enumerate(events):
    if e.get("ph") != "X" or sys.argv[1].lower() not in e["name"].lower() or e["cat"] != "cpu_op":
        continue
    below = sum(kernels.get(c["args"]["correlation"], 0) for c in calls if c["tid"] == e["tid"]
                and e["ts"] <= c["ts"] and c["ts"] + c["dur"] <= e["ts"] + e["dur"])
    row = want.setdefault(e["name"], [i, 0, 0.0, 0.0])
    row[1] += 1
    row[2] += e["dur"] / 1e3
    row[3] += below / 1e3
got = {r["name"]: r for r in json.load(open("out"))["events"]}
assert want and set(want) == set(got), (want.keys(), got.keys())
for name, (uid, n, host, device) in want.items():
    r = got[name]
    assert (r["id"], r["calls"]) == (uid, n), (name, r, uid, n)
    assert abs(r["host_ms"] - host) < 1e-3 and abs(r["device_ms"] - device) < 1e-3, (name, r, host, device)
PY
check 'calls, host time and device time are those of the raw events' eval \
    'tree --find aten:: --print=json && python3 truth.py aten::'
check 'the first line is the name with most device time' eval \
    'tree --find aten:: && sed -n 2,3p out | awk "{print \$4}" | sort -c -r -n'
check 'callers of the first match lead from the root to it' eval \
    'tree --find aten::mm --parents && tail -n 1 out | grep -q "aten::mm$" && ! tail -n 2 out | head -n 1 | grep -q "aten::mm$"'
check '... and of an event by its id' eval \
    'id=$(tail -n 1 out | awk "{print \$1}") && tail -n 1 out >last && tree --id "$id" && tail -n 1 out | cmp - last'
check 'the subtree holds the launch call and its kernel' eval \
    'tree --find aten::mm --subtree && grep -q "LaunchKernel" out && [ "$(wc -l <out)" -ge 4 ]'
check '... with arguments of the call' eval \
    'tree --find aten::mm --subtree --depth 1 --fields "Input Dims,Input type" && sed -n 2p out | grep -q "aten::mm  \[\[.*\]\]  \["'
check 'callers of all events of a name add up to their calls' eval \
    'tree --find aten::mm --callers && [ "$(awk "NR > 1 {n += \$2} END {print n}" out)" = "$(tree --find aten::mm; awk "NR == 2 {print \$2}" out)" ]'
check 'at most 60 lines, unless all are asked for' eval \
    'tree --find "" && [ "$(wc -l <out)" = 60 ] && tree --find ForCausalLM --subtree && [ "$(wc -l <out)" = 60 ] &&
        tail -n 1 out | grep -q -- "--all shows all" && tree --find "" --all && [ "$(wc -l <out)" -gt 60 ]'
check 'a name that no event has is status 3' eval \
    'status 3 "$tf" tree t.json.gz --find nosuch && grep -q "no event has .nosuch. in its name" err'
check 'an id that no event has is status 3' status 3 "$tf" tree t.json.gz --id 99999999
check 'nothing to look for is status 2' status 2 "$tf" tree t.json.gz
check '--depth without --subtree is status 2' status 2 "$tf" tree t.json.gz --find a --depth 2
printf '{"traceEvents":[{"ph":"X","cat":"cpu_op","name":"a\\u001b[31m\\n::error::x","pid":1,"tid":1,"ts":1,"dur":1}]}' >evil.json
check 'a hostile name reaches a terminal as one plain line' eval \
    'status 0 "$tf" tree evil.json --find a && [ "$(wc -l <out)" = 2 ] && ! grep -q "$(printf "\\033")" out'


# Stacks for other tools: all three forms hold the same, and device time is that of the raw events.
cat >stacks.py <<'PY'
"""The forms of one side against each other, and their sum against the raw events."""
import gzip, json, sys

side = sys.argv[1]
folded = {}
for line in open("folded", encoding="utf-8"):
    stack, ns = line.rstrip("\n").rsplit(" ", 1)
    assert stack not in folded, stack
    folded[stack] = int(ns)
scope = json.load(open("speedscope"))
frames = [f["name"].replace(";", ":") for f in scope["shared"]["frames"]]
profile = scope["profiles"][0]
told = {";".join(frames[k] for k in s): w for s, w in zip(profile["samples"], profile["weights"])}
assert told == folded and profile["endValue"] == sum(folded.values()) and profile["unit"] == "nanoseconds"


def varint(b, i):
    v = shift = 0
    while True:
        v |= (b[i] & 127) << shift
        shift += 7
        i += 1
        if b[i - 1] < 128:
            return v, i


def fields(b):
    i = 0
    while i < len(b):
        key, i = varint(b, i)
        v, i = varint(b, i)
        if key & 7 == 2:
            v, i = b[i:i + v], i + v
        yield key >> 3, v


def packed(b):
    i, out = 0, []
    while i < len(b):
        v, i = varint(b, i)
        out.append(v)
    return out


top = list(fields(gzip.open("pprof").read()))
texts = [v.decode() for k, v in top if k == 6]
functions = {m[1]: texts[m[2]] for m in (dict(fields(v)) for k, v in top if k == 5)}
places = {m[1]: dict(fields(m[4]))[1] for m in (dict(fields(v)) for k, v in top if k == 4)}
types = [[texts[n] for _, n in fields(v)] for k, v in top if k == 1]
assert types == [["calls", "count"], ["time", "nanoseconds"]] and texts[0] == "", types
samples = {}
for m in (dict(fields(v)) for k, v in top if k == 2):
    stack = ";".join(functions[places[p]].replace(";", ":") for p in reversed(packed(m[1])))
    samples[stack] = packed(m[2])[1]
assert samples == folded

events = json.load(gzip.open("t.json.gz"))["traceEvents"]
if side == "device":
    work = [e for e in events if e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")]
    want = sum(round(e["dur"] * 1000) for e in work)
    assert sum(folded.values()) == want, (sum(folded.values()), want)
    assert {s.rsplit(";", 1)[1] for s in folded} == {e["name"].replace(";", ":") for e in work}
    assert any(".py(" in s and ";aten::mm;" in s for s in folded)
else:
    assert any(s.endswith("aten::mm") for s in folded) and all(s.startswith("thread ") for s in folded)
    name = "aten::item"
    calls = sum(round(e["dur"] * 1000) for e in events if e.get("cat") == "cpu_op" and e["name"] == name)
    assert sum(ns for s, ns in folded.items() if name in s.split(";")) == calls
PY
forms() { for form in folded speedscope pprof; do status 0 "$tf" tree t.json.gz --$form "$1" && mv out $form || return 1; done; }
check 'stacks of device time are the same in each form, and add up to the raw events' eval 'forms device && python3 stacks.py device'
check 'so are those of host time' eval 'forms host && python3 stacks.py host'
check 'the same trace gives the same bytes' eval 'for n in 1 2; do "$tf" tree t.json.gz --pprof host -j $n >p$n; done; cmp p1 p2'
check 'a side that is none is refused' eval 'status 2 "$tf" tree t.json.gz --folded gpu && grep -q "unknown --folded .gpu.; expected one of host, device" err'
check 'two forms at once are refused' eval 'status 2 "$tf" tree t.json.gz --folded host --pprof host && grep -q "one at a time" err'
check 'events beside them, too' eval 'status 2 "$tf" tree t.json.gz --folded host --find mm && grep -q -- "--find contradicts" err'
check 'calls in calls without end stay linear' eval \
    'python3 -c "
import json
n = 20000
e = [{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"f%d\" % i, \"pid\": 1, \"tid\": 1, \"ts\": i, \"dur\": 2 * (n - i)} for i in range(n)]
e.append({\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\", \"pid\": 0, \"tid\": 7, \"ts\": n, \"dur\": 1, \"args\": {\"correlation\": 1}})
json.dump({\"traceEvents\": e}, open(\"deep.json\", \"w\"))" &&
    status 0 "$tf" tree deep.json --folded host && [ "$(wc -c <out)" -lt 600000 ] && [ "$(awk "{ n += \$NF } END { print n }" out)" -gt 0 ]'
check 'names that attack stay in their line' eval \
    '"$build/tracefolio-sample" --kind llm-prefill --layers 1 --steps 1 --hostile -o h.json.gz && status 0 "$tf" tree h.json.gz --folded device && ! grep -qvE " [0-9]+$" out &&
        ! LC_ALL=C grep -q "[[:cntrl:]]" out && status 0 "$tf" tree h.json.gz --speedscope device && python3 -c "import json; json.load(open(\"out\"))"'
echo "1..$count"
exit $failed
