#!/bin/bash
# Files in which a tool has put the traces of many ranks: SGLang's and TraceFusion's.
#
#   tests/cli/merged.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
here=$(realpath "$(dirname "$0")")
build=$(realpath "$1")
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work" || exit 1
PATH=$build:$PATH
merge() { python3 "$here/../../samples/merged_json.py" "$@"; }
analyze() { tracefolio analyze -p none -q -f "$@"; }

tracefolio-sample --job 3 --steps 2 --plant late-input:1=4000 -o job >/dev/null
for kind in sglang fused; do
    merge $kind $kind.json job/rank{0,1,2}.json.gz && gzip -k $kind.json || exit 1
done
for r in 0 1 2; do analyze job/rank$r.json.gz --formats csv -o own$r || exit 1; done

# The tables of each rank are those of its own trace; but for the place of an event in the file, and frames, which
# TraceFusion can leave out.
same() { # KIND RANK
    analyze "$1.json:rank=$2" --formats csv -o part && python3 - "own$2" part <<'EOF'
import csv, os, sys
own, part = (d + '/perf_report_csvs/' for d in sys.argv[1:])
assert sorted(os.listdir(own)) == sorted(os.listdir(part)) and os.listdir(own)
for name in os.listdir(own):
    a, b = ([[c for c, key in zip(row, rows[0]) if 'UID' not in key] for row in rows]
            for rows in (list(csv.reader(open(d + name, encoding='utf-8', newline=''))) for d in (own, part)))
    assert a == b, name
EOF
}
for kind in sglang fused; do
    for r in 0 2; do check "$kind: the tables of rank $r are those of its own trace" same $kind $r; done
    first() { tracefolio analyze $kind.json.gz -p none -f --formats csv -o first 2>err && grep -q 'holds 3 processes; this report is of rank 0 (' err; }
    check "$kind: the first, and a line that says so" first
    job() {
        tracefolio job $kind.json.gz -p MI300X -f -o site -q && tracefolio job job/rank*.gz -p MI300X -f -o own -q && python3 -c 'import json
a, b = (json.load(open(d + "/job.json")) for d in ("site", "own"))
key = lambda j: (j["run_ns"], j["verdict"], [{k: v for k, v in r.items() if k != "file"} for r in j["ranks"]])
assert key(a) == key(b) and len(a["ranks"]) == 3, (key(a), key(b))'
    }
    check "$kind: job takes each rank, with the figures of their own traces" job
    none() { status 3 tracefolio analyze $kind.json:rank=3 -o x && grep -q 'traces of 3 ranks: name one as FILE:rank=0 to FILE:rank=2' err; }
    check "$kind: there is no fourth" none
    excerpt() { analyze $kind.json:rank=1 -o cut && zcat cut/cuts/*.gz | grep -q '"pid":"0"' && ! zcat cut/cuts/*.gz | grep -q 'TP0[02]'; }
    check "$kind: excerpts are of one rank" excerpt
done
lacks() { analyze "$1" --formats json -o lacks && grep -o 'Not recorded: [^"]*' lacks/report.json; }
merge sglang two.json job/rank{0,1}.json.gz || exit 1
ranks_here() { ! lacks sglang.json:rank=1 | grep 'ranks' && lacks two.json | grep -q '1 of 3 ranks'; }
check 'ranks of the same file are recorded' ranks_here
pipe() { analyze - --formats csv -o pipe <sglang.json.gz && [ -s pipe/perf_report_csvs/kernel_summary.csv ]; }
check 'from standard input' pipe
echo '{"traceEvents":[{"pid":"[TP00] 1","ph":"X","name":"a","ts":1,"dur":1},{"pid":"[","ph":"X"},{"pid":"[TP01","ph":"X"},null,{}]}' >odd.json
odd() { status 3 tracefolio analyze odd.json -o x && [ "$(wc -l <err)" = 1 ]; }
check 'labels that do not end' odd
many() { python3 -c 'print("{\"traceEvents\":[" + ",".join("{\"pid\":\"[TP%d] 1\",\"ph\":\"X\"}" % i for i in range(200000)) + "]}")' >many.json
    status 3 timeout 20 tracefolio job many.json -o x && status 3 timeout 20 tracefolio analyze many.json -o x && grep -q 'more than 4096 ranks' err; }
check 'a label a record is refused' many

exit $failed
