#!/bin/bash
# Each option changes what it is for: with it something is there that without it is not. Those that
# other suites try are told by name; an option of --help that none tries is a failure.
#
#   tests/cli/options.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
here=$(realpath "$(dirname "$0")")
build=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
PATH=$build:$PATH
tracefolio-sample --kind llm-prefill --layers 2 --steps 2 -o a.json.gz &&
    tracefolio-sample --kind llm-prefill --layers 2 --steps 2 --defect unfused-attention -o b.json.gz &&
    tracefolio-sample --no-python --job 4 --gpus-per-node 2 --host-names --plant clock:3=-4000 --plant late-compute:2=20 -o traces >/dev/null || exit 1
in_json() { # FILE EXPRESSION: of the document d
    python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
sys.exit(not eval(sys.argv[2]))' "$1" "$2"
}
says() { # WANT TEXT COMMAND...
    local want=$1 text=$2
    shift 2
    status "$want" "$@" && grep -qF -- "$text" err || { cat err; return 1; }
}

every_option() { # COMMAND...: each that it prints is tried here or in another suite
    local o missing=
    cat "$here"/*.sh "$here"/../golden/*/args >tried # packaging.sh names options to complete, which does not count
    sed '/complete_/d' tried >run
    for o in $("$@" | grep -oE -- '--[a-z][a-z-]+' | sort -u); do
        grep -qE -- "(^|[^a-z-])$o([^a-z-]|\$)" run || missing="$missing $o"
    done
    [ -z "$missing" ] || { echo "no test of$missing"; return 1; }
}
check 'every option of help is tried by a suite' every_option tracefolio help options
check 'so is every one of the generator' every_option tracefolio-sample --help

# Of analyze.
one() { tracefolio analyze a.json.gz -p MI300X -q -f -o one "$@"; }
check '--output and --platform, in full' eval 'tracefolio analyze a.json.gz --platform H100 --quiet --output long --formats json && in_json long/report.json "d[\"device\"][\"platform\"] == \"H100\""'
check '--model is the name that pages show' eval 'one --formats site,json --model "Eve 7B" && grep -q "Eve 7B" one/index.html && in_json one/report.json "d[\"model\"][\"name\"] == \"Eve 7B\"" &&
    one --formats json && ! in_json one/report.json "d[\"model\"][\"name\"] == \"Eve 7B\""'
printf '# Ours\n\nSlow since *Monday*. <b onclick=x>raw</b> [bad](javascript:x) [good](https://ok.example/)\n' >notes.md
check '--notes are on the first page, as text and links that cannot run' eval 'one --formats site --notes notes.md && sed -n "/class=\"notes\"/,/<.section>/p" one/index.html >n &&
    grep -q "<em>Monday</em>" n && grep -q "https://ok.example/" n && ! grep -qE "onclick|javascript" n && one --formats site && ! grep -q Monday one/index.html'
check '--notes of a book' eval 'head -c 64001 /dev/zero | tr "\0" x >book && says 2 "--notes: more than 64000 bytes" one --notes book'
check '--base-url begins the links that readers copy' eval 'one --formats site --base-url https://reports.example/7 && grep -q "https://reports.example/7" one/index.html && one --formats site && ! grep -q "reports.example" one/index.html'
check '--base-url that is none' says 2 'expected https://... or http://' one --base-url reports.example
check 'the PNG files are those that the markdown reports show' eval 'one && (cd one && grep -oh "](charts/[^)]*" -r --include="*.md" . | cut -c3- | sort -u) >shown &&
    [ "$(wc -l <shown)" = 2 ] && (cd one && ls charts/*.png) | cmp - shown'
check '--all-pictures draws all charts as PNG, as does png alone' eval 'one --formats site,png --all-pictures && (cd one/charts && ls *.png) >many && ls one/charts/*.svg | wc -l >svg &&
    [ "$(wc -l <many)" = "$(cat svg)" ] && [ "$(wc -l <many)" -gt 5 ] && one --formats png && (cd one/charts && ls) | cmp - many'
check '--jobs: the same bytes with one thread; more than none' eval 'one --formats csv,json && cp -r one two && one --formats csv,json --jobs 1 && diff -r one two && says 2 "a number of threads from 1 to 256" one --jobs 0'
check '--quiet prints nothing' eval 'tracefolio analyze a.json.gz -p none -f -o one --formats csv >said 2>&1 && [ -s said ] && tracefolio analyze a.json.gz -p none -f -o one --formats csv --quiet >said 2>&1 && [ ! -s said ]'
check '--memory-gb is the memory of a device without a file' eval 'tracefolio analyze a.json.gz --peak-bw-tbs 3.2 --peak-tflops 500 --memory-gb 80 -q -f -o one --formats json && in_json one/report.json "d[\"device\"][\"memory_gb\"] == 80"'
check '--theme is what the pages wear' eval 'one --formats site && cat one/assets/*.css >plain.css && one --formats site --theme mono && ! cat one/assets/*.css | cmp -s - plain.css'
if command -v "${CC:-cc}" >/dev/null && ! nm "$build/tracefolio" | grep -qE '__[at]san_init'; then
    cat >threads.c <<'C'
#include <pthread.h>
#include <stdlib.h>
int pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), void *x)
{
    exit(((void)t, (void)a, (void)f, (void)x, 77));
}
C
    "${CC:-cc}" -shared -fPIC -o threads.so threads.c || exit 1
    check '--jobs 1 starts no thread' eval 'status 0 env LD_PRELOAD="$work/threads.so" tracefolio analyze a.json.gz -q -f -o one --jobs 1 && status 77 env LD_PRELOAD="$work/threads.so" tracefolio analyze a.json.gz -q -f -o one'
fi
check '--verbose tells the stages and their memory' eval 'tracefolio analyze a.json.gz -p none -f -o one --formats csv --verbose >log 2>err && grep -q "peak" err && tracefolio analyze a.json.gz -p none -f -o one --formats csv >log 2>err && ! grep -q "peak" err'
python3 - <<'PY' || exit 1
import gzip, json
d = json.load(gzip.open('a.json.gz'))
frame = next(e for e in d['traceEvents'] if e.get('cat') == 'python_function' and 'nn.Module' in e['name'])
d['traceEvents'].append(dict(frame, name='torch/utils/checkpoint.py(1100): recompute_fn', dur=frame['dur'] + 0.002, ts=frame['ts'] - 0.001))
json.dump(d, open('again.json', 'w'))
PY
check '--detect-recompute tells apart what is computed again' eval 'tracefolio analyze again.json -p none -q -f -o one --formats csv --detect-recompute && grep -q "is_recompute" one/perf_report_csvs/ops_summary.csv &&
    grep -qE ",True(,|$)" one/perf_report_csvs/unified_perf_summary.csv && tracefolio analyze again.json -p none -q -f -o one --formats csv && ! grep -q is_recompute one/perf_report_csvs/ops_summary.csv'

# Of the generator.
differs() { tracefolio-sample --layers 2 --steps 1 -o plain.json && tracefolio-sample --layers 2 --steps 1 "$@" -o other.json && ! cmp -s plain.json other.json; }
check '--batch and --seq are in the shapes' eval 'differs --seq 1024 && differs --batch 3 && grep -qE "\[\[?3, *[0-9]+, *[0-9]+\]?" other.json'
check '--jitter is how much ranks differ' eval 'for j in 0 30; do tracefolio-sample --no-python --job 2 --jitter $j -o jitter$j >said || exit 1; done && ! diff -rq jitter0 jitter30 >same'

# Of compare.
pair() { tracefolio compare a.json.gz b.json.gz -p MI300X -q -f -o pair --formats csv,json "$@"; }
check '--match ops leaves what has no equal without a partner' eval 'pair && cp pair/compare_csvs/compare_rows.csv rows && pair --match ops && ! cmp -s rows pair/compare_csvs/compare_rows.csv &&
    [ "$(grep -c ",T," rows)" -gt 0 ] && [ "$(grep -c ",T," pair/compare_csvs/compare_rows.csv)" = 0 ]'
check '--floor: what noise makes is no difference' eval 'status 10 pair --allow-setup work --fail-on "regression>5%" &&
    status 10 pair --allow-setup work --fail-on "regression>5%" --require-gates --floor device=90% && grep -q "90.0%" err'
check '--steps all is the whole recording' eval 'pair && cp pair/compare_csvs/compare_waterfall.csv steps && pair --steps all && ! cmp -s steps pair/compare_csvs/compare_waterfall.csv'
check '--label-ref and --label-cand name the sides' eval 'pair --label-ref before --label-cand after && ls pair/compare_csvs | grep -q "_after" && pair && ! ls pair/compare_csvs | grep -q "_after"'

# Of summarize and job.
job() { tracefolio job traces -q -f -o site "$@"; }
check '--host is the host of a capture' eval 'one=$(ls traces/* | head -n 1) && tracefolio summarize "$one" --host evebox -q -o sum && gzip -cd sum/* | grep -q "\"host\": *\"evebox\""'
check '--rank is its rank' eval 'tracefolio summarize a.json.gz --rank 7 -q -o seven && [ -e seven/rank-00007.capture.json.gz ]'
check '--ranks: how many there should be' eval 'job && in_json site/job.json "not d[\"missing_ranks\"]" && job --ranks 6 && in_json site/job.json "d[\"missing_ranks\"] == [4, 5]"'
check '--gpus-per-node: which ranks share one' eval 'job && in_json site/job.json "d[\"nodes\"] == 2" && job --gpus-per-node 1 && in_json site/job.json "d[\"nodes\"] == 4"'
check '--link-peak: bandwidth as a share of it' eval 'job && ! tail -n +2 site/job_csvs/job_bandwidth.csv | grep -q ",0[.][0-9]*$" && job --link-peak intra=450,inter=50 && tail -n +2 site/job_csvs/job_bandwidth.csv | grep -q ",0[.][0-9]*$"'
check '--clock trust: clocks as recorded, which are wrong here' eval 'job && in_json site/job.json "d[\"clocks_good\"]" && job --clock trust && in_json site/job.json "not d[\"clocks_good\"] and d[\"clock_method\"] == \"as recorded\""'
check '--count-start counts what measures when profilers began' eval 'job && in_json site/job.json "d[\"capture_start_wait_ns\"] > 0" && job --count-start && in_json site/job.json "d[\"capture_start_wait_ns\"] == 0"'
check '--redact-hosts: no host anywhere, also where the names of files tell it' eval 'echo "gpu00*" >hosts && says 12 "holds" job --forbid hosts && job --redact-hosts --forbid hosts && grep -q "host_4002" site/job.json && grep -q "node-0002" site/job.json'
check '--share partner of captures that name hosts' eval 'tracefolio summarize traces/* -q -o named && tracefolio job named -q -f -o site --share partner --forbid hosts && tracefolio summarize traces/* -q -o shared --share partner --forbid hosts'
check '--max-pairs: with more, the run is not replayed, and the report says so' eval 'job && in_json site/job.json "d[\"what_if\"][\"recorded_ns\"] > 0" && job --max-pairs 0.1K &&
    in_json site/job.json "d[\"what_if\"] is None and d[\"late_ranks\"] == [2]" && grep -q "not evaluated: the ranks have 120 collectives, and --max-pairs allows 100" site/job_report.md && job --max-pairs 120 && in_json site/job.json "d[\"what_if\"]"'
check '--max-memory: the same for what a replay takes; less than the rest takes is an error' eval 'job --max-memory 24.013M && in_json site/job.json "d[\"what_if\"] is None" && grep -q "a replay would take about 25 MB of memory, and --max-memory allows 24 MB" site/job_report.md &&
    for n in 1 3; do says 3 "the 120 collectives of 4 captures take about 25 MB of memory; --max-memory allows 24 MB: give 25M" job --max-memory 24.005M --jobs $n || exit 1; done && says 2 "such as 800M or 2G" job --max-memory 2T'
check '--steps of a job' eval 'job && in_json site/job.json "d[\"steps\"] == 5" && job --steps 6-7 && in_json site/job.json "d[\"steps\"] == 2"'

echo "1..$count"
exit "$failed"
