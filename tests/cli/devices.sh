#!/bin/bash
# Two GPUs of one process: that take turns, that work at once, that share the work unevenly; and the window of a
# run whose first batch comes late.
#
#   tests/cli/devices.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
build=$(realpath "$1")
shared=$(realpath "$(dirname "$0")/../../../shared" 2>/dev/null)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

run() { # NAME OPTION...: a trace and its report
    local name=$1
    shift
    "$build/tracefolio-sample" --kind llm-prefill --layers 16 --steps 8 "$@" -o "$work/$name.json.gz" &&
        "$build/tracefolio" analyze "$work/$name.json.gz" --formats json,md -o "$work/$name" --force -q
}

holds() { # NAME PYTHON: of r, the report
    python3 -c "import json, sys
r = json.load(open(sys.argv[1]))
g, first = r.get('gpus'), r['findings'][0] if r['findings'] else None
patterns = [f['pattern'] for f in r['findings']]
assert $2, (r['verdict'], g, patterns)" "$work/$1/report.json"
}

turns() {
    run turns --second-gpu turns &&
        holds turns "r['verdict_kind'] == 'GPUs take turns' and r['verdict'].startswith('2 GPUs take turns: each is idle for 5')" &&
        holds turns "first['pattern'] == 'devices_take_turns' and g['turns'] == 15 and g['copies'] == 8" &&
        holds turns "all(49 < d['idle_pct'] < 53 and d['alone_ms'] == d['busy_ms'] for d in g['list'])" &&
        grep -q '^| GPU .1. | ' "$work/turns/standalone_analysis_rough.md"
}
beside() {
    run beside --second-gpu beside &&
        holds beside "r['verdict_kind'] == 'device-bound' and g['several_ms'] > 2 * g['one_ms']" &&
        holds beside "not any(p.startswith('devices_') for p in patterns)"
}
# What turns cost is in the range of the saving: the same work at once takes less.
worth() {
    python3 -c "import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:])
saved = a['window']['total']['time_ms'] - b['window']['total']['time_ms']
f = next(f for f in a['findings'] if f['pattern'] == 'devices_take_turns')['impact']
assert f['low_ms'] <= saved <= f['high_ms'], (saved, f)" "$work/turns/report.json" "$work/beside/report.json"
}
uneven() {
    run uneven --second-gpu uneven &&
        holds uneven "'GPU 1 waits 546.7 ms for others: ' in r['verdict'] and 'devices_uneven' in patterns" &&
        holds uneven "g['list'][0]['busy_ms'] > 2 * g['list'][1]['busy_ms']"
}
# Whose idle time it is, where several are told of.
named() {
    run named --second-gpu turns --defect item-sync &&
        holds named "all(f['issue'].startswith('GPU 1 is idle for ') for f in r['findings'] if f['pattern'] == 'host_python') and 'host_python' in patterns" &&
        run one --defect item-sync && holds one "first['issue'].startswith('The GPU is idle for ')"
}
# Why each is idle: all of it, and a wait for the other is neither late nor hidden work.
pools() {
    holds turns "all(abs(sum(p['total_pct'] for p in d['idle_pools'].values()) - d['idle_pct']) < 0.1 for d in g['list'])" &&
        holds turns "all(d['idle_pools']['peer']['total_pct'] > 48 and d['idle_pools']['hidden']['time_ns'] == 0 for d in g['list'])" &&
        holds turns "g['list'][0]['why'].startswith('waits for GPU 1 4') and g['decides'] == '1'" &&
        holds turns "'Fixing the first' not in r['lead'] and abs(sum(a['time_ms'] for a in g['at_once']) / g['one_ms'] - 1) < 0.01" &&
        holds uneven "g['decides'] == '0' and g['list'][1]['idle_pools']['peer']['total_pct'] > 65" &&
        holds beside "all(d['idle_pools']['host']['total_pct'] < 4 for d in g['list'])"
}
# The host prepares 120 ms before each step while one GPU or the other works: late for the one that decides, and worth
# what the same run takes less without it.
late_host() { # HOW
    run "late-$1" --second-gpu "$1" --defect cpu-preprocessing &&
        holds "late-$1" "r['verdict'].startswith('Host-bound: GPU 0, ') and 'zoom_shift' in first['title']" &&
        holds "late-$1" "g['list'][0]['idle_pools']['host']['total_pct'] > 50 and r['idle_pools'] == g['list'][0]['idle_pools']" &&
        python3 -c "import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:])
saved = a['window']['total']['time_ms'] - b['window']['total']['time_ms']
f = a['findings'][0]['impact']
assert f['low_ms'] <= saved <= f['high_ms'] <= a['window']['total']['time_ms'], (saved, f)" "$work/late-$1/report.json" "$work/$1/report.json"
}
# Launches that take long for both are one finding, whichever they are for.
slow_launches() {
    run slow --second-gpu turns --defect host-bound &&
        holds slow "r['verdict_kind'] == 'host-bound' and first['pattern'] == 'host_bound'" &&
        holds slow "all(d['idle_pools']['host']['total_pct'] > 75 for d in g['list'])"
}
# A strip for each, its streams together, and how busy each is in each step.
pages() {
    "$build/tracefolio" analyze "$work/turns.json.gz" --formats site -o "$work/site" --force -q &&
        for page in index timeline; do
            grep -q 'GPU 0 is busy 48.6% of the time; waits for GPU 1 49.7%' "$work/site/$page.html" &&
                grep -q 'GPU 1 is busy 49.7% of the time; waits for GPU 0 48.6%' "$work/site/$page.html" || return 1
        done
    grep -q 'GPU 0, %</th><th scope="col" class="n">GPU 1, %</th>' "$work/site/timeline.html" &&
        grep -q 'At least one GPU is busy 98' "$work/site/timeline.html" &&
        [ "$(grep -o '>GPU [01], stream [0-9]*<' "$work/site/timeline.html" | sort -u | wc -l)" = 2 ]
}
# Without launch calls nothing is replayed: kernels that both GPUs run at once are no more than the time they take. Of every
# other kernel no operator is known then, so it is half of what the replay of all of them says.
no_replay() {
    "$build/tracefolio-sample" --kind llm-prefill --layers 16 --steps 4 --second-gpu beside --defect slow-softmax -o "$work/replay.json.gz" &&
        python3 -c "import gzip, json, sys
d, n = json.load(gzip.open(sys.argv[1])), 0
for e in d['traceEvents']:
    if e.get('cat') == 'kernel':
        n += 1
        e['args']['correlation'] += 10**7 * (n % 2)
d['traceEvents'] = [e for e in d['traceEvents'] if e.get('cat') != 'ac2g']
json.dump(d, gzip.open(sys.argv[2], 'wt'))" "$work/replay.json.gz" "$work/shares.json.gz" || return 1
    for name in replay shares; do
        "$build/tracefolio" analyze "$work/$name.json.gz" -p MI300X --formats json -o "$work/$name" --force -q || return 1
    done
    python3 -c "import json, sys
a, b = (json.load(open(f))['findings'][0]['impact'] for f in sys.argv[1:])
assert 'replayed' in a['basis'] and 'for lack of launch calls' in b['basis'] and b['high_ms'] < 0.55 * a['high_ms'], (a, b)" "$work/replay/report.json" "$work/shares/report.json"
}
alone() {
    run alone && holds alone "g is None and 'GPUs' not in r['verdict']"
}
check "two GPUs that take turns" turns
check "two GPUs at once are no problem" beside
check "what turns cost" worth
check "a GPU with less work" uneven
check "one GPU is not told apart" alone
check "idle time says of which GPU it is" named
check "why each GPU is idle" pools
check "pages show each GPU" pages
check "kernels at once without a replay" no_replay
check "a host that is late for a GPU beside another" late_host beside
check "a host that is late for a GPU with more work" late_host uneven
check "launches that take long for both" slow_launches
for how in turns beside uneven late-beside; do
    check "report.json of $how is as its schema says" \
        python3 "$(dirname "$0")/../schema_check.py" "$(dirname "$0")/../../assets/schemas/report.schema.json" "$work/$how/report.json"
done

# The first batch of a loader: 780 of 2693 ms, before any kernel.
late_batch() {
    "$build/tracefolio" analyze "$shared/unseen/poverty-a5000.json.gz" -p none --formats json -o "$work/late" --force -q
    holds late "r['verdict_kind'] == 'input-bound' and r['recording']['says'].startswith('One cold batch: GPU active for 0.74% of the 2.69 s')" &&
        holds late "r['window']['begins_with'] == 'wait for data' and r['lead'].startswith('First, record more than one step')" &&
        holds late "[f['impact']['high_ms'] for f in r['findings'] if f['pattern'] in ('host_batch', 'host_loader')] == [0, 0]"
}
[ ! -f "$shared/unseen/poverty-a5000.json.gz" ] || check "a first batch that comes late" late_batch
exit $failed
