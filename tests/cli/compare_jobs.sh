#!/bin/bash
# `tracefolio compare` of two jobs, and of a rank of a job: what is planted is what differs.
#
#   tests/cli/compare_jobs.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
build=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
PATH=$build:$PATH

tracefolio-sample --no-python --job 4 --plant late-compute:2=20 -o before >/dev/null
tracefolio-sample --no-python --job 4 --plant late-input:1=4000 -o after >/dev/null
tracefolio-sample --no-python --job 2 --plant late-compute:1=20 -o pair >/dev/null
for job in before after pair; do tracefolio summarize $job -o sum-$job -q && tracefolio job sum-$job -o site-$job -q; done
cat sum-before/* >before.captures.gz

compared() { # REFERENCE CANDIDATE PYTHON: conditions on d, the data
    tracefolio compare "$1" "$2" -o out -f --label-ref a --label-cand b >said && python3 - "$3" <<'END' || { cat said; return 1; }
import json, sys
d = json.load(open('out/comparison_data.json'))
rows = lambda table, key: {r[key]: r for r in d[table]}
assert eval('(' + sys.argv[1] + ')'), sys.argv[1]
END
}
check 'two finished jobs: which ranks are late now' compared site-before site-after \
    "[(r['rank'], r['named']) for r in d['job_ranks'] if r['named']] == [(1, 'newly late'), (2, 'no longer late')]"
check 'causes: less computing, more idle time' compared site-before site-after \
    "rows('job_causes', 'cause')['computing']['difference_ns'] < -5e6 and
     rows('job_causes', 'cause')['idle: nothing recorded']['difference_ns'] > 2e6"
check 'only the rank that was late computes less' compared site-before site-after \
    "[abs(r['difference_ns']) > 5e6 for r in d['job_spread'] if r['part'] == 'computing'] == [False, False, True]"
check 'roles swapped: differences change sign' compared site-after site-before \
    "rows('job_causes', 'cause')['computing']['difference_ns'] > 5e6 and
     rows('job_ranks', 'rank')[2]['named'] == 'newly late'"
check 'a job against itself differs in nothing' compared site-before site-before \
    "all(r['difference_ns'] == 0 for t in ('job_parts', 'job_causes', 'job_spread', 'job_ranks', 'job_speed') for r in d[t])"
check 'other work is not a verdict' compared site-before site-pair "not d['same_work'] and 'different work' in ' '.join(d['verdict'])"
parts_add_up() {
    compared site-before site-after True && mv out/comparison_data.json want.json && python3 - site-before want.json <<'END'
import json, sys
job, d = json.load(open(sys.argv[1] + '/job.json')), json.load(open(sys.argv[2]))
window = sum(r['balance']['window_ns'] for r in job['ranks']) / len(job['ranks'])
parts = sum(r['reference_ns'] for r in d['job_parts'])
assert abs(parts - window / job['run_ns'] * job['step_ns']) < 10, (parts, window)
END
}
check "the parts of the mean rank's step add up to it" parts_add_up
mixed() { # sites, captures, packs and traces say the same
    local one
    for one in sum-before before.captures.gz before; do
        compared $one site-after True && cmp out/comparison_data.json want.json || return 1
    done
}
check 'a site, captures, a pack or traces: the same' mixed
ranks_differ() {
    tracefolio compare "$1" "$2" -o out -f -p MI300X >said && grep -q 'Device work' said && grep -q "$3" said
}
check 'two ranks of one job' ranks_differ sum-before:rank=0 sum-before/:rank=2 'less than'
check 'a rank of a pack and one of traces' ranks_differ before.captures.gz:rank=2 before:rank=1 'more than'
check 'a rank and a capture' ranks_differ sum-before:rank=3 sum-after/rank-00003.capture.json.gz 'Device work'
in_reports() { # a site finds the captures in the reports that it links to
    mkdir reports && for r in 0 2; do tracefolio analyze before/*rank$r*.json.gz -p none --formats json -q -o reports/r$r || return 1; done
    tracefolio job reports/*/capture.json.gz -o site-reports -q && touch reports/r0/index.html reports/r2/index.html &&
        tracefolio job reports/*/capture.json.gz -o site-reports -q && ranks_differ site-reports:rank=0 site-reports/:rank=2 'less than'
}
check 'two ranks of a site with reports' in_reports

gated() { # STATUS REFERENCE CANDIDATE GATES...: what failed, or must not stay open, is in the data too
    local status=$1 is=failed
    [[ "$*" != *--require-gates* ]] || is='failed\|not evaluated'
    tracefolio compare "$2" "$3" -o gates -f "${@:4}" >out.txt 2>err
    [ $? -eq "$status" ] && { [ "$status" != 10 ] || grep -q '"status": "\('"$is"'\)"' gates/comparison_data.json; } || { cat err; return 1; }
}
check 'a job that computes longer fails its gate' gated 10 site-after site-before --fail-on 'regression>1.5%'
check 'and one that computes less does not' gated 0 site-before site-after --fail-on 'regression>1.5%' --fail-on setup --require-gates
check 'a rank that is newly late' gated 10 site-before site-after --fail-on new-finding
check 'none in a job against itself' gated 0 site-before site-before --fail-on new-finding --fail-on setup --fail-on 'regression>5%' --require-gates
check 'a gate that warns' eval 'gated 0 site-after site-before --fail-on "warn: regression>1.5%" && grep -q "(a warning)" err'
check 'below what one run shows nothing is judged' gated 10 site-after site-before --fail-on 'regression(wall)>2%' --require-gates
check 'other work is not judged' eval 'gated 10 site-before site-pair --fail-on "regression>5%" --require-gates && grep -q "run different work" err'
check 'another set-up' gated 10 site-before site-pair --fail-on setup
check 'a part of the time: idle' gated 10 site-before site-after --fail-on 'regression(category:idle)>5%'
ranks_gated() {
    tracefolio compare "$1" "$2" -o gates -f -q -p MI300X --fail-on 'regression(category:GEMM)>5%' --formats json 2>err
    [ $? -eq "$3" ] || { cat err; return 1; }
}
check 'two ranks: the late one fails' ranks_gated sum-before:rank=0 sum-before:rank=2 10
check 'two ranks: the other way it does not' ranks_gated sum-before:rank=2 sum-before:rank=0 0

refused() { # STATUS WORDS COMMAND...: one line that has the words
    local status=$1 words=$2
    shift 2
    "$@" >out.txt 2>err
    [ $? -eq "$status" ] && [ "$(wc -l <err)" -eq 1 ] && grep -q "$words" err || { cat err; return 1; }
}
mkdir broken wild pipe
echo '{' >broken/job.json
sed 's/"step_ns": [0-9]*/"step_ns": 9e300/' site-before/job.json >wild/job.json
mkfifo pipe/job.json
check 'refuses a job against a capture' refused 2 'name one of its ranks' tracefolio compare site-before sum-after:rank=1 -o x
check 'refuses a rank that is not there' refused 3 'rank 9' tracefolio compare sum-before:rank=9 sum-before:rank=0 -o x
check 'refuses a rank of a site' refused 3 'no report of rank 1' tracefolio compare site-before:rank=1 sum-before:rank=0 -o x
check 'refuses gates of captures' refused 2 'as JOB:rank=0' tracefolio compare site-before site-after -o x --fail-on 'unmatched>5%'
check 'refuses a part that is none' refused 2 'did you mean compute' tracefolio compare site-before site-after -o x --fail-on 'regression(category:comput)>5%'
check 'refuses what is not JSON' refused 3 'not JSON' tracefolio compare broken site-after -o x
check 'refuses figures that cannot be' refused 3 'step_ns' tracefolio compare wild site-after -o x
check 'refuses a pipe' refused 3 'not a plain file' tracefolio compare pipe site-after -o x
echo merged >words
forbidden() {
    tracefolio compare site-before site-after -o x --label-ref merged --forbid words >out.txt 2>&1
    [ $? -eq 12 ] && [ ! -e x ]
}
check 'refuses a forbidden word' forbidden
echo "1..$count"
exit $failed
