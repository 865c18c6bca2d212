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
echo "1..$count"
exit $failed
