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
kernels_told() { ! tracefolio job lone.json.gz -o x --rank 3 2>err && tail -n 1 err | grep -q 'no collective' && grep -q ' ms  attn_fwd$' err && [ ! -e x ]; }
check 'refuses a trace without collectives, and lists its kernels' kernels_told
check 'refuses half a pack' refused 3 cut.captures.gz tracefolio job cut.captures.gz -o x
damaged() { # whichever thread meets them: all are told, in order, and their ranks are missing; an error only if asked
    local n
    for n in 1 2 6; do
        tracefolio job -j $n a -o x -f >out 2>err && [ "$(wc -l <err)" -eq 2 ] && sed -n 1p err | grep -q 'warning: left out: a/1.capture.json: not a capture file: signatures' &&
            sed -n 2p err | grep -q 'left out: a/3.capture.json: .*version 9' && grep -q '2 of 4 ranks are in the data: ranks 1 and 3 are missing; 2 damaged inputs are left out' out || { cat out err; return 1; }
        refused 3 'a/1.capture.json: not a capture file: signatures' tracefolio job --strict -j $n a -o y || return 1
        tracefolio job -j $n all.captures.gz half.captures.gz -o whole -f >out 2>err && [ "$(wc -l <err)" -eq 1 ] && grep -q 'left out: half.captures.gz' err && cmp whole/job_csvs/job_ranks.csv full/job_csvs/job_ranks.csv || { cat out err; return 1; }
    done
}
first_error() { # whichever thread meets it, the first of several is told; captures behind it do not matter
    local n
    for n in 1 2 6; do
        tracefolio summarize -j $n twice/*.json.gz -o s5 >out 2>err
        [ $? -eq 3 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q 'rank1.json.gz: of rank 1, and so is twice/' err && [ "$(wc -l <out)" -eq 8 ] || { cat out err; return 1; }
        rm -r s5
    done
}
survives() { # a trace that was cut and one that is not there cost their ranks alone
    local n
    for n in 1 3; do
        rm -rf s6 && status 0 tracefolio summarize -j $n traces/rank0.json.gz cut/rank1.json.gz traces/rank2.json.gz traces/rank7.json.gz -o s6 && [ "$(ls s6 | wc -l)" = 2 ] &&
            [ "$(grep -c 'warning: left out: ' err)" = 2 ] && grep -q 'left out: cut/rank1.json.gz: ' err && grep -q 'left out: traces/rank7.json.gz: cannot be opened' err && [ "$(tail -n 1 out)" = '2 of 4 traces; 2 left out' ] || return 1
        status 3 tracefolio summarize --strict -j $n traces/rank0.json.gz cut/rank1.json.gz -o s6 && ! grep -q 'left out' err || return 1
        status 3 tracefolio summarize -j $n cut/rank1.json.gz traces/rank7.json.gz -o s6 && grep -q 'none of the 2 traces can be read' err || return 1
    done
}
mkdir cut && head -c 9000 traces/rank1.json.gz >cut/rank1.json.gz && tracefolio job all.captures.gz -o full -q && { cat sum/*0.capture.json.gz; head -c 500 sum/*1.capture.json.gz; } >half.captures.gz
check 'summarize leaves out what is damaged, with a count' survives
mkdir a twice && tracefolio-sample --no-python --job 8 -o twice >/dev/null && cp twice/rank1.json.gz twice/twin-of-rank1.json.gz
for i in 0 1 2 3; do zcat sum/*$i.capture.json.gz >a/$i.capture.json; done
sed -i 's/"kind":\[/"kind":[-/' a/1.capture.json
sed -i 's/"_version":1/"_version":9/' a/3.capture.json
check 'job leaves out captures that are damaged' damaged
check 'the first of several errors' first_error
rm -r twice
check 'refuses a newer capture' refused 3 'version 9' tracefolio job new.capture.json -o x
check 'refuses a merged trace' refused 3 'traces of several ranks' tracefolio job fused.capture.json -o x
check 'refuses a capture that names what is not there' refused 3 'not there' tracefolio job wild.capture.json -o x
check 'a gate fails' eval "status 10 tracefolio job traces -o x -q -f --fail-on 'slowdown>1.01' && grep -q 'failed: it is' err"
check 'refuses an unknown gate' refused 2 'expected slowdown' tracefolio job traces -o x --fail-on 'speed>1'
tracefolio-sample --no-python --job 8 -o eight >/dev/null
mkdir mixed twice && cp sum/* mixed && tracefolio summarize eight/*5.json.gz -o mixed -q
cp traces/* twice && tracefolio-sample --no-python --job 4 -o other >/dev/null && cp other/*1.json.gz twice/again-rank1.json.gz
check 'refuses traces of two jobs' refused 3 'of a job of [48] ranks, and .* of one of [48]' tracefolio job mixed -o x
check 'refuses two traces of one rank' refused 3 'of rank 1, and so is' tracefolio job twice -o x
same_again() { tracefolio job sum all.captures.gz -o again -f >/dev/null && tracefolio job sum -o once -f >/dev/null && cmp again/late.html once/late.html; }
check 'the same trace again is left out' same_again
mkdir odd && for r in 0 1 2 3; do cp traces/*$r.json.gz odd/gpu$((r + 4))of8.json.gz; done
left_out() { # a trace that was cut, beside others: its rank is missing
    rm -rf some && cp -r traces some && head -c 9000 traces/rank2.json.gz >some/rank2.json.gz && tracefolio job some -o left -f >out 2>err &&
        grep -q '^tracefolio: warning: left out: some/rank2.json.gz: ' err && [ "$(wc -l <err)" = 1 ] && grep -q '3 of 4 ranks are in the data: rank 2 is missing; 1 damaged input is left out' out && grep -q '1 of 4 ranks have no trace, the first of them 2' left/job.json && grep -q '1 cannot and is left out' left/job.json || { cat err; return 1; }
    head -c 90 traces/rank1.json.gz >cut.json.gz && ! tracefolio job cut.json.gz -o x 2>err && [ "$(wc -l <err)" = 1 ]
}
check 'a trace that was cut is left out, and told' left_out
by_number() { # no word for rank, in the trace or in the name: the number; a folder for each
    rm -rf some each && mkdir some each && for r in 0 1 2 3; do
        zcat traces/rank$r.json.gz | sed 's/"distributedInfo"/"nothing"/' | gzip -1 >some/trace_$r.json.gz && mkdir each/rank$r && cp some/trace_$r.json.gz each/rank$r/trace.json.gz || return 1
    done
    tracefolio job some -o by-number -q && grep -q '"ranks_present": 4' by-number/job.json && grep -q '"rank": 3,' by-number/job.json &&
        tracefolio job each -o by-folder -q && grep -q '"ranks_present": 4' by-folder/job.json && grep -q '"rank": 3,' by-folder/job.json
}
check 'ranks by numbers in names, or a folder for each' by_number
by_regex() { # the path outranks what the trace says; the same rank twice is told
    tracefolio summarize odd -o sum-odd --rank-regex 'gpu([0-9]+)of' -q && ls sum-odd | tr '\n' ' ' >names &&
        grep -q '^rank-00004.* rank-00005.* rank-00006.* rank-00007.capture.json.gz $' names && tracefolio job odd -o odd-site --rank-regex 'u([0-9])' -q &&
        grep -q '"rank": 7,' odd-site/job.json
}
check 'ranks by an expression' by_regex
check 'refuses an expression that does not match' refused 3 'finds no number' tracefolio job odd -o x --rank-regex 'rank([0-9]+)'
check 'refuses names that are not collectives' refused 2 'did you mean all-reduce' tracefolio job odd -o x --names allreduce=x
check 'refuses names without an expression' refused 2 'KIND=EXPRESSION' tracefolio job odd -o x --names all-reduce
check 'refuses a broken expression for names' refused 2 "'x('" tracefolio summarize odd -o x --names 'send=x('
printf 'rank,host\n0,a\n1,a\n2,b\n' >places
check 'refuses a table that lacks a rank' refused 3 'no line for rank 3' tracefolio job odd -o x --topology places
printf 'rank,gpu\n0,a\n' >places
check 'refuses a table without hosts' refused 3 'line 1: expected columns rank and host' tracefolio job odd -o x --topology places
check 'refuses a broken expression' refused 2 'rank-regex' tracefolio job odd -o x --rank-regex 'rank('
tracefolio-sample --no-python --job 4 --host-names -o hosts >/dev/null
echo gpu000 >words
holds() { # STATUS FOLDER: whether share-check finds the word
    tracefolio share-check "$2" --forbid words >/dev/null 2>&1
    [ $? -eq "$1" ]
}
shared_captures() { # hosts are in captures and in sites, unless they are shared
    tracefolio summarize hosts -o sum-in -q && holds 12 sum-in && tracefolio summarize hosts -o sum-out -q --share public && holds 0 sum-out
}
check 'shared captures name no host and no file' shared_captures
shared_jobs() { # of captures that name them, of captures that do not, of traces: the same
    local one
    tracefolio job sum-in -o in -q && holds 12 in || return 1
    for one in sum-out sum-in hosts; do
        tracefolio job $one -o left -q --share public && holds 0 left && grep -q '"share_level": "public"' left/job.json || return 1
        [ $one = sum-out ] && cp -r left want
        diff -r want left || return 1
    done
}
check 'a shared job names none either' shared_jobs
shared_causes() { # why a rank is late may name a function: not of captures that have it, and of traces as renamed
    tracefolio-sample --job 4 --plant late-input:1=5000 -o late >/dev/null && echo tokenise >frames && tracefolio summarize late -o late-in -q || return 1
    tracefolio job late-in -o told -q && tracefolio job late-in -o hidden -q --share public && tracefolio job late -o renamed -q --share public || return 1
    grep -q 'input (`__getitem__` (tokenise.py:88))' told/job_report.md && grep -q 'Rank 1 holds the others up' hidden/job_report.md &&
        ! grep -rq 'tokenise\|__getitem__' hidden renamed && grep -q 'input (`function-1` (source-1.py:88))' renamed/job_report.md
}
check 'nor does what it says of a cause' shared_causes
unwritten() {
    tracefolio job sum-in -o none -q --forbid words >err 2>&1
    [ $? -eq 12 ] && [ ! -e none ] && tracefolio job sum-out -o fine -q --forbid words && [ -e fine ]
}
check 'a job that holds a word is not written' unwritten
unplaced() {
    tracefolio summarize hosts -o none -q --forbid words >err 2>&1
    [ $? -eq 12 ] && [ -z "$(ls none)" ] && tracefolio summarize hosts -o none -q --forbid words --share public && [ "$(ls none | wc -l)" = 4 ]
}
check 'a capture that holds a word is not written' unplaced
echo "1..$count"
exit $failed
