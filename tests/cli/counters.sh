#!/bin/bash
# Counters beside kernels, in each form in which tools write them: their means, what they
# say of the clock and of SMs, and that a trace without them says nothing.
#
#   tests/cli/counters.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
here=$(realpath "$(dirname "$0")")
build=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
PATH=$build:$PATH
run() { python3 "$here/../../samples/counter_trace.py" "$1" "$1.json" "$1.truth" && tracefolio analyze "$1.json" -q -o "$1"; }
is() { run "$1" && python3 "$here/counters.py" "$1" "$1.truth" "$1"; }

check 'PyTorch: activity, bandwidth, power and clock of GPU 0, and energy' is torch
check 'Ascend: a clock that is recorded where it changes' is ascend
check 'rpd: of two GPUs the one that works, whatever its number' is rpd
check 'a clock that the times of kernels contradict is no finding' is averaged
none() { run none && [ ! -e none/counters.html ] && [ ! -e none/own_tables/counters.csv ] &&
    ! grep -q counters.html none/*.html && ! grep -q '"counters":\[' none/assets/lanes.*; }
check 'a trace without counters has no page, table or lane of them' none
lanes() { grep -q '"name":"SM Active","unit":"%"' torch/assets/lanes.* && grep -q '"name":"AI Core Freq","unit":"MHz"' ascend/assets/lanes.*; }
check 'counters are lanes of the timeline' lanes
cut() { # a sample each ms or half: of five counters those of 8 ms, and what holds when the window begins
    tracefolio cut torch.json --from 1000.5 --to 9000 -o cut.json.gz -q && python3 - <<'END'
import collections, gzip, json
def samples(trace):
    return [(e["name"], float(e["ts"]), list(e["args"].values())) for e in trace["traceEvents"] if e["ph"] == "C"]
whole, part = samples(json.load(open("torch.json"))), samples(json.load(gzip.open("cut.json.gz")))
want = [s for s in whole if 1000.5 <= s[1] < 9000]
for name in {s[0] for s in whole}:
    want.append((name, 1000.5, [s for s in whole if s[0] == name and s[1] < 1000.5][-1][2]))
assert len(want) > 20 and sorted(part) == sorted(want), (len(part), len(want))
END
}
check 'cut keeps the samples of its window, and what holds when it begins' cut
markdown() { grep -q '^\*\*Counters:\*\* SMs are active 60.0% .* do not judge kernels there' torch/standalone_analysis_rough.md && ! grep -q 'Counters:' none/*.md; }
check 'markdown has the means, and nothing where there are none' markdown
many() { # two million samples more take seconds, not minutes, and 16 bytes each and what is made of them
    python3 - torch.json >many.json <<'END'
import json, sys
t = json.load(open(sys.argv[1]))
print(json.dumps(t)[:-2])
for k in range(300000):
    print(',{"ph":"C","name":"SM Active (%%)","pid":"GPU 0 Counters","tid":"","ts":%d.%03d,"args":{"":%d.5}}' % (k // 3, k % 3 * 333, k % 90))
print(']}')
END
    timeout 60 tracefolio analyze many.json -q -o many && grep -q ',30[0-9]\{4\},' many/own_tables/counters.csv
}
check 'three hundred thousand samples of one counter' many
shared() { # a name of the user's does not leave
    sed 's/CPU Usage/queue of project x/' torch.json >named.json && tracefolio analyze named.json --share public -q -o shared &&
        ! grep -rq 'project x' shared && grep -q '^SM Active' shared/own_tables/counters.csv && grep -q '^counter-' shared/own_tables/counters.csv
}
check '--share public keeps names of tools, and no other' shared
odd() { # values that are no numbers, texts beyond any, and no arguments
    python3 - >odd.json <<'END'
import json
e = [dict(ph="X", cat="kernel", name="k", pid=0, tid=7, ts=10, dur=5, args=dict(stream=7, device=0))]
for args in (None, {}, {"": "x"}, {"": [1]}, {"a" * 5000: 1}, {"v": 1e308}, {"v": True}, {"n" * 600: 1}, {"<b>": 3}):
    e.append(dict(ph="C", name="<i>c</i>", pid="<u>", ts=11, args=args))
e.append(dict(ph="C", pid=1, ts=1e30, args={"v": 1}))
e.append(dict(ph="C", name="x"))
for k in range(3000):
    e.append(dict(ph="C", name="many %d" % k, pid=0, ts=12, args={"v": k}))
print(json.dumps(dict(traceEvents=e)))
END
    tracefolio analyze odd.json -q -o odd && ! grep -q '<i>c' odd/counters.html && [ "$(wc -l <odd/own_tables/counters.csv)" = 65 ]
}
check 'odd records, names that attack, three thousand counters' odd
echo "1..$count"
exit $failed
