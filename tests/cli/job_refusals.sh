#!/bin/bash
# What `tracefolio job` and `tracefolio summarize` refuse, in one line, and their gates.
#
#   tests/cli/job_refusals.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
build=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
PATH=$build:$PATH

tracefolio-sample --no-python --job 4 --plant late-compute:2=20 -o traces >/dev/null
tracefolio summarize traces -o sum -q
cat sum/*.gz >all.captures.gz
single() { tracefolio job traces/*1.json.gz -o one -f | grep -q 'on the one rank in the data'; }
check 'of a single rank nothing is said of others' single

refused() { # STATUS WORDS COMMAND...: one line that has the words
    local status=$1 words=$2
    shift 2
    "$@" >out 2>err
    [ $? -eq "$status" ] && [ "$(wc -l <err)" -eq 1 ] && grep -q "$words" err || { cat err; return 1; }
}
mkdir empty
tracefolio-sample --kind llm-prefill --layers 1 --steps 1 -o lone.json.gz >/dev/null
head -c 300 all.captures.gz >cut.captures.gz
zcat sum/*1.capture.json.gz | sed 's/"_version":1/"_version":9/' >new.capture.json
zcat sum/*1.capture.json.gz | sed 's/"is_merged":false/"is_merged":true/' >fused.capture.json
zcat sum/*1.capture.json.gz | sed 's/"signature":\[0/"signature":[77777/' >wild.capture.json
check 'refuses an empty folder' refused 3 'holds no capture' tracefolio job empty -o x
check 'refuses a pattern without files' refused 3 'no file matches' tracefolio job 'no*pe' -o x
check 'refuses no input' refused 2 'missing traces' tracefolio job -o x
check 'refuses no output' refused 2 'missing -o' tracefolio summarize lone.json.gz
check 'refuses a trace of no rank' refused 3 'which rank' tracefolio summarize lone.json.gz -o s3
check 'refuses a trace without collectives' refused 3 'no collective' tracefolio job lone.json.gz -o x --rank 3
check 'refuses half a pack' refused 3 cut.captures.gz tracefolio job cut.captures.gz -o x
check 'refuses a newer capture' refused 3 'version 9' tracefolio job new.capture.json -o x
check 'refuses a merged trace' refused 3 'traces of several ranks' tracefolio job fused.capture.json -o x
check 'refuses a capture that names what is not there' refused 3 'not there' tracefolio job wild.capture.json -o x
check 'a gate fails' refused 10 'it is' tracefolio job traces -o x -q -f --fail-on 'slowdown>1.01'
check 'refuses an unknown gate' refused 2 'expected slowdown' tracefolio job traces -o x --fail-on 'speed>1'
tracefolio-sample --no-python --job 8 -o eight >/dev/null
mkdir mixed twice && cp sum/* mixed && tracefolio summarize eight/*5.json.gz -o mixed -q
cp traces/* twice && tracefolio-sample --no-python --job 4 -o other >/dev/null && cp other/*1.json.gz twice/again-rank1.json.gz
check 'refuses traces of two jobs' refused 3 'of a job of [48] ranks, and .* of one of [48]' tracefolio job mixed -o x
check 'refuses two traces of one rank' refused 3 'of rank 1, and so is' tracefolio job twice -o x
same_again() { tracefolio job sum all.captures.gz -o again -f >/dev/null && tracefolio job sum -o once -f >/dev/null && cmp again/late.html once/late.html; }
check 'the same trace again is left out' same_again
mkdir odd && for r in 0 1 2 3; do cp traces/*$r.json.gz odd/gpu$((r + 4))of8.json.gz; done
by_regex() { # the path outranks what the trace says; the same rank twice is told
    tracefolio summarize odd -o sum-odd --rank-regex 'gpu([0-9]+)of' -q && ls sum-odd | tr '\n' ' ' >names &&
        grep -q '^rank-00004.* rank-00005.* rank-00006.* rank-00007.capture.json.gz $' names && tracefolio job odd -o odd-site --rank-regex 'u([0-9])' -q &&
        grep -q '"rank": 7,' odd-site/job.json
}
check 'ranks by an expression' by_regex
check 'refuses an expression that does not match' refused 3 'finds no number' tracefolio job odd -o x --rank-regex 'rank([0-9]+)'
check 'refuses a broken expression' refused 2 'rank-regex' tracefolio job odd -o x --rank-regex 'rank('
echo "1..$count"
exit $failed
