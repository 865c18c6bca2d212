#!/bin/bash
# A workbook of TraceLens as a side of `tracefolio compare`.
#
#   tests/cli/workbook.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
here=$(realpath "$(dirname "$0")")
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
book() { python3 "$here/workbook.py" "$@"; }
compare() { status 0 "$tf" compare "$@"; }

for s in a b; do
    defect=$([ $s = b ] && echo '--defect unfused-attention') # shellcheck disable=SC2086
    "$build/tracefolio-sample" --kind llm-prefill --layers 2 --steps 1 $defect -o $s.json.gz &&
        "$tf" analyze $s.json.gz -p none --formats csv,xlsx -q -o $s.report &&
        mv $s.report/perf_report.xlsx $s.own.xlsx && rm $s.report/capture.json.gz &&
        book $s.report/perf_report_csvs $s.xlsx && book $s.report/perf_report_csvs $s.excel.xlsx excel || exit 1
done

alike() { # REFERENCE CANDIDATE: the comparison of the folders with the same tables, in all files
    rm -rf want got
    compare a.report b.report --label-ref a --label-cand b -o want && compare "$1" "$2" --label-ref a --label-cand b -o got &&
        [ -s want/compare_csvs/ops_summary.csv ] && diff -r want got
}
check 'the same as of the folders with its tables' alike a.xlsx b.xlsx
check 'as a spreadsheet program saves it' alike a.excel.xlsx b.excel.xlsx
own() { # whose whole numbers are written as such: the new workbook alone tells the difference
    compare a.own.xlsx b.own.xlsx --label-ref a --label-cand b -o own && compare a.report b.report --label-ref a --label-cand b -o want &&
        [ "$(diff -rq want own)" = "$(printf '%s\n' 'Files want/MANIFEST.txt and own/MANIFEST.txt differ' \
            'Files want/comparison.xlsx and own/comparison.xlsx differ')" ]
}
check 'our own workbook' own
check 'a workbook and a folder' alike a.xlsx b.report
check 'a side is called as its file' eval 'compare a.xlsx b.xlsx -o named && grep -q "b against a\|of a\b" named/comment.md'
check 'a trace and a workbook' eval 'compare a.json.gz b.xlsx -p none -o mixed && [ -s mixed/compare_csvs/ops_summary.csv ]'

by_category() { # kernel times by category, as the sheet has them
    python3 -c 'import csv
told = {r["category"]: r for r in csv.DictReader(open("want/compare_csvs/compare_categories.csv"))}
for side, report in (("reference", "a"), ("candidate", "b")):
    ns = {r["op category"]: 1e6 * float(r["total_direct_kernel_time_ms"])
          for r in csv.DictReader(open(report + ".report/perf_report_csvs/ops_summary_by_category.csv"))}
    assert abs(int(told["GEMM"]["kernel_%s_ns" % side]) - ns["GEMM"]) < 1000, (told["GEMM"], ns)
    parts = sum(int(r["kernel_%s_ns" % side]) for c, r in told.items() if c != "computation")
    assert parts == int(told["computation"]["kernel_%s_ns" % side]) > 0, told'
}
check 'differences by category' by_category
check 'and what its tables lack' eval '[ "$(grep -c "is a report without its trace" want/index.html)" = 2 ]'

refused() { # VARIANT TEXT
    book a.report/perf_report_csvs bad.xlsx "$1" && says 3 "$2" "$tf" compare bad.xlsx b.xlsx -o x && [ ! -e x ]
}
check 'a sheet that unpacks to 300 MB' refused bomb 'it expands to many times its size'
check 'texts that expand' refused entity 'a document type or CDATA'
check 'a text that is not there' refused string 'a cell names a text that is not there'
check 'a cell beyond the header' refused wide 'a row has more cells than the header'
check 'a sheet that is listed and missing' refused nosheet 'it is not in the archive'
check 'half of a workbook' refused cut 'a zip archive, and not a whole workbook'
check 'a workbook of a comparison' eval 'book want/compare_csvs bad.xlsx && says 3 "the tables of a comparison" "$tf" compare bad.xlsx b.xlsx -o x &&
    says 3 "the tables of a comparison" "$tf" compare a.xlsx want/compare_csvs -o x'
check 'a workbook of something else' refused other 'a workbook without a sheet of a performance report'
check 'a zip that is no workbook' eval 'python3 -m zipfile -c z.zip a.report/perf_report_csvs &&
    says 3 "a zip archive, and not a whole workbook" "$tf" compare a.xlsx z.zip -o x'
for command in 'analyze a.xlsx -o x' 'tree a.xlsx --find mm' 'whatif a.xlsx kernel:gemm=0.5' 'summarize a.xlsx -o x' \
    'job a.xlsx -o x'; do # shellcheck disable=SC2086
    check "no trace: ${command%% *}" says 3 'can be a side of `tracefolio compare`' "$tf" $command
done
check 'standard input is a trace' eval '"$tf" compare - b.xlsx -o x <a.xlsx >out 2>err; [ $? = 3 ] && grep -q "can be a side" err'
check 'one rank of it' says 3 'a.xlsx' "$tf" compare a.xlsx:rank=0 b.xlsx -o x
echo "1..$count"
exit "$failed"
