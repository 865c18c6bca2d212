#!/bin/bash
# The program as a user meets it: what it takes, what it writes, how it ends.
#
#   tests/cli/analyze.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
here=$(realpath "$(dirname "$0")/../..")
packaging=$here/src/packaging
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
check 'plain and gzip give the same tables' \
    eval 'analyze t.json -p MI300X -o b && equal a/perf_report_csvs b/perf_report_csvs'
check 'standard input gives the same tables' \
    eval '"$tf" analyze - -p MI300X -o c <t.json.gz && equal a/perf_report_csvs c/perf_report_csvs'
check 'one thread, another folder, locale and time zone: the same bytes' \
    eval 'mkdir deep && (cd deep && TZ=Asia/Tokyo LC_ALL=C "$tf" analyze ../t.json.gz -p MI300X -j1 -o d) &&
        equal a deep/d'
check 'a bare trace means analyze' status 0 "$tf" t.json.gz -p mi300x -o e
check 'names of devices as people write them' analyze t.json.gz -p 'NVIDIA H100 SXM' -o f
check 'only what was asked for' \
    eval 'analyze t.json.gz -p none --formats csv -o g && [ -d g/perf_report_csvs ] && [ ! -e g/index.html ]'
check 'the default folder lies beside the trace' \
    eval 'mkdir there && cp t.json.gz there && analyze there/t.json.gz -p none --formats csv &&
        [ -s there/analysis_output/MANIFEST.txt ]'

check 'a folder of ours is replaced' analyze t.json.gz -p MI300X -o a
mkdir mine && echo precious >mine/thesis.txt
check 'a folder of somebody else is not' says 4 'mine' "$tf" analyze t.json.gz -p MI300X -o mine
check 'and is as it was' grep -q precious mine/thesis.txt
check 'unless forced' eval 'analyze t.json.gz -p MI300X -o mine --force && [ ! -e mine/thesis.txt ]'
head -c 5000 t.json >cut.json
check 'a cut trace is refused with its place' says 3 'cut.json: byte 5000: ' "$tf" analyze cut.json -p MI300X -o a
check 'and the site before it stays' eval 'whole a && "$tf" verify a'
check 'no folder half made stays behind' eval '[ -z "$(ls -A | grep "^\.")" ]'
echo x >>a/index.html
check 'verify finds a changed byte' eval '! "$tf" verify a >v 2>&1 && grep -q "changed *index.html" v'

check 'no trace' says 2 'name a trace' "$tf" analyze -p MI300X
check 'no platform' says 2 'name the device' "$tf" analyze t.json.gz
check 'unknown platform' says 2 'no known device' "$tf" analyze t.json.gz -p MI9000
check 'unknown option' says 2 'is no option' "$tf" analyze t.json.gz -p MI300X --fast
check 'unknown format' says 2 'pdf' "$tf" analyze t.json.gz -p MI300X --formats pdf
out_of_room() { "$tf" "$@" >/dev/full; }
check 'missing trace' says 3 'nowhere.json' "$tf" analyze nowhere.json -p MI300X
check 'a folder is no trace' says 3 'folder' "$tf" analyze there -p MI300X
check 'output that cannot be made' says 4 '/proc' "$tf" analyze t.json.gz -p MI300X -o /proc/here/out
check 'help names every command' eval '"$tf" --help >h && grep -q platforms h && grep -q patterns h && grep -q verify h'
check 'help of a topic is its guide' \
    eval '"$tf" help patterns | head -n 1 | grep -q "^# Writing a pattern" &&
        "$tf" help replay >h && head -n 1 h | grep -q "^# Replay packages" && grep -q "^## Run it" h &&
        "$tf" help residual_scale.lua >r.lua && "$tf" patterns --extension r.lua | grep -q "^user.residual_scale" &&
        "$tf" help softmax_model.lua >r.lua && "$tf" patterns --extension r.lua | grep -q "^aten::_softmax " &&
        "$tf" help analyze | grep -q "^tracefolio - "'
# Longer than a buffer of standard output, and shorter.
[ ! -e /dev/full ] || check 'a text that cannot be written is told of' \
    eval 'says 4 "cannot be written" out_of_room help patterns && says 4 "cannot be written" out_of_room --version'
check 'a topic that is none' says 2 'no topic of help' "$tf" help sesame
check 'version' eval '[ "$("$tf" --version | wc -w)" = 2 ]'
check 'platforms have figures' eval '"$tf" platforms >p && grep -qE "^MI300X +5.30 +192 +708" p'

check '--fail-on: a finding that is high' \
    eval 'status 10 "$tf" analyze t.json.gz -p MI300X --fail-on high -o h1 && whole h1'
"$build/tracefolio-sample" --kind healthy --layers 4 -o healthy.json.gz
check '--fail-on: a healthy trace' status 0 "$tf" analyze healthy.json.gz -p MI300X --fail-on high -o h2
"$build/tracefolio-sample" --empty -o empty.json.gz
check 'a trace without device work is told, not refused' \
    eval 'analyze empty.json.gz -p MI300X -o h3 && [ -s h3/index.html ]'

# What may be chosen about the analysis and its texts.
"$build/tracefolio-sample" --kind llm-prefill --layers 2 --steps 1 -o calm.json.gz
check 'little idle time is a recommendation for who asks for it' \
    eval 'analyze calm.json.gz -p MI300X -o i1 && analyze calm.json.gz -p MI300X --idle-threshold 0 -o i2 &&
        [ "$(grep -c "^### .*Device idle" i1/standalone_analysis_fair.md)" = 0 ] &&
        [ "$(grep -c "^### .*Device idle" i2/standalone_analysis_fair.md)" = 1 ]'
check 'a threshold is a share' says 2 'from 0 to 100' "$tf" analyze t.json.gz -p none --idle-threshold 101
check 'no figure for what is no kernel' \
    eval 'analyze t.json.gz -p MI300X --system-impact none -o i3 &&
        grep -q "Impact\*\*: not quantifiable from trace data" i3/standalone_analysis_fair.md &&
        ! grep -q "Impact\*\*: not quantifiable" a/standalone_analysis_fair.md'
check 'range or none' says 2 'range or none' "$tf" analyze t.json.gz -p none --system-impact all
check 'headings by number' \
    eval 'analyze t.json.gz -p MI300X --fair-style jarvis -o i4 &&
        grep -q "^### Top Bottlenecks$" i4/standalone_analysis_fair.md &&
        grep -q "^### . Priority 1: " i4/standalone_analysis_fair.md'
check 'no comments, and the name of old' \
    eval 'analyze t.json.gz -p MI300X --no-markers --emit-analysis-md -o i5 &&
        ! grep -q "<!--" i5/standalone_analysis.md && cmp i5/standalone_analysis.md i5/analysis.md &&
        [ ! -e a/analysis.md ] && "$tf" verify i5'
check 'the date of the run in one line of one file' \
    eval 'SOURCE_DATE_EPOCH=1700000000 analyze t.json.gz -p MI300X --stamp -o i6 --formats md &&
        analyze t.json.gz -p MI300X -o i7 --formats md &&
        diff -r i6 i7 | grep "^[<>]" | grep -v "MANIFEST\|^. [0-9a-f]\{64\}" >d
        grep -q "Written 2023-11-14 22:13 UTC." d'
own="--peak-bw-tbs 3.2 --peak-tflops 500 --memory-gb 80"
check 'a device told by figures' \
    eval 'analyze t.json.gz -p "Card 7" $own -o i8 && grep -q "^# .* - Card 7 " i8/standalone_analysis_fair.md &&
        grep -q "Peak HBM BW\*\*: 3.20 TB/s" i8/standalone_analysis.md &&
        analyze t.json.gz $own -o i9 && grep -q "custom device" i9/standalone_analysis_fair.md'
check 'half of them are not enough' says 2 'needs both' "$tf" analyze t.json.gz --peak-tflops 500
check 'nor are they of a device that has a file' says 2 'another name' "$tf" analyze t.json.gz -p mi300x $own

# What an event takes is stated in the tour; a sample is the same bytes each time.
costs_as_stated() {
    "$build/tracefolio-sample" --kind llm-decode --events 100000 -o sample-100000.json.gz &&
        analyze sample-100000.json.gz -p MI300X -v --formats csv -o i10 || return 1
    awk -F ' *[|] *' -v said="$(sed -n 's/^kept *bytes an event: //p' err)" '
        $2 == "bytes an event" { for (k = 3; k < NF; k++) part[k] = $k }
        $2 == "sample-100000" {
            for (n = split(said, word, /,? /); n > 0; n -= 2) cost[word[n - 1]] = word[n]
            for (k in part) if (part[k] in cost) {
                seen++
                if (cost[part[k]] < $k - 1 || cost[part[k]] > $k + 1) wrong = 1
            }
        }
        END { print said; exit wrong || seen != 4 }' "$here/src/README.md"
}
check 'an event takes what the tour states' costs_as_stated

# Help, manual page and completion name the same options.
options_in() { grep -oE -- '--[a-z][a-z-]+' "$1" | sort -u; }
check 'every option is in the manual page and the completion' \
    eval '"$tf" --help >help && options_in help >of_help &&
        sed "s/\\\\-/-/g" "$packaging/tracefolio.1" >man && options_in man >of_man &&
        options_in "$packaging/tracefolio.bash" >of_bash && diff of_help of_man && diff of_help of_bash'
every_topic() { # each that the completion offers: a guide of its own, named in help and manual
    local t
    . "$packaging/tracefolio.bash"
    COMP_WORDS=(tracefolio help '') COMP_CWORD=2
    _tracefolio
    [ ${#COMPREPLY[@]} -ge 4 ] || return 1
    for t in "${COMPREPLY[@]}"; do
        "$tf" help "$t" >topic && [ -s topic ] && ! cmp -s topic help &&
            grep -qw -- "$t" help && grep -q -- "^\.B $t" man || { echo "$t"; return 1; }
    done
}
check 'every topic that the completion offers is a guide' every_topic

# An operation without recorded shapes has no line of shapes.
"$build/tracefolio-sample" --no-shapes --layers 2 -o plain.json.gz
check 'operations without shapes stand alone' eval 'analyze plain.json.gz -p MI300X --formats site -o h4 &&
    grep -q "id=\"op-" h4/operations.html && ! grep -q "class=\"detail\"" h4/operations.html h4/index.html'

# An ssh of ours in front of PATH runs the remote command here.
mkdir bin && cat >bin/ssh <<'SSH' && chmod +x bin/ssh
#!/bin/sh
for last; do :; done
exec sh -c "$last"
SSH
cat >bin/docker <<'DOCKER' && chmod +x bin/docker
#!/bin/sh
[ "$1 $2" = "exec box" ] && shift 2 && exec "$@"
DOCKER
export PATH="$work/bin:$PATH"
cp t.json.gz "it's here.json.gz"
check 'a trace on another machine' \
    eval 'analyze "$work/it'"'"'s here.json.gz" --node n1 -p MI300X -o r1 && equal a/perf_report_csvs r1/perf_report_csvs'
check 'in a container there' \
    eval 'analyze "$work/t.json.gz" --node n1 --container box -p MI300X -o r2 && equal a/perf_report_csvs r2/perf_report_csvs'
check 'that does not exist' eval 'status 3 "$tf" analyze /no/such --node n1 -p MI300X -o r3 && grep -q n1 err'

# On a terminal it asks, in the order trace, platform, node, container, folder.
check 'asks on a terminal for what is missing' \
    eval 'printf "t.json.gz\nMI300X\n\nasked\n" | script -qec "$tf analyze --formats csv" /dev/null >s 2>&1;
        [ -s asked/MANIFEST.txt ] && tr -d "\r" <s | grep -q "1. Trace file path"'

echo "1..$count"
exit $failed
