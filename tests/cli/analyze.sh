#!/bin/bash
# The program as a user meets it: arguments, output, exit status.
#
#   tests/cli/analyze.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
here=$(realpath "$(dirname "$0")/../..")
packaging=$(realpath "$1")/packaging
build=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

says() { # WANT TEXT COMMAND...: one line on stderr that holds TEXT
    local want=$1 text=$2
    shift 2
    status "$want" "$@" && grep -qF -- "$text" err && [ "$(wc -l <err)" = 1 ] || { cat err; return 1; }
}

tf=$build/tracefolio
"$build/tracefolio-sample" --kind llm-prefill --layers 2 --steps 1 --defect unfused-attention \
    --defect item-sync -o t.json.gz || exit 1
gzip -dc t.json.gz >t.json

whole() { # a folder with every format in it
    local f
    for f in index.html operations.html kernels.html perf_report.xlsx report.json MANIFEST.txt \
        standalone_analysis_fair.md perf_report_csvs/gpu_timeline.csv; do
        [ -s "$1/$f" ] || { echo "no $1/$f"; return 1; }
    done
}

equal() { diff -r "$1" "$2"; }

analyze() { status 0 "$tf" analyze "$@"; }

check 'writes every format' eval 'analyze t.json.gz -p MI300X -j2 -o a && whole a'
check 'verify agrees' status 0 "$tf" verify a
check 'findings in one order everywhere, by one priority' python3 "$here/tests/cli/one_order.py" a
"$build/tracefolio-sample" --kind cnn-training --defect pageable-copies --device H100 -o copies.json.gz || exit 1
check 'busy and computing are two figures, each the same everywhere' eval \
    'analyze copies.json.gz -q -p H100 -o copies && python3 "$here/tests/cli/busy_shares.py" copies'
check 'one kernel, gap or copy is not several' python3 "$here/tests/cli/plurals.py" "$tf"
check 'plain and gzip give the same tables' \
    eval 'analyze t.json -p MI300X -o b && equal a/perf_report_csvs b/perf_report_csvs'
check 'standard input gives the same tables' \
    eval '"$tf" analyze - -p MI300X -o c <t.json.gz && equal a/perf_report_csvs c/perf_report_csvs'
check 'one thread, another folder, locale and time zone: the same bytes' \
    eval 'mkdir deep && (cd deep && TZ=Asia/Tokyo LC_ALL=C "$tf" analyze ../t.json.gz -p MI300X -j1 -o d) &&
        equal a deep/d'
check 'more threads than it can use' eval 'analyze t.json.gz -p MI300X -j8 -o j8 && equal a j8'
check 'a bare trace means analyze' status 0 "$tf" t.json.gz -p mi300x -o e
check 'device names as people write them' analyze t.json.gz -p 'NVIDIA H100 SXM' -o f
check 'only the formats asked for' \
    eval 'analyze t.json.gz -p none --formats csv -o g && [ -d g/perf_report_csvs ] && [ ! -e g/index.html ]'
k() { echo "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"$1\",\"pid\":0,\"tid\":7,\"ts\":$2,\"dur\":$3,\"args\":{\"correlation\":$4,\"stream\":7}}"; }
echo "{\"traceEvents\":[$(k before 10 20 91),
{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"hipLaunchKernel\",\"pid\":9,\"tid\":1,\"ts\":90,\"dur\":5,\"args\":{\"correlation\":1}},
{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":9,\"tid\":1,\"ts\":80,\"dur\":20,\"args\":{}},
$(k gemm 100 50 1),$(k alone 160 40 92)]}" >u.json
total() { # MS OPTION...: the total time of the tables
    local want=$1
    shift
    analyze u.json -p none --formats csv -q -f -o u "$@" &&
        grep -q "^total_time,$want,100.0" u/perf_report_csvs/gpu_timeline.csv || { cat u/perf_report_csvs/gpu_timeline.csv; return 1; }
}
check 'device work without a launch call counts, but that of the step before' total 0.1
check '--exclude-unlinked leaves it out' total 0.05 --exclude-unlinked
check '--include-backlog counts the step before too' total 0.19 --include-backlog
check '--include-unlinked does nothing, and says so' \
    eval 'says 0 "note: --include-unlinked is the default" "$tf" analyze u.json -p none --formats csv -o u2 --include-unlinked &&
        total 0.1 && equal u/perf_report_csvs u2/perf_report_csvs'
check 'options that contradict each other' \
    says 2 'contradicts --include-backlog' "$tf" analyze u.json -p none --exclude-unlinked --include-backlog
check 'the default folder lies beside the trace' \
    eval 'mkdir there && cp t.json.gz there && analyze there/t.json.gz -p none --formats csv &&
        [ -s there/analysis_output/MANIFEST.txt ]'

ahead_trace() { # IDLE_US: steps of 1 and 9 ms on the host; ten kernels of 1 ms, each IDLE_US behind the last
    local k at=100
    printf '{"traceEvents":[{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":9,"tid":1,"ts":0,"dur":1000},'
    printf '{"ph":"X","cat":"user_annotation","name":"ProfilerStep#2","pid":9,"tid":1,"ts":1000,"dur":9000}'
    for k in 1 2 3 4 5 6 7 8 9 10; do
        printf ',{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":1,"ts":%d,"dur":5,"args":{"correlation":%d}}' $((k * 90)) $k
        printf ',{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":%d,"dur":1000,"args":{"correlation":%d,"stream":7,"device":0}}' $at $k
        at=$((at + 1000 + $1))
    done
    printf ']}\n'
}
steps_are() { # RESULT IDLE_US
    ahead_trace "$2" >ahead.json && analyze ahead.json -p none -q -f -o ahead &&
        grep -A4 '"id": "steps"' ahead/report.json | grep -q "\"result\": \"$1\"" || { grep -A6 '"id": "steps"' ahead/report.json; return 1; }
}
check 'marks of a host that runs ahead do not tell how even steps are' steps_are not_evaluated 1
check 'steps of a GPU that waits are uneven if their marks are' steps_are warning 400

limited() { # GB...: of address space
    local gb
    for gb; do
        (ulimit -v $((gb * 1000000)) && "$tf" analyze t.json.gz -p MI300X -q -o limited && equal a limited) || { echo "$gb GB"; return 1; }
    done
}
if nm "$tf" 2>/dev/null | grep -q __asan_init; then
    echo "ok - a gigabyte of address space is enough # SKIP the sanitizer needs more"
else
    check 'a gigabyte of address space is enough, as are 2, 4 and 16' limited 1 2 4 16
fi
check 'our own folder is replaced' analyze t.json.gz -p MI300X -o a
mkdir mine && echo precious >mine/thesis.txt
check 'a folder we did not write is not' says 4 "mine: holds 'thesis.txt'" "$tf" analyze t.json.gz -p MI300X -o mine
check 'and is left untouched' grep -q precious mine/thesis.txt
check 'unless forced, which moves it aside and says so' \
    eval 'analyze t.json.gz -p MI300X -q -o mine --force && grep -q precious mine.replaced-1/thesis.txt && whole mine &&
        [ "$(wc -l <err)" = 1 ] && grep -q "/mine.replaced-1: the folder that was there" err'
head -c 5000 t.json >cut.json
check 'a truncated trace is refused, with the byte offset' says 3 'cut.json: byte 5000: ' "$tf" analyze cut.json -p MI300X -o a
check 'and the previous site stays' eval 'whole a && "$tf" verify a'
check 'no half-written folder is left behind' eval '[ -z "$(ls -A | grep "^\.")" ]'
echo x >>a/index.html
check 'verify finds a changed byte' eval '! "$tf" verify a >v 2>&1 && grep -q "changed *index.html" v &&
    grep -q "1 file differs" v'

check 'missing trace argument' says 2 'missing trace; run tracefolio analyze TRACE' "$tf" analyze -p MI300X
check 'unknown platform' says 2 'lists them; or name a JSON file' "$tf" analyze t.json.gz -p Quadro
check 'a misspelt device' says 2 'did you mean MI300X?' "$tf" analyze t.json.gz -p MI30X
check 'unknown option' says 2 "unknown option '--fast'" "$tf" analyze t.json.gz -p MI300X --fast
check 'a misspelt option' says 2 "unknown option '--platfrom' (did you mean --platform?)" "$tf" t.json.gz --platfrom MI300X
check 'an unknown letter among others' says 2 "unknown option '-x'" "$tf" -xq t.json.gz
check 'an option without a value' says 2 '--output: expected a value' "$tf" t.json.gz -o
check 'an unexpected value' says 2 '--quiet: unexpected value' "$tf" t.json.gz --quiet=3
check 'an ambiguous abbreviation' says 2 "'--fo' is ambiguous: 4 options begin with it" "$tf" t.json.gz --fo
check 'unknown command' says 2 "unknown command 'anlyze' (did you mean analyze?); the commands are" "$tf" anlyze t.json.gz
check 'a word that is not a file is a command' says 2 "unknown command 'platfroms' (did you mean platforms?)" "$tf" platfroms
check 'unknown theme' says 2 "unknown theme 'mona' (did you mean mono?); the themes are default, high-contrast, mono" \
    "$tf" analyze t.json.gz -p MI300X --theme mona
check 'an unexpected argument' says 2 "unexpected argument 'b'" "$tf" analyze t.json.gz b
check 'a URL instead of a file' eval 'for c in analyze verify job\ -o\ x summarize\ -o\ x compare\ t.json share-check reindex publish; do
        says 2 "https://host/t.json.gz'"'"' is a URL, and tracefolio opens no network connections; download it first" "$tf" $c https://host/t.json.gz || { echo "$c"; return 1; }; done'
check 'nothing behind a list of devices' says 2 "unexpected argument 'x'" "$tf" platforms x
check 'an invalid number of threads' says 2 'from 1 to 256' "$tf" analyze t.json.gz -p MI300X -j 0
check 'unknown format' says 2 "unknown format 'pgn' (did you mean png?); the formats are site, md" \
    "$tf" analyze t.json.gz -p MI300X --formats csv,pgn
out_of_room() { "$tf" "$@" >/dev/full; }
check 'a trace that does not exist' says 3 'nowhere.json' "$tf" analyze nowhere.json -p MI300X
check 'a folder instead of a trace' says 3 'folder' "$tf" analyze there -p MI300X
check 'an output folder that cannot be created' says 4 '/proc' "$tf" analyze t.json.gz -p MI300X -o /proc/here/out
check 'help names every command' eval '"$tf" --help >h && grep -q platforms h && grep -q patterns h && grep -q verify h'
check 'help on a topic prints its guide' \
    eval '"$tf" help writing-patterns | head -n 1 | grep -q "^# Writing a pattern" &&
        "$tf" help replay >h && head -n 1 h | grep -q "^# Replay packages" && grep -q "^## Run it" h &&
        "$tf" help residual_scale.lua >r.lua && "$tf" patterns --extension r.lua | grep -q "^user.residual_scale" &&
        "$tf" help softmax_model.lua >r.lua && "$tf" patterns --extension r.lua | grep -q "^aten::_softmax " &&
        "$tf" help analyze >h && grep -q "^  tracefolio analyze TRACE" h && grep -q -- "--fair-style" h && ! grep -q -- "--label-ref" h'
# One text is longer than the buffer of standard output, one shorter.
[ ! -e /dev/full ] || check 'a failed write to standard output is an error' \
    eval 'says 4 "cannot be written" out_of_room help writing-patterns && says 4 "cannot be written" out_of_room --version'
check 'an unknown topic' says 2 "unknown topic 'sesame'" "$tf" help sesame
check 'version' eval '[ "$("$tf" --version | wc -w)" = 2 ] && [ "$("$tf" -V)" = "$("$tf" --version)" ]'
check 'platforms have figures' eval '"$tf" platforms >p && grep -qE "^MI300X +192 +5.30 +40.0 +81.0 +- +708 +654 +1273 .*achievable" p &&
    [ "$(wc -l <p)" -gt 80 ] && [ "$(awk "length > 110" p)" = "" ]'

check '--fail-on: a finding that is high' \
    eval 'status 10 "$tf" analyze t.json.gz -p MI300X --fail-on high -o h1 && whole h1'
"$build/tracefolio-sample" --kind healthy --layers 4 -o healthy.json.gz
check '--fail-on: a healthy trace' status 0 "$tf" analyze healthy.json.gz -p MI300X --fail-on high -o h2
"$build/tracefolio-sample" --empty -o empty.json.gz
check 'a trace without device work is reported, not refused' \
    eval 'analyze empty.json.gz -p MI300X -o h3 && [ -s h3/index.html ] &&
        grep -q "^CPU only: " out && grep -qx "Findings: none" out'
echo '[{"ph":"X","cat":"cpu_op","name":"aten::add","ts":1,"dur":2,"pid":1,"tid":1}]' >cpu.json
check 'a trace of the host alone needs no device' \
    eval '"$tf" analyze cpu.json -o cpu >out 2>err && [ ! -s err ] && grep -q "^CPU only: " out'

# The summary at the end of a run.
check 'the summary: verdict, first finding, findings per level, path' \
    eval 'analyze t.json.gz -p MI300X -o s1 --single-file s1.html && [ ! -s err ] && [ "$(wc -l <out)" = 6 ] &&
        grep -q "^Host-bound: the GPU is idle for .*% of " out &&
        grep -q "^First, [a-z].* This saves .* ms (.* becomes about " out &&
        grep -qE "^Findings: [0-9]+ (critical|high|medium|low)" out &&
        grep -qx "Report:   s1/index.html" out && grep -qx "One file: s1.html" out'
check 'without a site, the folder' \
    eval 'analyze t.json.gz -p MI300X -o s2 --formats csv && grep -qx "Report:   s2" out'
check 'nothing with -q' eval 'analyze t.json.gz -p MI300X -o s1 -q && [ ! -s out ] && [ ! -s err ]'
check 'names cannot control the terminal' \
    eval 'sed "s/\"name\": *\"aten::mm\"/\"name\": \"aten::\\\\u001b[2Jmm\"/" t.json >esc.json &&
        grep -q "u001b" esc.json && analyze esc.json -p MI300X -o "$(printf "s\033[2J3")" &&
        grep -qF "s\x1b[2J3/index.html" out && ! grep -q "$(printf "\033")" out'

# Options of the analysis and its reports.
cat >calm.json <<'END'
{"traceEvents": [
{"ph": "X", "cat": "cuda_runtime", "name": "hipLaunchKernel", "pid": 9, "tid": 1, "ts": 5, "dur": 1, "args": {"correlation": 1}},
{"ph": "X", "cat": "kernel", "name": "work", "pid": 0, "tid": 7, "ts": 10, "dur": 99990, "args": {"correlation": 1, "stream": 7}},
{"ph": "X", "cat": "python_function", "name": "scheduler.py(141): schedule", "pid": 9, "tid": 1, "ts": 1000, "dur": 99900, "args": {}},
{"ph": "X", "cat": "cuda_runtime", "name": "hipLaunchKernel", "pid": 9, "tid": 1, "ts": 100905, "dur": 1, "args": {"correlation": 2}},
{"ph": "X", "cat": "kernel", "name": "work", "pid": 0, "tid": 7, "ts": 100910, "dur": 99990, "args": {"correlation": 2, "stream": 7}}]}
END
check '--idle-threshold 0 makes little idle time a recommendation' \
    eval 'analyze calm.json -p MI300X -o i1 && analyze calm.json -p MI300X --idle-threshold 0 -o i2 &&
        [ "$(grep -c "^### .*Make .schedule" i1/standalone_analysis_fair.md)" = 0 ] &&
        [ "$(grep -c "^### .*Make .schedule" i2/standalone_analysis_fair.md)" = 1 ]'
check 'a threshold out of range' says 2 'from 0 to 100' "$tf" analyze t.json.gz -p none --idle-threshold 101
check '--system-impact none leaves out the figures' \
    eval 'analyze t.json.gz -p MI300X --system-impact none -o i3 &&
        grep -q "Worth\*\*: not quantifiable from trace data" i3/standalone_analysis_fair.md &&
        ! grep -q "Worth\*\*: not quantifiable" a/standalone_analysis_fair.md'
check '--system-impact with another word' says 2 'range or none' "$tf" analyze t.json.gz -p none --system-impact all
check '--fair-style jarvis numbers the headings' \
    eval 'analyze t.json.gz -p MI300X --fair-style jarvis -o i4 &&
        grep -q "^### Top Bottlenecks$" i4/standalone_analysis_fair.md &&
        grep -q "^### . Priority 1: " i4/standalone_analysis_fair.md'
check '--no-markers and --emit-analysis-md' \
    eval 'analyze t.json.gz -p MI300X --no-markers --emit-analysis-md -o i5 &&
        ! grep -q "<!--" i5/standalone_analysis.md && cmp i5/standalone_analysis.md i5/analysis.md &&
        [ ! -e a/analysis.md ] && "$tf" verify i5'
check '--stamp adds the date to one line of one file' \
    eval 'SOURCE_DATE_EPOCH=1700000000 analyze t.json.gz -p MI300X --stamp -o i6 --formats md &&
        analyze t.json.gz -p MI300X -o i7 --formats md &&
        diff -r i6 i7 | grep "^[<>]" | grep -v "MANIFEST\|^. [0-9a-f]\{64\}" >d
        grep -q "Written 2023-11-14 22:13 UTC." d'
own="--peak-bw-tbs 3.2 --peak-tflops 500 --memory-gb 80"
check 'a device described by figures' \
    eval 'analyze t.json.gz -p "Card 7" $own -o i8 && grep -q "^# .* - Card 7 " i8/standalone_analysis_fair.md &&
        grep -q "Peak HBM BW\*\*: 3.20 TB/s" i8/standalone_analysis.md &&
        analyze t.json.gz $own -o i9 && grep -q "custom device" i9/standalone_analysis_fair.md'
check 'incomplete figures' says 2 'must be given together' "$tf" analyze t.json.gz --peak-tflops 500
check 'figures for a built-in device' says 2 'choose another name' "$tf" analyze t.json.gz -p mi300x $own

# src/README.md states the memory per event; a sample is the same bytes each time.
costs_as_stated() {
    "$build/tracefolio-sample" --kind llm-decode --events 100000 -o sample-100000.json.gz &&
        analyze sample-100000.json.gz -p MI300X -v --formats csv -o i10 || return 1
    awk -F ' *[|] *' -v said="$(sed -n 's/^kept *bytes per event: //p' err)" '
        $2 == "bytes per event" { for (k = 3; k < NF; k++) part[k] = $k }
        $2 == "sample-100000" {
            for (n = split(said, word, /,? /); n > 0; n -= 2) cost[word[n - 1]] = word[n]
            for (k in part) if (part[k] in cost) {
                seen++
                if (cost[part[k]] < $k - 1 || cost[part[k]] > $k + 1) wrong = 1
            }
        }
        END { print said; exit wrong || seen != 4 }' "$here/src/README.md"
}
check 'memory per event is what the tour states' costs_as_stated

every_topic() { # each one completion offers has its own guide, and help and man page name it
    local t
    "$tf" --help >help && sed "s/\\\\-/-/g" "$packaging/tracefolio.1" >man || return 1
    . "$packaging/tracefolio.bash"
    COMP_WORDS=(tracefolio help '') COMP_CWORD=2
    _tracefolio
    [ ${#COMPREPLY[@]} -ge 4 ] || return 1
    for t in "${COMPREPLY[@]}"; do
        "$tf" help "$t" >topic && [ -s topic ] && ! cmp -s topic help &&
            grep -qw -- "$t" help && grep -q -- "^\.B $t" man || { echo "$t"; return 1; }
    done
}
check 'every topic that completion offers is a guide' every_topic

# An operation without recorded shapes has no line of shapes.
"$build/tracefolio-sample" --no-shapes --layers 2 -o plain.json.gz
check 'operations without shapes stand alone' eval 'analyze plain.json.gz -p MI300X --formats site -o h4 &&
    grep -q "id=\"op-" h4/operations.html && ! grep -q "class=\"detail\"" h4/operations.html h4/index.html'

check 'pages alone lead to the capture beside them' \
    eval 'grep -q "href=\"index.html#downloads\"" h4/about.html && grep -q "href=\"capture.json.gz\"" h4/index.html && [ -s h4/capture.json.gz ]'

# A stub ssh, first in PATH, runs the remote command on this machine.
mkdir bin && cat >bin/ssh <<'SSH' && chmod +x bin/ssh
#!/bin/sh
for last; do :; done
exec sh -c "$last"
SSH
cat >bin/docker <<'DOCKER' && chmod +x bin/docker
#!/bin/sh
[ "$1 $2" = "exec box" ] && shift 2 && cd box && exec "$@"
DOCKER
export PATH="$work/bin:$PATH"
cp t.json.gz "it's here.json.gz"
check 'a trace on another machine' \
    eval 'analyze "$work/it'"'"'s here.json.gz" --node n1 -p MI300X -o r1 && equal a/perf_report_csvs r1/perf_report_csvs'
check 'in a container there' \
    eval 'mkdir box && cp t.json.gz box/only-there.json.gz && analyze only-there.json.gz --node n1 --container box -p MI300X -o r2 && equal a/perf_report_csvs r2/perf_report_csvs'
check 'that does not exist there' eval 'status 3 "$tf" analyze /no/such --node n1 -p MI300X -o r3 && grep -q n1 err'

# On a terminal it asks, in the order trace, node, container, folder; never for the platform.
zcat t.json.gz | sed 's/"name": "AMD Instinct MI300X"/"name": "Some GPU 9"/' | gzip >odd.json.gz
check 'on a terminal it asks for what is missing' \
    eval 'printf "odd.json.gz\n\nasked\n" | script -qec "$tf analyze --formats csv" /dev/null >s 2>&1;
        [ -s asked/MANIFEST.txt ] && tr -d "\r" <s | grep -q "1. Trace file path"'
on_terminal() { # ANSWERS ARGUMENTS: the screen in `s`
    printf "$1" | script -qec "$tf $2" /dev/null 2>&1 | tr -d '\r' >s
}
check 'an invalid answer is explained and asked for again' \
    eval 'echo text >notes.txt; mkdir -p held && echo x >held/x
        on_terminal "nowhere.json\nnotes.txt\nodd.json.gz\n-oProxyCommand=x\n\nheld\nasked2\n" "analyze --formats csv" &&
        [ -s asked2/MANIFEST.txt ] && grep -q "nowhere.json: no such file" s &&
        grep -q "notes.txt: .*not a trace" s &&
        grep -q "is not a valid machine name" s && grep -q "held: holds .x., which" s &&
        [ "$(grep -c "^1[.] Trace" s)" = 3 ]'
check 'with a trace nothing is asked' \
    eval 'on_terminal "" "analyze odd.json.gz --formats csv -o asked3" && ! grep -q "^[0-9][.] [A-Z]" s &&
        [ -s asked3/MANIFEST.txt ]'

# Without -p the trace says which device it is, and a device of another size is told of.
check 'the device of the trace is found' \
    eval 'analyze t.json.gz --formats csv,json -o found 2>err && grep -q "platform MI300X, as the trace names" err &&
        equal found/perf_report_csvs a/perf_report_csvs && grep -q "found by the trace" found/report.json &&
        grep -q "\"misfit\": null" found/report.json'
check 'one that is not built in has no peaks, in one line' \
    eval 'analyze odd.json.gz --formats csv,site,json -o x >out 2>err && [ "$(wc -l <err)" = 1 ] &&
        grep -q "warning: no peaks are known for .Some GPU 9. with 192 GB.* -p NAME" err &&
        analyze odd.json.gz -p none --formats csv -o x1 && equal x/perf_report_csvs x1/perf_report_csvs &&
        grep -q "No peaks are known for Some GPU 9" x/checks.html && grep -q "\"platform\": null" x/report.json'
check 'and nothing says that it has no performance model' \
    eval 'analyze odd.json.gz -o x6 2>err && ! grep -rn "no performance model\|No operation here has a performance model and\|not modelled" \
        x6/category-gemm.html x6/recommendations.html x6/standalone_analysis_fair.md x6/standalone_analysis.md &&
        grep -q "No peaks are known for Some GPU 9" x6/category-gemm.html && "$tf" patterns --trace odd.json.gz 2>err |
        grep -q "^general_unmodelled .* 0  *0  no"'
check 'nor in a comparison' \
    eval 'analyze odd.json.gz -q --formats csv -o x && status 0 "$tf" compare odd.json.gz t.json.gz -o x4 &&
        grep -q "warning: no peaks are known for the reference, .Some GPU 9. with 192 GB" err'
check 'nor for patterns' \
    eval 'status 0 "$tf" patterns --trace odd.json.gz && [ "$(grep -c "no peaks are known" err)" = 1 ] &&
        "$tf" patterns --trace t.json.gz 2>err | grep -qv "without peaks" && grep -q "platform MI300X" err'
check 'an error with --strict' \
    eval 'status 2 "$tf" analyze odd.json.gz --strict -o x && grep -q "Some GPU 9" err &&
        status 2 "$tf" patterns --trace odd.json.gz --strict &&
        status 2 "$tf" compare t.json.gz odd.json.gz --strict -o x4 && grep -q "the candidate" err &&
        status 0 "$tf" analyze odd.json.gz --strict -p none --formats csv -o x5'
zcat t.json.gz | sed 's/"name": "AMD Instinct MI300X"/"name": "NVIDIA A100-SXM4-40GB"/
    s/"totalGlobalMem": [0-9]*/"totalGlobalMem": 42481549312/' | gzip >small.json.gz
check 'of two sizes the one that fits is taken' \
    eval 'analyze small.json.gz --formats csv -o x2 2>err && grep -q "platform A100-40GB" err'
check 'and the other is warned of beside the efficiencies' \
    eval 'analyze small.json.gz -p A100 --formats md,site -o x3 && grep -q "Not its device" x3/standalone_analysis_fair.md &&
        grep -q "with 40 GB, but the peaks are those of A100 with 80 GB" x3/operations.html'
# The spellings of a name, each with its memory and units, and the device that they are of.
recorded_as() { # NAME BYTES UNITS
    zcat t.json.gz | sed "s|\"name\": \"AMD Instinct MI300X\"|\"name\": \"$1\"|
        s/\"totalGlobalMem\": [0-9]*/\"totalGlobalMem\": $2/; s/\"numSms\": [0-9]*/\"numSms\": $3/" | gzip >as.json.gz
    analyze as.json.gz --formats json -o as 2>err
}
is_found() { # NAME BYTES UNITS DEVICE [HOW]
    recorded_as "$1" "$2" "$3" && grep -q "platform $4, ${5-as the trace names its device}" err || { echo "# $1: $(cat err)"; return 1; }
}
check 'a device is found by any spelling of its name' eval '
    is_found "NVIDIA GeForce RTX 3060" 12487294976 28 "RTX 3060" &&
    is_found "Tesla V100-SXM2-16GB" 16945512448 80 V100-16GB && is_found "NVIDIA H100 80GB HBM3" 85028765696 132 H100 &&
    is_found "NVIDIA H100 PCIe" 85028765696 114 H100-PCIe && is_found "NVIDIA A100-SXM4-80GB" 85028765696 108 A100 &&
    is_found "NVIDIA A100 80GB PCIe" 84987740160 108 A100-PCIe-80GB &&
    is_found "AMD Instinct MI350X" 309220868096 256 MI350X && is_found "AMD Radeon Graphics" 206141652992 304 MI300X "by units and memory" &&
    is_found "NVIDIA GH200 480GB" 102005473280 132 GH200 && is_found "NVIDIA H800" 85028765696 132 H800'
is_unknown() { # NAME BYTES UNITS
    recorded_as "$1" "$2" "$3" && grep -q "no peaks are known" err || { echo "# $1: $(cat err)"; return 1; }
}
check 'one that is only like it is not taken, but named' eval '
    is_unknown "NVIDIA GeForce RTX 4080 Laptop GPU" 12450922496 58 && ! grep -q "; as " err &&
    is_unknown "NVIDIA GeForce RTX 4090 D" 25383206912 114 && grep -q "as RTX4090 with -p RTX4090" err &&
    is_unknown "NVIDIA A100-SXM-64GB" 68174741504 108 && grep -q "as A100 with -p A100" err &&
    is_unknown "AMD Radeon Graphics" 309220868096 256'
check '-p takes the same spellings' eval '
    for p in A100-PCIE-80GB "NVIDIA A100 80GB PCIe" a100-pcie-80gb; do
        analyze as.json.gz -p "$p" --formats json -o as && grep -q "\"platform\": \"A100-PCIe-80GB\"" as/report.json || return 1
    done; analyze as.json.gz -p "Tesla V100-SXM2-16GB" --formats json -o as && grep -q "V100-16GB" as/report.json &&
    status 2 "$tf" analyze as.json.gz -p A100-64GB -o as && status 2 "$tf" analyze as.json.gz -p "RTX 4080 Laptop GPU" -o as'
check 'a spelling of its own device is not another device' eval '
    recorded_as "NVIDIA GeForce RTX 3060" 12487294976 28
    for p in RTX3060 "rtx 3060" "NVIDIA GeForce RTX 3060"; do
        analyze as.json.gz -p "$p" --formats json -o as && grep -q "\"misfit\": null" as/report.json || return 1
    done; analyze as.json.gz -p RTX3060Ti --formats json -o as && grep -q "misfit\": \"The trace was recorded" as/report.json &&
    analyze as.json.gz --peak-bw-tbs 1 --peak-tflops 100 --formats json -o as && grep -q "\"misfit\": null" as/report.json'
check 'of an unreadable trace nothing is said of peaks' \
    eval 'status 3 "$tf" analyze cut.txt -o x && grep -q "cut.txt: cannot be opened" err && ! grep -q peaks err'
check 'no arguments on a terminal print how to begin' \
    eval 'on_terminal "" "" && [ "$(wc -l <s)" -lt 8 ] && grep -q "tracefolio help  *the commands" s && ! grep -q "1[.] [A-Z]" s'

echo "1..$count"
exit $failed
