#!/bin/bash
# A pipe in the place of any file that others could have put there is refused, not waited for.
#
#   tests/cli/pipes.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
build=$(realpath "$1")
tf=$build/tracefolio
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
says() { # WANT TEXT COMMAND...; within 20 s
    local want=$1 text=$2
    shift 2
    status "$want" timeout 20 "$@" && { [ -z "$text" ] || grep -qF -- "$text" err; } || { cat err; return 1; }
}
"$build/tracefolio-sample" --kind llm-prefill --layers 1 --steps 1 -o t.json || exit 1
"$tf" analyze t.json -p MI300X --formats site,json -q -o r || exit 1
"$tf" publish r root -q || exit 1
run=$(ls root | grep ^run-)
mkfifo pipe pipe.json || exit 1
"$build/tracefolio-sample" --no-python --job 2 -o two || exit 1
piped() { # COPY FOLDER FILE: a copy with a pipe in the place of FILE
    rm -rf "$1" && cp -r "$2" "$1" && rm -f "$1/$3" && mkfifo "$1/$3"
}

# Runs.
for file in MANIFEST.txt summary.json index.html; do
    check "publish: $file" eval 'piped p r $file && says 3 "" "$tf" publish p none -q'
done
check 'reindex: summary.json of a run is named, and the index is written' \
    eval 'piped k root $run/summary.json && says 0 "" "$tf" reindex k -q && grep -q "its summary.json cannot be read" k/index.html && [ ! -e k/.tracefolio-lock ]'
check 'reindex: a run without its manifest is none' eval 'piped k root $run/MANIFEST.txt && says 0 "" "$tf" reindex k -q'
check 'reindex: runs.json' eval 'piped k root runs.json && says 4 "that tracefolio did not write" "$tf" reindex k -q && [ ! -e k/.tracefolio-lock ]'
check 'the lock: --lock-wait holds, and the pipe stays' \
    eval 'piped k root .tracefolio-lock && touch -d 2001-01-01 k/.tracefolio-lock && says 4 "is writing its index" "$tf" reindex k --lock-wait 1 && [ -p k/.tracefolio-lock ]'
check 'a lock dated a year ahead does not block until then' \
    eval 'rm -rf k && cp -r root k && echo "00000000-another/pid:[1] 1 1 x" >k/.tracefolio-lock && touch -d "next year" k/.tracefolio-lock && says 0 "" "$tf" reindex k -q --lock-wait 1'
check 'verify' eval 'piped p r index.html && status 3 timeout 20 "$tf" verify p && grep -q "changed  index.html (cannot be read as a file)" out && piped p r MANIFEST.txt && says 3 MANIFEST.txt "$tf" verify p'
check 'a leftover of a killed run' \
    eval 'mkdir -p o/.x.tmp-abcdef && mkfifo o/.x.tmp-abcdef/.tracefolio-build && says 0 "" "$tf" analyze t.json -p none -q --formats md -o o/x'

# Jobs and comparisons.
mkdir caps && "$tf" summarize t.json --rank 0 -q -o caps || exit 1
capture=$(ls caps | head -n 1)
check 'a job: a trace in its folder' eval 'mkdir job && cp two/* job && rm job/*rank*1*.json* && mkfifo job/rank1.json && says 0 "left out: job/rank1.json: cannot be opened: not a plain file" "$tf" job job -q -o site'
check 'a job: nothing else in its folder' eval 'mkdir traces && mkfifo traces/rank1.json && says 3 "not a plain file" "$tf" job traces -q -o site2'
for option in --topology --names; do
    check "a job: $option" says 3 'pipe: cannot be opened: not a plain file' "$tf" job caps $option pipe -q -o site2
done
check 'a job: its list' says 3 'pipe: cannot be opened: not a plain file' "$tf" job @pipe -q -o site2
check 'summarize --resume: a capture' eval 'piped q caps $capture && says 0 "" "$tf" summarize t.json --rank 0 --resume -q -o q'
check 'compare: a capture, and a history' \
    eval 'says 3 "not a plain file" "$tf" compare pipe caps/$capture -q -o c && mkdir history && mkfifo history/a.json.gz && says 3 "no capture file in it" "$tf" compare caps/$capture caps/$capture -q --history history -o c'
check 'cut, and analyze: a pipe is read as the standard input' \
    eval 'says 3 "not a plain file" "$tf" cut pipe --from 0 --to 1 -o w.json.gz && says 3 "cannot be opened: not a plain file; a pipe is read as the standard input" "$tf" analyze pipe -q -o a &&
        "$tf" analyze - -p none --formats md -q -o a < <(cat t.json) && "$tf" analyze <(cat t.json) -p none --formats md -q -o b && grep -q "^- Trace: 63 " b/*rough.md'

# A report as a tar: the files of the folder, the same bytes each time, and nothing is left of it.
mkdir tmp
check '-o -: a tar of the report' eval '"$tf" analyze t.json -p MI300X --formats site,json -o folder -q && TMPDIR=$PWD/tmp "$tf" analyze t.json -p MI300X --formats site,json -o - 2>err >report.tar &&
    mkdir unpacked && tar -xf report.tar -C unpacked && diff -r folder unpacked && [ -z "$(ls -A tmp)" ] && "$tf" verify unpacked -q && "$tf" analyze t.json -p MI300X --formats site,json -o - 2>err | cmp report.tar -'
check '-o -: a gate that fails has its status, and the report' eval 'status 10 "$tf" analyze t.json -p MI300X --formats json --fail-on "window.busy_pct>0%" -o - && tar -tf out | grep -qx report.json'
check '-o -: who stops reading leaves nothing behind' eval 'TMPDIR=$PWD/tmp "$tf" analyze t.json -p MI300X -o - 2>/dev/null | head -c 1000 >/dev/null; [ -z "$(ls -A tmp)" ]'
check '-o -: an error writes nothing' eval 'TMPDIR=$PWD/tmp says 3 "none.json" "$tf" analyze none.json -o - && [ ! -s out ] && [ -z "$(ls -A tmp)" ]'

# What an option names.
for option in --notes '--date 2026-01-01 --waivers' --extension -p --capture-trace --forbid; do
    check "analyze $option" says 3 'not a plain file' "$tf" analyze t.json $option pipe.json --formats md -q -o a2
done
check 'the file of a theme' eval 'mkdir -p look && mkfifo look/theme.json && says 3 "not a plain file" "$tf" themes ./look'
check 'share-check' eval 'says 3 "" "$tf" share-check job --forbid pipe'
check 'notes of a shell' eval '"$tf" analyze t.json -p none --notes <(echo "a note") --formats site -q -o a3 && grep -q "a note" a3/index.html'
check 'a step summary without a reader' says 4 'pipe: ' "$tf" analyze t.json -p none --formats md --step-summary pipe -q -o a4

echo "1..$count"
exit "$failed"
