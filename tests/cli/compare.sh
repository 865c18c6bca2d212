#!/bin/bash
# `tracefolio compare` as a user meets it.
#
#   tests/cli/compare.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
build=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
tf=$build/tracefolio

says() { # WANT TEXT COMMAND...: one line on stderr that holds TEXT
    local want=$1 text=$2
    shift 2
    status "$want" "$@" && grep -qF -- "$text" err && [ "$(wc -l <err)" = 1 ] || { cat err; return 1; }
}

compare() { status 0 "$tf" compare "$@"; }
equal() { diff -r "$1" "$2"; }

"$build/tracefolio-sample" --kind llm-prefill --layers 2 --steps 1 -o a.json.gz || exit 1
"$build/tracefolio-sample" --kind llm-prefill --layers 2 --steps 1 --defect unfused-attention \
    -o b.json.gz || exit 1
"$tf" analyze a.json.gz -p none --formats csv -q -o a.report || exit 1
"$tf" analyze b.json.gz -p none --formats csv -q -o b.report || exit 1

check 'two traces' eval 'compare a.json.gz b.json.gz -p MI300X -o ab && [ -s ab/comparison.xlsx ] &&
    [ -s ab/compare_csvs/ops_unique_args_intersect_b.csv ] && "$tf" verify ab'
check 'the last line is the page, and no name controls the terminal' \
    eval 'compare a.json.gz b.json.gz -p MI300X -o "$(printf "s\033[2J")/" && [ "$(tail -n 1 out)" = "Report:   s\x1b[2J/index.html" ]'
check 'the same bytes in another folder, with one thread' \
    eval 'compare a.json.gz b.json.gz -p MI300X -j1 -o ab2 && equal ab ab2'
check 'finished folders give the tables of their traces' \
    eval 'compare a.report b.report --label-ref a --label-cand b -o folders --formats csv &&
        for t in gpu_timeline ops_summary kernel_summary; do
            cmp ab/compare_csvs/$t.csv folders/compare_csvs/$t.csv || return 1; done'
captures() { # FOLDER REFERENCE CANDIDATE: the same as of their traces, but the tables of either side
    compare "$2" "$3" -p MI300X -o "$1" --label-ref a --label-cand b --formats csv,json,md,site &&
        [ "$(diff -rq ab "$1" | grep -cv "^Only in ab/compare_csvs: \|MANIFEST.txt\|^Only in ab: comparison.xlsx")" = 0 ]
}
"$tf" analyze a.json.gz -p MI300X --formats csv -q -o a.mi300 && "$tf" analyze b.json.gz -p MI300X --formats csv -q -o b.mi300
check 'captures alone' captures by_captures a.mi300/capture.json.gz b.mi300/capture.json.gz
check 'a trace and a capture' captures one_capture a.json.gz b.mi300/capture.json.gz
check 'reports with captures' eval 'captures by_reports a.mi300 b.mi300 && equal ab/compare_csvs by_reports/compare_csvs'
measured() { # what compare shows of each side is what report.json says of it
    for side in a b; do "$tf" analyze $side.json.gz -p MI300X --formats json -q -o $side.json.report || return 1; done
    python3 -c 'import csv, json
want = [json.load(open(s + ".json.report/report.json"))["mfu"] for s in "ab"]
rows = {r["name"]: r for r in csv.DictReader(open("ab/compare_csvs/compare_measured.csv"))}
told = {m["name"]: m for m in json.load(open("ab/comparison_data.json"))["measured"]}
for name, member in (("mfu_pct", "mfu_pct"), ("mfu_covered_pct", "covered_pct")):
    for side, w in zip(("reference", "candidate"), want):
        assert w[member] > 0 and abs(float(rows[name][side]) - w[member]) <= 0.005, (name, rows[name], w)
        assert told[name][side] == float(rows[name][side])
assert rows["mfu_pct"]["reference"] != rows["mfu_pct"]["candidate"]' && grep -q 'Model FLOP utilisation, %' ab/index.html
}
check 'figures that each trace tells of itself' measured
check 'a capture that is cut' eval 'gzip -dc a.mi300/capture.json.gz | head -c 5000 >cut.json &&
    says 3 "not a capture file" "$tf" compare a.json.gz cut.json -o x'
check 'captures in one file' eval 'cat a.mi300/capture.json.gz b.mi300/capture.json.gz >both.gz &&
    says 3 "several captures in one file" "$tf" compare a.json.gz both.gz -o x'
check 'a trace and a folder' compare a.json.gz b.report/perf_report_csvs -o mixed
check 'a trace with itself' eval 'compare a.json.gz a.json.gz -o same --formats csv &&
    ! cut -d, -f2 same/compare_csvs/gpu_timeline.csv | grep -vx "0.0\|.*_diff"'
differences() { # FOLDER SIGN: of the parts of the window, a line each
    python3 -c 'import csv, sys
for r in csv.DictReader(open(sys.argv[1] + "/compare_csvs/compare_waterfall.csv")):
    print(r["part"], int(sys.argv[2]) * int(r["diff_ns"]))' "$1" "$2"
}
sums() { # the parts of the window add up
    differences "$1" 1 | awk '$1 == "window" { w = $NF; next } { d += $NF } END { exit w + 0 != d + 0 }'
}
check 'the parts of the windows add up' eval 'sums ab && sums same && sums mixed && sums folders'
check 'a planted defect is one row: two kernels of attention became ten' grep -q '^LlamaAttention,,.*,T,.*,2,10,' ab/compare_csvs/compare_rows.csv
check 'swapped sides negate' eval 'compare b.json.gz a.json.gz -p MI300X -o ba --formats csv &&
    differences ab 1 >x1 && differences ba -1 >x2 && equal x1 x2 && grep -q "[1-9]$" x1'
planted() { # DEFECT PART: nine tenths of the difference are in that part of the window
    "$build/tracefolio-sample" --layers 2 --steps 3 --defect "$1" --fix "$1" -o fixed.json.gz &&
        "$build/tracefolio-sample" --layers 2 --steps 3 --defect "$1" -o planted.json.gz &&
        compare fixed.json.gz planted.json.gz -p MI300X -f -o planted --formats csv && sums planted &&
        awk -F, -v part="$2" 'NR == 2 { first = $1; diff = $5 } END { exit first != part || diff < 0.9 * $5 }' planted/compare_csvs/compare_waterfall.csv
}
check 'a host that waits in each layer is idle time' planted item-sync 'idle: Python'
check 'slow products are one bar' planted skinny-gemm GEMM
check 'one layer more is a count' eval '"$build/tracefolio-sample" --layers 3 --steps 3 -o three.json.gz &&
    "$build/tracefolio-sample" --layers 2 --steps 3 -o two.json.gz && compare two.json.gz three.json.gz -f -o layers --formats csv &&
    ! grep -q "only in" layers/compare_csvs/compare_rows.csv'
check 'what is alike by its category alone has the name of that' eval '"$build/tracefolio-sample" --kind cnn-training --layers 2 --steps 1 -o cnn.json.gz &&
    compare a.json.gz cnn.json.gz -p MI300X -f -o kinds0 --formats csv,md && head -3 kinds0/comparative_analysis_fair.md | grep -q "cnn" &&
    grep -q "^[A-Z][A-Za-z ]*,,[A-Za-z ]*,[a-zA-Z_]*,L5," kinds0/compare_csvs/compare_rows.csv &&
    ! grep -q "^aten::[a-z_]*,.*,L5," kinds0/compare_csvs/compare_rows.csv && grep -q "no recommendation follows" kinds0/comparative_analysis_fair.md'
check 'steps that are not there' says 3 'no step 99' "$tf" compare a.json.gz b.json.gz --steps 99 -q -o x
check 'steps that are none' says 2 'expected all, paired' "$tf" compare a.json.gz b.json.gz --steps x -o x
check 'an unknown way to match' says 2 'did you mean names' "$tf" compare a.json.gz b.json.gz --match name -o x
check 'a floor that is none' says 2 'kernel=3%,2us' "$tf" compare a.json.gz b.json.gz --floor 3 -o x
check 'markdown and data' eval '[ -s ab/comparative_analysis_fair.md ] && [ -s ab/comparative_analysis_rough.md ] &&
    grep -q "count as noise" ab/comment.md &&
    python3 -m json.tool ab/comparison_data.json >/dev/null'
check 'a page' eval '[ -s ab/index.html ] && [ "$(grep -c "<script" ab/index.html)" = 1 ] &&
    grep -q "<svg" ab/index.html && for f in $(grep -oE "assets/[^\"]+" ab/index.html); do [ -s ab/$f ] || exit 1; done'
"$build/tracefolio-sample" --kind llm-prefill --layers 2 --steps 3 --hostile -o hostile.json.gz || exit 1
check 'hostile names' eval 'compare hostile.json.gz a.json.gz -p MI300X -o hostile &&
    [ "$(grep -c "<script" hostile/index.html)" = 1 ] && python3 -m json.tool hostile/comparison_data.json >/dev/null &&
    sums hostile'
check 'the page as one file' eval 'compare a.json.gz b.json.gz -p MI300X -o one --single-file one.html &&
    [ "$(grep -c "<svg" one.html)" -ge 3 ] && ! grep -qE "(src|href)=\"assets" one.html'
check 'one file without a site' says 2 'leaves the site out' "$tf" compare a.json.gz b.json.gz -q --formats csv --single-file x.html -o x
check 'headings of the fair report' eval 'for h in "## Executive Summary" "### Key Findings" \
    "## Recommendations for" "## Detailed Comparison" "## Appendix"; do
        grep -q "^$h" ab/comparative_analysis_fair.md || exit 1; done'
check 'no side is praised' eval '! grep -wiE "winner|wins|loses|superior|inferior|beats|outperforms" ab/*.md'
caused() { # TEXT OPTION...: what the verdict says of a sample with it against one without
    local text=$1
    shift
    "$build/tracefolio-sample" --layers 4 --steps 5 -o plain.json.gz && "$build/tracefolio-sample" --layers 4 --steps 5 "$@" -o other.json.gz &&
        "$tf" compare plain.json.gz other.json.gz -p MI300X -o caused -f --formats md >said && grep -qE -- "$text" said || { cat said; return 1; }
}
check 'the verdict names what the host does' caused 'in each step the GPU waits [0-9.]+ ms more .*update_statistics. \(early_exit.py:41\)' --defect item-sync
check 'and the work that is done in other kernels' caused 'implemented differently: attention is one fused call in .plain. and several kernels in .other.' --defect unfused-attention
check 'and another batch' caused 'The two ran different work: a batch size of 4 against 2 .*flash' --batch 4
check 'and that nothing follows from that' grep -q 'What to do: nothing follows for either side; compare recordings of the same work' said
check 'and what to do about an added read of a value' eval 'caused "What to do: in .other., drop the added .item" --defect item-sync && grep -q "^.*What to do.*: in .other., drop the added .item" caused/comparative_analysis_fair.md && grep -q "What to do: in .other., drop" caused/comment.md'
check 'and one more layer' eval '"$build/tracefolio-sample" --layers 4 --steps 5 -o plain.json.gz && "$build/tracefolio-sample" --layers 5 --steps 5 -o other.json.gz &&
    "$tf" compare plain.json.gz other.json.gz -p MI300X -o caused -f --formats md >said && grep -q "other. runs the same block 5 times a step, .plain. 4 times" said'
check 'of the same twice, that nothing differs' eval '"$tf" compare plain.json.gz plain.json.gz -p MI300X -o caused -f --formats md >said && grep -q "No difference is beyond noise" said && ! grep -q "largest single" said && grep -qx "What to do: nothing." said'
gated() { status "$1" "$tf" compare a.json.gz "$2" -p MI300X -q -f -o gated --formats csv "${@:3}"; }
check 'a gate that fails' gated 10 b.json.gz --fail-on 'regression>5%' --allow-setup work
check 'a gate on a larger task is not evaluated, and says what would make it so' eval '
    status 10 "$tf" compare plain.json.gz other.json.gz -p MI300X -q -f -o gated --formats csv --fail-on "regression(wall)>5%" --require-gates &&
    grep -q "record the same batch, lengths and layers" err'
check 'the same task implemented differently is judged by its time' eval '
    "$build/tracefolio-sample" --layers 3 --steps 4 --defect unfused-attention -o eager.json.gz &&
    "$build/tracefolio-sample" --layers 3 --steps 4 -o fused.json.gz &&
    status 10 "$tf" compare fused.json.gz eager.json.gz -p MI300X -q -f -o gated --formats csv --fail-on "regression(wall)>5%" &&
    status 10 "$tf" compare fused.json.gz eager.json.gz -p MI300X -q -f -o gated --formats csv --fail-on "regression>5%"'
check 'a gate that only warns' eval 'gated 0 b.json.gz --fail-on "warn: regression>5%" --allow-setup work && grep -q "regression>5%. (a warning)" err'
check 'gates on the same trace' gated 0 a.json.gz --fail-on 'regression>5%' --fail-on 'regression(row)>5%' \
    --fail-on setup --fail-on 'unmatched>0%' --fail-on high --require-gates
check 'a gate below the noise' gated 10 a.json.gz --fail-on 'regression>0.1%' --require-gates
check 'a gate on wall time seen once, where parts of it cannot hide so much' gated 0 a.json.gz --fail-on 'regression(wall)>5%' --require-gates
check 'a gate that must be evaluated, and what would make it so' eval 'gated 10 a.json.gz --fail-on "regression(wall)>1%" --require-gates && grep -q "more captures of each side" err &&
    grep -q "1 of 1 gate was not evaluated" err'
waived() { # what is new, waived until a day
    python3 -c 'import json, sys
for f in json.load(open("ab/comparison_data.json"))["new_findings"]:
    print(f["id"], sys.argv[1], "known and planned")' "$1" >w.txt && [ -s w.txt ]
}
check 'a finding that is new' gated 10 b.json.gz --fail-on new-finding
check 'a waiver holds for it up to its date' eval 'waived 2026-03-01 && gated 0 b.json.gz --fail-on new-finding --waivers w.txt --date 2026-03-01 --require-gates && [ ! -s err ]'
check 'and not the day after' eval 'gated 10 b.json.gz --fail-on new-finding --waivers w.txt --date 2026-03-02 && grep -q "the waiver of .* ended on 2026-03-01" err'
check 'no gate' says 2 'expected a condition' "$tf" compare a.json.gz b.json.gz --fail-on 'x>5%' -o x
check 'several captures of a side' eval 'cp a.json.gz a2.json.gz && compare --ref a.json.gz --ref a2.json.gz --cand a.json.gz --cand a2.json.gz \
    -o many --formats json && grep -q "\"n_reference\": 2" many/comparison_data.json'
check 'a capture is the next baseline' eval 'compare a.json.gz b.json.gz -p MI300X --baseline-out next.json.gz -o next &&
    compare b.json.gz next.json.gz -p MI300X --formats csv -o again && sums again &&
    [ "$(differences again 1 | awk "{ d += \$NF > 0 } END { print d + 0 }")" = 0 ]'
frugal() { # SECONDS MB COMMAND...: processor time and memory of a run
    python3 - "$@" <<'END'
import resource, subprocess, sys
subprocess.run(sys.argv[3:], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
seconds, mb = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
assert seconds < float(sys.argv[1]) and mb < float(sys.argv[2]), (seconds, mb)
END
}
"$build/tracefolio-sample" --events 100000 -o large.json.gz && "$tf" analyze large.json.gz -p none -q --formats csv -o large || exit 1
mb=100
nm "$tf" 2>/dev/null | grep -q __asan_init && mb=4000 # which takes memory of its own
check 'captures alone take no second and less than 100 MB' frugal 1 $mb "$tf" compare large/capture.json.gz large/capture.json.gz -o light
check 'eight earlier captures are the measure' eval 'mkdir store && for i in 1 2 3 4 5 6 7 8; do
        "$build/tracefolio-sample" --kind llm-prefill --layers 2 --steps 1 --seed $i -o s.json.gz &&
        "$tf" analyze s.json.gz -p none --formats csv -q -f -o s --baseline-out store/$i.json.gz || exit 1; done
    compare s.json.gz b.json.gz --history store -o history --formats json,md && grep -q "outside what was seen" out &&
    grep -q "The median of 8 earlier captures" history/comparative_analysis_fair.md &&
    compare b.json.gz s.json.gz --history store -o history2 --formats json && grep -q "within what was seen" out'
check 'a history that is none' says 3 'no capture file' "$tf" compare a.json.gz b.json.gz --history ab -q -o x
check 'the order of captures of a side does not matter' eval 'compare --ref a.json.gz --ref store/1.json.gz --cand b.json.gz \
        --cand store/2.json.gz -p MI300X --label-ref r --label-cand c -o order1 --formats json &&
    compare --ref store/1.json.gz --ref a.json.gz --cand store/2.json.gz --cand b.json.gz -p MI300X -j1 \
        --label-ref r --label-cand c -o order2 --formats json && equal order1 order2'
check 'sides by option' compare --ref a.json.gz --cand b.json.gz -o sides --formats csv
check 'one side is missing' says 2 'missing candidate' "$tf" compare a.json.gz
check 'three traces' says 2 "unexpected argument 'c'" "$tf" compare a.json.gz b.json.gz c
check 'standard input twice' says 2 'only one of the captures' "$tf" compare - -
check 'no such file' says 3 'reading the candidate' "$tf" compare a.json.gz none.json -o x
echo "{\"traceEvents\": []}" >nothing.json
check 'nothing on either side' eval 'compare nothing.json nothing.json -o none --formats md,json && grep -q "Neither capture has device work" out'
check 'a folder that is not a report' eval 'mkdir empty && says 3 "not the folder of a report" \
    "$tf" compare a.json.gz empty -o x'
check 'a table with a broken line' eval 'cp -r a.report broken && printf "x,1,2,3,4\n" >> \
    broken/perf_report_csvs/gpu_timeline.csv && says 3 "more fields" "$tf" compare a.report broken -o x'
check 'a pipe in a folder is not waited for' eval 'for file in capture.json.gz perf_report_csvs/gpu_timeline.csv; do
        rm -rf piped && cp -r a.report piped && rm piped/$file && mkfifo piped/$file || return 1
        says 3 "$file: cannot be opened: not a plain file" timeout 20 "$tf" compare a.report piped -o x || return 1
    done'
check 'peaks of two kinds are taken from the data sheets' \
    eval 'compare a.json.gz b.json.gz -p MI300X,H100 -o kinds --formats csv &&
        grep -q "MI300X and H100 are of two kinds; both are taken from their data sheets" err'
check 'or the efficiencies do not compare' \
    eval 'compare a.json.gz b.json.gz -p MI400,H100 -o kinds2 --formats csv &&
        grep -q "MI400 and H100 are of two kinds: efficiencies do not compare" err'
check 'one kind needs no word' \
    eval 'compare a.json.gz b.json.gz -p MI300X,MI325X -o kinds3 --formats csv && [ ! -s err ]'
check 'without -p the devices are those recorded' eval 'compare a.json.gz b.json.gz -o found --formats csv,json,md &&
    grep -qx "tracefolio: platforms MI300X and MI300X, as recorded" err &&
    compare a.json.gz b.json.gz -p MI300X -o named --formats csv,json,md && equal named found'
check 'an unknown device' says 2 "unknown device 'H10'" "$tf" compare a.json.gz b.json.gz -p MI300X,H10 -o x
check 'a folder of somebody else is not replaced' eval 'mkdir other && : >other/file && \
    says 4 other "$tf" compare a.json.gz b.json.gz -o other'
check 'failures leave nothing behind' eval '[ ! -e x ] && [ -z "$(ls -A | grep tmp-)" ]'
echo "1..$count"
exit $failed
