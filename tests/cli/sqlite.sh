#!/bin/bash
# Traces in SQLite: Nsight Systems, rocpd and rpd; and several processes in one file.
#
#   tests/cli/sqlite.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
here=$(realpath "$(dirname "$0")")
build=$(realpath "$1")
other=${SHARED:-$here/../../../shared}/other
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work" || exit 1
PATH=$build:$PATH
as() { python3 "$here/../../samples/sqlite_trace.py" "$@"; }
analyze() { tracefolio analyze -p none -q -f "$@"; }

tracefolio-sample --kind cnn-training --device H100 -o cnn.json
tracefolio-sample --kind llm-prefill --layers 3 --defect many-small-copies -o llm.json
tracefolio-sample --job 2 --steps 2 --plant late-input:1=4000 -o job >/dev/null

# The tables are those of the JSON of the same events.
same() { # FORMAT SAMPLE
    as "$1" "$2.$1.db" "$2.$1.json" "$2.json" && analyze "$2.$1.db" --formats csv -o db && analyze "$2.$1.json" --formats csv -o json &&
        [ -s db/perf_report_csvs/kernel_summary.csv ] && diff -r db/perf_report_csvs json/perf_report_csvs >differ || { head -c 600 differ; return 1; }
}
for format in nsys rpd rocpd rocpd-tracks; do
    for sample in cnn llm; do
        check "$format: the tables of $sample are those of its JSON" same $format $sample
    done
done

packed() { # from standard input, and compressed in either way
    gzip -c cnn.nsys.db >cnn.gz && zstd -q -f cnn.nsys.db -o cnn.zst && analyze cnn.nsys.db --formats csv -o plain && analyze - --formats csv -o pipe <cnn.gz &&
        analyze cnn.zst --formats csv -o zst && diff -r plain/perf_report_csvs pipe/perf_report_csvs && diff -r plain/perf_report_csvs zst/perf_report_csvs
}
check 'compressed, and from standard input' packed
no_room() { status 3 env TMPDIR=/nonexistent tracefolio analyze cnn.gz -o x && grep -q 'cannot be written to /nonexistent: .*set TMPDIR' err; }
check 'no place for a copy is one line that says what to do' no_room
left() { mkdir -p tmp && TMPDIR=$work/tmp analyze cnn.gz --formats csv -o x && [ -z "$(ls -A tmp)" ]; }
check 'the copy is gone' left

grids() { # hipExtModuleLaunchKernel counts work items in rpd, as in PyTorch's trace; the JSON here has blocks
    sed -i s/hipExtModuleLaunchKernel/hipModuleLaunchKernel/ cnn.rpd.json
    for k in db json; do analyze cnn.rpd.$k --formats md,json -o $k && grep -hoE 'on (a grid of [0-9x ]*|grids of [0-9to ]*blocks)' -r $k | sort -u >$k.grids; done
    [ -s db.grids ] && diff db.grids json.grids && cmp <(fill db) <(fill json)
}
fill() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1] + "/report.json"))["fill"])' "$1"; }
check 'rpd: grids are in blocks, whatever the call counts' grids

# The same work by two profilers is the same work.
compared() { tracefolio compare llm.json "$1" -f -o compared >said && grep -q '^No difference is beyond noise' said; }
for format in nsys rocpd rpd; do
    as $format same.$format.db same.json llm.json && check "$format: compared with PyTorch's trace of the same run, nothing differs" compared same.$format.db
done

# What rpd2tracing.py makes of rpd: whole microseconds, and arrows that lead from no recorded place.
for sample in cnn llm; do
    python3 "$here/../../samples/rpd_json_trace.py" $sample.json $sample || exit 1
    as_text() { # SUFFIX: the tables of the JSON of the same events
        analyze $sample.$1.json --formats csv -o text && analyze $sample.us.json --formats csv -o json &&
            [ -s text/perf_report_csvs/kernel_summary.csv ] && diff -r text/perf_report_csvs json/perf_report_csvs
    }
    check "JSON of rpd2tracing.py: the tables of $sample are those of its JSON" as_text rpd2
    check '... and as an object' as_text rpd2o
done
no_torch() { analyze llm.rpd2.json -o text && ! grep -rlE 'ProfilerActivity|profile_memory|newer PyTorch|stacks off' text --include=*.html --include=*.md; }
check '... and nothing is asked for that rpd cannot record' no_torch
named_rpd() { tracefolio analyze llm.rpd2.json -p none -f -q -o text && grep -q 'record_shapes=True, and name the .rpd file' text/checks.html; }
check '... which has no shapes: the .rpd file has' named_rpd
cut_text() { head -c 200000 llm.rpd2.json >cut.json && status 3 tracefolio analyze cut.json -o x && grep -q 'cut off after' err; }
check '... and without its end' cut_text

# Several processes in one file.
for format in nsys rpd rocpd; do
    as $format two.$format.db one.$format.json job/rank0.json.gz job/rank1.json.gz || exit 1
    first() {
        tracefolio analyze two.$format.db -p none -f --formats csv -o part 2>err && grep -q 'holds 2 processes; this report is of rank 0 (process 1000, GPU 0)' err &&
            analyze one.$format.json --formats csv -o json && diff -r part/perf_report_csvs json/perf_report_csvs
    }
    check "$format: the first of two processes, as if it were alone, and a line that says so" first
    second() { analyze two.$format.db:rank=1 --formats csv -o other && ! diff -rq part/perf_report_csvs other/perf_report_csvs >/dev/null; }
    check "$format: the other by FILE:rank=1" second
    third() { status 3 tracefolio analyze two.$format.db:rank=2 -o x && grep -q 'holds 2 processes with device work' err; }
    check "$format: there is no third" third
    job() { tracefolio job two.$format.db -f -o site -q && python3 -c 'import json; j = json.load(open("site/job.json")); assert [r["rank"] for r in j["ranks"]] == [0, 1], j["ranks"]'; }
    check "$format: job takes both as ranks" job
done
compared() { tracefolio compare two.nsys.db:rank=0 two.nsys.db:rank=1 -p none -f -q -o compared && grep -q 'rank 1' compared/index.html; }
check 'compare takes one of several' compared
# A recording by PyTorch's profiler and one by Nsight Systems of the same run: ranges hold no types, and names of kernels are spelt alike.
like() {
    tracefolio compare cnn.json cnn.nsys.db -p H100,H100 -f -q -o like && grep -q '^- Set-up: same work, same hardware' like/comparative_analysis_rough.md &&
        grep -q 'No difference is beyond noise' like/comparative_analysis_rough.md &&
        grep -q 'None: all work has a counterpart' like/comparative_analysis_rough.md
}
check 'compare of PyTorch with Nsight Systems: the same run is the same work' like
alone() { status 3 tracefolio analyze cnn.json:rank=1 -o x && grep -q 'without :rank=' err; }
check 'a file of one trace has no ranks to choose from' alone

# What is not ours, and what is hostile.
sql() { rm -f "$1" && python3 -c 'import sqlite3, sys; d = sqlite3.connect(sys.argv[1]); d.executescript(sys.argv[2]); d.commit()' "$@"; }
refuses() { # WORDS FILE
    status 3 timeout 20 tracefolio analyze "$2" -o refused && [ "$(wc -l <err)" = 1 ] && grep -q -- "$1" err && [ ! -e refused ] || { cat err; return 1; }
}
sql foreign.db 'create table t (a); insert into t values (1);'
check 'SQLite of something else' refuses 'tables of neither Nsight Systems' foreign.db
head -c 5000 cnn.nsys.db >cut.db
check 'a file that is cut off' refuses 'not readable as SQLite' cut.db
printf 'SQLite format 3\0' >head.db
check 'a head and nothing else' refuses 'not readable as SQLite\|tables of neither' head.db
touch report.nsys-rep && printf 'NSYSREP' >report.nsys-rep
check 'a report of Nsight Systems is to be exported' refuses 'nsys export --type sqlite' report.nsys-rep
views='create table StringIds (id, value); create view CUPTI_ACTIVITY_KIND_KERNEL as with recursive c(start) as (select 1 union all select start + 1 from c) select start, start as end, 0 as deviceId, 0 as streamId, 0 as globalPid, 1 as demangledName from c;'
sql view.db "$views create table NVTX_EVENTS (start, end, eventType, text, globalTid);"
not_run() { timeout 20 tracefolio analyze view.db -p none -q -f -o viewed; [ $? != 124 ]; }
check 'views do not run' not_run
sql generated.db "create table StringIds (id, value); create table CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId, correlationId, globalPid, demangledName as (hex(zeroblob(20000000))), gridX);
insert into CUPTI_ACTIVITY_KIND_KERNEL values (1, 2, 0, 0, 1, 1, 1);"
check 'a column that computes something long is refused' refuses 'not readable as SQLite' generated.db
sql twins.db "create table StringIds (id, value); create table CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId, correlationId, globalPid, demangledName);
with recursive c(n) as (select 1 union all select n + 1 from c where n < 100000) insert into StringIds select 1, 'k' from c;
with recursive c(n) as (select 1 union all select n + 1 from c where n < 100000) insert into CUPTI_ACTIVITY_KIND_KERNEL select n * 10, n * 10 + 5, 0, 0, 1, 1, 1 from c;"
check 'numbers that are not unique take linear time' timeout 20 tracefolio analyze twins.db -p none -q -f -o twins
sql odd.db "create table StringIds (id, value); insert into StringIds values ('x', 7), (1, x'00ff3c'); create table CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId, correlationId, globalPid, demangledName);
insert into CUPTI_ACTIVITY_KIND_KERNEL values (9223372036854775807, -9223372036854775808, 'a', 1e300, null, 1, 1), ('b', x'00', null, null, null, null, null), (10, 20, 0, 7, 1, 1, 1), (5, 4, 0, 7, 1, 1, 1);"
odd() { analyze odd.db -o odd --formats json,csv && grep -q '"n_events"\|events' odd/report.json; }
check 'values of any type and size' odd

# Real files, with figures of an independent reading of their tables.
if [ -e "$other/mfu_2gpu_before.sqlite.gz" ]; then
    read_nsys() { for r in 0 1; do tracefolio analyze "$other/mfu_2gpu_before.sqlite.gz:rank=$r" -p none -q -f --include-backlog -o mfu$r || return 1; done; }
    check 'mfu_2gpu_before.sqlite' read_nsys
    check '... has the figures of its tables' python3 "$here/sqlite_figures.py" "$other/mfu_2gpu_before.sqlite.gz" mfu0 mfu1
    told_job() { grep -q 'all ranks (`tracefolio job`)' mfu0/standalone_analysis.md && ! grep -q 'Not recorded: .* ranks' mfu0/standalone_analysis.md; }
    check '... which has all ranks, for job to compare' told_job
    job_mfu() { tracefolio job "$other/mfu_2gpu_before.sqlite.gz" -f -o mfu | tee out && grep -q 'Rank 1 .*arrives late\|Rank 1 may hold' out; }
    check '... and job says who waits for whom' job_mfu
    read_rpd() { tracefolio analyze "$other/mytrace.rpd.gz" -p none -q -f -o rpd && python3 "$here/sqlite_figures.py" "$other/mytrace.rpd.gz" rpd; }
    rpd_grid() { grep -rqE 'grids? of ([0-9]+ to )?4144( x 1 x 1| blocks)' rpd --include=*.md; }
    check 'mytrace.rpd: device work, busy time and launches of its tables' read_rpd
    check '... and grids in blocks: 1060864 work items are 4144' rpd_grid
else
    echo 'ok - real files # SKIP not here'
fi
