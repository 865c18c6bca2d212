#!/bin/bash
# The program as a user meets it: what it takes, what it writes, how it ends.
#
#   tests/cli/analyze.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
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
check 'missing trace' says 3 'nowhere.json' "$tf" analyze nowhere.json -p MI300X
check 'a folder is no trace' says 3 'folder' "$tf" analyze there -p MI300X
check 'output that cannot be made' says 4 '/proc' "$tf" analyze t.json.gz -p MI300X -o /proc/here/out
check 'help names every command' eval '"$tf" --help >h && grep -q platforms h && grep -q patterns h && grep -q verify h'
check 'version' eval '[ "$("$tf" --version | wc -w)" = 2 ]'
check 'platforms have figures' eval '"$tf" platforms >p && grep -qE "^MI300X +5.30 +192 +708" p'

check '--fail-on: a finding that is high' \
    eval 'status 10 "$tf" analyze t.json.gz -p MI300X --fail-on high -o h1 && whole h1'
"$build/tracefolio-sample" --kind healthy --layers 4 -o healthy.json.gz
check '--fail-on: a healthy trace' status 0 "$tf" analyze healthy.json.gz -p MI300X --fail-on high -o h2
"$build/tracefolio-sample" --empty -o empty.json.gz
check 'a trace without device work is told, not refused' \
    eval 'analyze empty.json.gz -p MI300X -o h3 && [ -s h3/index.html ]'

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
