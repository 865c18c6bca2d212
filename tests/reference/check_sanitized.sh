#!/bin/bash
# Every command over every real trace, and the job of eight ranks, in a build with AddressSanitizer
# and UBSan, which ends a run at the first error. Where a trace is not for a command, a refusal is right
# as well.
#
#   tests/reference/check_sanitized.sh BUILD SHARED     TAP, and a last line that counts
set -u
export LC_ALL=C.UTF-8 ASAN_OPTIONS=exitcode=66 UBSAN_OPTIONS=print_stacktrace=1:exitcode=66
tf=$(realpath "$1")/tracefolio
shared=$(realpath -m "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
[ -d "$shared/traces" ] || {
    echo "ok - commands # SKIP $shared is absent"
    echo "0 passed, 0 failed, 1 skipped"
    exit
}

verdict() { # STATUSES NAME STATUS: those that are no failure
    case " $1 " in
    *" $3 "*) echo "ok - $2" ;;
    *) echo "not ok - $2: status $3" && grep -vE '^(Shadow|  0x|=>0x|  [A-Z].*: +[0-9a-f]{2}$)' "log/$2" | sed 's/^/# /' | head -n 30 ;;
    esac >"out/$2"
}

run() { # [-n] NAME ARGUMENT...: two at a time, each with a log of its own; -n: may be refused
    local wanted='0 10'
    [ "$1" != -n ] || { wanted='0 1 2 3 4' && shift; }
    local name=$1
    shift
    while [ "$(jobs -rp | wc -l)" -ge 2 ]; do
        wait -n
    done
    { timeout 300 "$tf" "$@" >"log/$name" 2>&1; verdict "$wanted" "$name" $?; } &
}

mkdir log out
before=
for trace in "$shared"/traces/*.json.gz "$shared"/unseen/*.json.gz; do
    name=$(basename "$trace" .json.gz)
    platform=MI300X
    case $name in
    xdit-* | vllm-piecewise-amd-capture | rn50-2021-*) platform=none ;; # long enough
    esac
    run "analyze $name" analyze "$trace" -p $platform -o "site/$name" -q --sarif "$name.sarif" --single-file "$name.html"
    run "analyze $name with options" analyze "$trace" -j1 -p none -o "options/$name" -q --detect-recompute \
        --include-backlog --hide-shapes --fail-on high
    run -n "summarize $name" summarize "$trace" -o "captures/$name" -q --rank 0
    run "patterns $name" patterns --trace "$trace" -p MI300X
    run "cut $name" cut "$trace" --from 0 --to 2000000000000000 -o "$name.cut.json"
    run -n "job $name" job "$trace" -o "job/$name" -q
    [ -z "$before" ] || run "compare $(basename "$before" .json.gz) $name" compare "$before" "$trace" -o "compare/$name" -q -p none
    before=$trace
done
ranks=("$shared"/traces/dlrm8-v100-r*.json.gz)
run "job of eight ranks" job "${ranks[@]}" -o ranks -q
run "summarize eight ranks" summarize "${ranks[@]}" -o packs -q
run "compare ranks" compare "${ranks[0]}" "${ranks[5]}" -o two -q -p none
run "capture of graphs" analyze "$shared/traces/vllm-piecewise-amd.json.gz" -p none -o lent -q --capture-trace "$shared/traces/vllm-piecewise-amd-capture.json.gz"
for trace in "$shared"/traces/broken/*; do
    run -n "analyze $(basename "$trace")" analyze "$trace" -p none -o "broken/$(basename "$trace")" -q
done
wait
run "job of captures" job packs -o of_packs -q
run "compare jobs" compare packs ranks -o jobs_compared -q
run "publish" publish site/bert-small-mi300 runs -q
wait
run "publish again" publish site/bert-small-h100 runs -q
wait
run "reindex" reindex runs
run "share-check" share-check site/qwen-0.5b-mi300
run "verify" verify site/qwen-0.5b-mi300
run "themes" themes
run "platforms" platforms
wait
cat out/*
passed=$(cat out/* | grep -c '^ok ') failed=$(cat out/* | grep -c '^not ok ')
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
