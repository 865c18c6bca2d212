#!/bin/bash
# What a build gets of a run: gates, waivers, files for its host, mail, the snippets.
#
#   tests/cli/ci.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
here=$(realpath "$(dirname "$0")/../..")
build=$(realpath "$1")
tf=$build/tracefolio
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset GITHUB_ACTIONS GITLAB_CI JENKINS_URL SOURCE_DATE_EPOCH
ci() { python3 "$here/tests/ci/check_ci.py" "$@"; }
python=python3 # Debian's own sees Debian's packages
! /usr/bin/python3 -c 'import jsonschema' 2>/dev/null || python=/usr/bin/python3
sarif() { "$python" "$here/tests/ci/check_sarif.py" "$1"; } # FILE: as the schema of the standard says
junit() { # FILE: as Jenkins's schema says, and its newer one, whose rules ci has
    xmllint --noout --schema "$here/tests/ci/jenkins-junit.xsd" "$1" && ci junit "$1"
}
"$build/tracefolio-sample" --kind llm-prefill --layers 2 --steps 1 --defect unfused-attention \
    --defect item-sync -o t.json.gz && "$build/tracefolio-sample" --kind healthy --layers 4 -o healthy.json.gz &&
    "$build/tracefolio-sample" --kind llm-prefill --layers 2 --steps 1 --hostile --defect unfused-attention \
        -o hostile.json.gz || exit 1
analyze() { "$tf" analyze t.json.gz -p MI300X --formats json -q -f -o rep "$@"; }
says() { # WANT TEXT OPTION...: status and a line on standard error
    local want=$1 text=$2
    shift 2
    status "$want" analyze "$@" && { [ -z "$text" ] || grep -qF -- "$text" err; } || { cat err; return 1; }
}

# Gates.
check 'every finding behind a gate is listed' \
    eval 'says 10 "1 of 1 gate failed" --fail-on medium && [ "$(grep -c "^tracefolio:   " err)" = 2 ] &&
        grep -q "high: Use one fused attention call" err && grep -q ": Make update_statistics (early_exit.py:41) cheaper" err'
check 'every gate that tripped is listed' \
    eval 'says 10 "2 of 3 gates failed" --fail-on critical --fail-on "window.idle_pct > 30%" --fail-on "window.total_ns>1s" &&
        grep -q "idle_pct > 30%. failed: it is 46.38%, 16.38 points over the limit" err && ! grep -q "total_ns" err'
check 'a gate that only warns' says 0 "'warn: high' (a warning)" --fail-on 'warn: high'
check 'figures by category, counts, equal and below' \
    says 10 '4 of 4 gates failed' --fail-on 'categories.gemm.kernel_sum_ns>=1ms' --fail-on 'counts.critical>0' \
    --fail-on 'counts.medium<=0' --fail-on 'window.busy_pct<60%'
check 'a gate on a figure that is not there stays open' \
    eval 'says 0 "was not evaluated: the trace has no convolution among its categories" \
        --fail-on "categories.convolution.kernel_sum_ns>1ms" &&
        says 10 "1 of 1 gate was not evaluated" --fail-on "categories.convolution.kernel_sum_ns>1ms" --require-gates'
check 'a limit in another unit' says 2 'the figure is in %' --fail-on 'window.idle_pct>5ms'
check 'a figure misspelt' says 2 "unknown figure 'window.idel_pct' (did you mean window.idle_pct?)" --fail-on 'window.idel_pct>5%'
check 'what the first finding gives' says 10 '1 of 1 gate failed' --fail-on 'first.gain_pct>5%'
check 'of a healthy run that is little' status 0 "$tf" analyze healthy.json.gz -p MI300X --formats json -q -o h --fail-on 'first.gain_pct>20%' --require-gates
check 'no gate of a report' says 2 'that one is of two captures' --fail-on 'regression>5%'
check 'no gate at all' says 2 'expected critical, high or medium' --fail-on 'idle>5%'
check 'a healthy run passes' status 0 "$tf" analyze healthy.json.gz -p MI300X --formats json -q -o h --fail-on high
check 'with --strict a failed extension is status 5' \
    eval 'echo "error(1)" >bad.lua; analyze --extension bad.lua --strict; [ $? = 5 ]'

# Waivers.
of_critical() {
    python3 -c 'import json, sys
for f in json.load(open("rep/summary.json"))["findings"]:
    if f["severity"] == "critical":
        print(f[sys.argv[1]])' "$1"
}
id=$(of_critical id | head -n 1)
{
    printf '# why not\n\n'
    of_critical id | sed 's/$/\t2026-03-01  the new kernel lands in March/'
} >w.txt
of_critical key | sed 's/$/ 2026-03-01 later/' >k.txt
report_id() { grep '"report_id"' rep/summary.json; }
check 'other waivers are another report' eval 'analyze --date 2026-01-01 && report_id >none && analyze --date 2026-01-01 --waivers w.txt && report_id >some &&
    analyze --date 2026-01-01 --waivers k.txt && report_id >other && ! cmp -s none some && ! cmp -s some other && analyze --date 2026-01-01 --waivers w.txt && report_id | cmp - some'
check 'a waiver holds up to its date' says 0 '' --fail-on critical --waivers w.txt --date 2026-03-01
check 'and not the day after' says 10 "w.txt:3: the waiver of $id ended on 2026-03-01" --fail-on critical --waivers w.txt --date 2026-03-02
check 'SOURCE_DATE_EPOCH is the date too' \
    eval 'SOURCE_DATE_EPOCH=1769817600 says 0 "" --fail-on critical --waivers w.txt && grep -q "\"date\": \"2026-01-31\"" rep/summary.json'
check 'a waiver by the key of a finding' \
    eval 'says 0 "" --fail-on critical --waivers k.txt --date 2026-01-01'
check 'without a date there is no waiver' says 2 '--waivers requires the date of this run' --waivers w.txt
check 'a date that is none' says 2 "expected a date as 2026-01-31, not '2026-02-30'" --date 2026-02-30
check 'a waiver of nothing is told' \
    eval 'echo "f-00000000 2026-12-31 gone" >g.txt; says 0 "f-00000000 is not a finding of this run" --waivers g.txt --date 2026-01-01'
check 'a waiver without a reason is refused' \
    eval 'echo "f-00000000 2026-12-31" >n.txt; says 3 "n.txt: line 1: expected a finding" --waivers n.txt --date 2026-01-01'
check 'the example of waivers is read' says 0 '' --waivers "$here/assets/ci/waivers.txt" --date 2026-01-01

# Where people look.
check 'gates are first on the first page, with what was measured and the limit' \
    eval '! "$tf" analyze t.json.gz -p MI300X --formats site,json -q -f -o rep --fail-on "window.idle_pct>30%" --fail-on "warn: counts.critical>0" \
        --fail-on "window.total_ns>1s" --fail-on "categories.convolution.kernel_sum_ns>1ms" 2>err &&
        sed -n "/<section class=.gates/,/<.section>/p" rep/index.html >gates && grep -q "1 of 3 gates failed" gates &&
        grep -q "✕.*failed.*window.idle_pct&gt;30%.*: it is 46.38.*%, 16.38 points over the limit" gates && grep -q "⚠.*counts.critical" gates &&
        grep -q "✓.*window.total_ns.*, 954.[0-9]*.*ms under the limit" gates && grep -q "–.*not evaluated.*no convolution among its categories" gates &&
        [ "$(grep -nm 1 "class=.gates" rep/index.html | cut -d : -f 1)" -lt "$(grep -nm 1 "class=.verdict" rep/index.html | cut -d : -f 1)" ]'
gates_of() { # FILE: the gates in it, in figures
    python3 -c 'import json, sys
for g in json.load(open(sys.argv[1]))["gates"]:
    print(g["result"], g["value"], g["limit"], g["unit"])' "$1"
}
check 'report.json and summary.json have them in figures' \
    eval 'gates_of rep/report.json >a && gates_of rep/summary.json | diff a - && head -n 1 a | grep -qx "failed 46.38[0-9]* 30 pct" && grep -qx "not_evaluated None None None" a &&
        python3 "$here/tests/schema_check.py" "$here/assets/schemas/report.schema.json" rep/report.json'
check 'without a gate no page speaks of gates' eval '"$tf" analyze t.json.gz -p MI300X --formats site -q -f -o rep && ! grep -q "class=.gates" rep/index.html'
check 'what is waived says until when and why' \
    eval '"$tf" analyze t.json.gz -p MI300X --formats site,md,json -q -f -o rep --waivers w.txt --date 2026-01-01 &&
        for page in index recommendations; do grep -q "waived until 2026-03-01: the new kernel lands in March" rep/$page.html || return 1; done &&
        grep -q "until 2026-03-01: the new kernel" rep/comment.md &&
        python3 "$here/tests/schema_check.py" "$here/assets/schemas/report.schema.json" rep/report.json && grep -q "\"why\": \"the new kernel lands in March\"" rep/report.json'

# Files.
check 'summary.json is as its schema says' \
    python3 "$here/tests/schema_check.py" "$here/assets/schemas/summary.schema.json" rep/summary.json
check 'SARIF is as the standard says, and a waiver is a suppression' \
    eval 'analyze --sarif s.sarif --waivers w.txt --date 2026-01-01 &&
        sarif s.sarif && grep -q "\"justification\": \"the new kernel" s.sarif'
check 'fingerprints of SARIF are those of the findings' \
    eval 'grep -q "\"tracefolioFinding/v1\": \"$id\"" s.sarif'
mkdir -p co/serving empty && touch co/serving/early_exit.py
check 'SARIF marks the line that a checkout has' \
    eval 'analyze --sarif s.sarif --source-root co && sarif s.sarif &&
        grep -A 6 "\"uri\": \"serving/early_exit.py\"" s.sarif >place && grep -q "\"startLine\": [1-9]" place && grep -q "\"uriBaseId\": \"SRCROOT\"" s.sarif'
check 'and none without one, or where the file is missing' \
    eval 'analyze --sarif s.sarif && ! grep -q physicalLocation s.sarif && analyze --sarif s.sarif --source-root empty && ! grep -q physicalLocation s.sarif'
check 'on GitHub, which refuses any other, SARIF has only results with a line, and so have annotations' \
    eval 'analyze --sarif s.sarif --annotations github --source-root co >log && sarif s.sarif && [ "$(grep -c physicalLocation s.sarif)" = "$(grep -c "\"ruleIndex\"" s.sarif)" ] &&
        grep -qE "^::[a-z]+ file=serving/early_exit.py,line=[1-9][0-9]*,title=" log && analyze --sarif s.sarif --annotations github >log && sarif s.sarif && ! grep -q ruleIndex s.sarif'
check 'the checkout of a build is found' \
    eval 'env GITHUB_ACTIONS=true GITHUB_WORKSPACE="$work/co" "$tf" analyze t.json.gz -p MI300X --formats json -q -f -o rep --ci >log && grep -q "file=serving/early_exit.py" log'
check 'a checkout that is none' eval 'says 3 "co/none: --source-root: expected a folder" --sarif s.sarif --source-root co/none && says 2 "requires --sarif or --annotations" --source-root co'
check 'JUnit: gates and checks' \
    eval '! analyze --junit j.xml --fail-on critical --fail-on "window.total_ns>1s" 2>err && junit j.xml &&
        grep -q "classname=\"tracefolio.gates\" name=\"critical\"><failure" j.xml &&
        grep -q "total_ns&gt;1s\" time=\"0.0454" j.xml && ! grep -q "tracefolio.findings" j.xml'
check 'JUnit: findings too, waived ones skipped' \
    eval 'analyze --junit j.xml --junit-findings --waivers w.txt --date 2026-01-01 && junit j.xml &&
        grep -q "name=\"$id .*<skipped>Waived until 2026-03-01" j.xml'
check 'JUnit of names that attack is well-formed' \
    eval '"$tf" analyze hostile.json.gz -p MI300X --formats md,json -q -f -o hostile --junit j.xml --junit-findings --sarif h.sarif \
        --email h.html --metrics hm.txt --step-summary h.md --report-url https://ci.example/4 && junit j.xml && ci email h.html && ci metrics hm.txt &&
        sarif h.sarif'
check 'metrics for GitLab' eval 'analyze --metrics m.txt && ci metrics m.txt && grep -q "^tracefolio_idle_seconds 0.02106" m.txt'
check 'mail as HTML and as text' \
    eval 'analyze --email mail.html --report-url https://ci.example/7 && ci email mail.html && grep -q "href=\"https://ci.example/7\"" mail.html &&
        grep -q "^Full report: https://ci.example/7" mail.txt && grep -q "1. Make update_statistics" mail.txt'
check 'a link that is none is refused' says 2 '--report-url: expected a link' --report-url 'javascript:alert(1)'
check 'a label and a series' \
    eval 'analyze --run-label "nightly 4711" --series llama && grep -q "\"run_label\": \"nightly 4711\"" rep/summary.json &&
        grep -q "\"series\": \"llama\"" rep/summary.json'
site() { "$tf" analyze t.json.gz -p MI300X --formats site,md -q -f -o site "$@" 2>err; }
check 'a badge of how busy the GPU was' eval 'site && ci badge site/badge.svg && grep -q "<title>GPU busy: 53.6%" site/badge.svg'
check 'a badge of the gates' \
    eval '! site --fail-on critical && ci badge site/badge.svg && grep -q "<title>GPU gates: failed" site/badge.svg'
check 'a badge of any figure' eval 'site --badge counts.critical && ci badge site/badge.svg && grep -q "<title>counts.critical: [1-9]<" site/badge.svg'
check 'a comment that a bot can find' \
    eval 'site --fail-on high; head -n 1 site/comment.md | grep -qE "^<!-- tracefolio: .* -->$" && grep -q "failed" site/comment.md'
check 'a file that the run reads is not overwritten' says 4 'is read by this run' --junit t.json.gz
check 'nor one in the folder that is replaced' says 2 "is in the report's folder" --sarif rep/s.sarif
check 'nor is one file written twice' says 2 'two options name it' --junit x.txt --email x.html
check 'a folder that is not there' says 4 'its folder does not exist' --metrics nowhere/m.txt
check 'compare has the same files' \
    eval '"$tf" compare t.json.gz healthy.json.gz -o cmp -q --formats md --junit cj.xml --metrics cm.txt --step-summary cs.md --annotations gitlab \
        --email c.html --fail-on "warn: regression>5%" >cout 2>err && junit cj.xml && ci metrics cm.txt && ci email c.html &&
        grep -q "| Where | Reference |" cs.md && head -n 1 cmp/comment.md | grep -q "^<!-- tracefolio"'

# A job, and two of them.
"$build/tracefolio-sample" --no-python --job 4 --plant late-compute:2=20 -o ranks && "$build/tracefolio-sample" --no-python --job 4 -o even || exit 1
job() { "$tf" job ranks -o job -q -f --formats md,json "$@" >jout 2>err; }
all_files='--junit jj.xml --junit-findings --metrics jm.txt --sarif jj.sarif --step-summary jj.md --email mail.html --annotations github'
check 'job has the same files' \
    eval 'rm -f jj.*; job $all_files --run-label "night 7"; junit jj.xml && ci metrics jm.txt && sarif jj.sarif && ci email mail.html &&
        grep -q "^### .night 7." jj.md && grep -q "^::warning title=Find out why rank 2 is late%3A compute::" jout &&
        grep -q "^tracefolio_job_late_ranks 1$" jm.txt && grep -q "name=\"rank-2 " jj.xml && grep -q "<failure type=\"high\"" jj.xml'
check 'and its gates are in them' \
    eval 'job --junit jj.xml --fail-on "slowdown>1.01" --fail-on "warn: straggler>1%" --fail-on "busbw(broadcast)<1"; [ $? = 10 ] && junit jj.xml &&
        grep -q "slowdown>1.01. failed: it is 1" err && grep -q "(a warning): it is .*%" err && grep -q "was not evaluated: the figure is not known" err &&
        grep -q "<skipped>the figure is not known" jj.xml && grep -q "1 of 2 gates failed" err'
check 'on GitHub too' \
    eval 'rm -f gh.md; env GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY="$work/gh.md" "$tf" job ranks -o job -q -f --formats md --ci >jout && grep -q "^Rank 2 holds" gh.md && grep -q "^::warning" jout'
check 'a trace of a rank is not written over' eval '"$tf" job ranks/rank0.json.gz ranks/rank1.json.gz -o job -q -f --junit ranks/rank1.json.gz 2>err; [ $? = 4 ] && grep -q "is read by this run" err && gzip -t ranks/rank1.json.gz'
check 'two jobs have them, too' \
    eval '"$tf" job even -o job-before -q && "$tf" job ranks -o job-now -q && rm -f jj.* && { "$tf" compare job-before job-now -o jobs -q --formats md $all_files --fail-on new-finding >jout 2>err; [ $? = 10 ]; } &&
        junit jj.xml && ci metrics jm.txt && sarif jj.sarif && ci email mail.html && grep -q "^| computing |" jj.md && grep -q "^::error title=new-finding::rank 2 is newly late" jout'
if command -v promtool >/dev/null; then
    check 'Prometheus finds nothing wrong with the metrics of any of them' \
        eval '"$tf" compare t.json.gz healthy.json.gz -o cmp -q -f --formats md --metrics cm.txt; analyze --metrics m.txt; job --metrics j1.txt;
            for f in m.txt cm.txt jm.txt j1.txt hm.txt; do [ -s $f ] && promtool check metrics <$f >lint 2>&1 && [ ! -s lint ] || { cat $f lint; return 1; }; done'
else
    echo 'ok - Prometheus finds nothing wrong with the metrics # SKIP there is no promtool'
fi

# The step summary.
check 'a step summary is appended' \
    eval 'echo "before" >s.md && analyze --step-summary s.md && head -n 1 s.md | grep -qx before && grep -q "^| Total time" s.md'
check 'a summary that is nearly full gets the verdict, and says what is missing' \
    eval 'head -c 1047400 /dev/zero | tr "\\0" x >s.md && analyze --step-summary s.md && [ "$(wc -c <s.md)" -le 1048576 ] &&
        grep -q "Host-bound" s.md && grep -q "parts of this summary did not fit" s.md'
check 'a full one is left as it is' \
    eval 'head -c 1048576 /dev/zero >s.md && says 0 "no room in the file" --step-summary s.md && [ "$(wc -c <s.md)" = 1048576 ]'
check '--step-summary is whole or not there' \
    eval 'head -c 1023500 /dev/zero >s.md && cp s.md before.md && ! (ulimit -f 1000; analyze --step-summary s.md 2>err); grep -q "s.md: File too large" err && cmp s.md before.md'
if command -v cmark-gfm >/dev/null; then
    check 'markdown of names that attack shows no tag, link or mention' eval 'ci gfm hostile/comment.md && ci gfm h.md'
else
    echo 'ok - markdown of names that attack shows no tag, link or mention # SKIP there is no cmark-gfm'
fi

# Annotations and --ci.
check 'annotations for GitHub, escaped' \
    eval 'analyze --annotations github --fail-on "window.idle_pct>30%" >log 2>err; [ $? = 10 ] &&
        grep -qx "::error title=window.idle_pct>30%25::it is 46.38%25, 16.38 points over the limit" log && grep -q "^::warning title=Use one fused attention call for 4096" log'
check 'at most ten of them, one line each' \
    eval '"$tf" analyze hostile.json.gz -p MI300X --formats json -q -f -o out2 --annotations github >log && [ "$(wc -l <log)" -le 10 ] &&
        ! grep -qv "^::[a-z]* title=" log'
check 'annotations for GitLab' eval 'analyze --annotations gitlab >log && grep -q "Use one fused attention call" log'
check 'no annotations for another host' says 2 "unknown --annotations 'jira'" --annotations jira
unset_ci='env -u GITHUB_ACTIONS -u GITLAB_CI -u JENKINS_URL'
check '--ci on GitHub' \
    eval 'env GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY="$work/gh.md" GITHUB_SERVER_URL=https://github.example GITHUB_REPOSITORY=a/b \
        GITHUB_RUN_ID=7 GITHUB_REF_NAME=main GITHUB_RUN_NUMBER=12 "$tf" analyze t.json.gz -p MI300X --formats json -q -f -o rep --ci >log &&
        grep -q "^### \`main #12\`" gh.md && grep -q "(https://github.example/a/b/actions/runs/7)" gh.md && grep -q "^::warning" log'
check '--ci on GitLab' \
    eval 'env GITLAB_CI=true CI_JOB_URL=https://gl.example/j/5 CI_COMMIT_REF_NAME=main CI_PIPELINE_IID=3 CI_JOB_STARTED_AT=2026-02-01T10:00:00Z \
        "$tf" analyze t.json.gz -p MI300X --formats json -q -f -o rep --ci --waivers w.txt --fail-on critical >log &&
        junit tracefolio-junit.xml && ci metrics tracefolio-metrics.txt && grep -q "\"date\": \"2026-02-01\"" rep/summary.json'
check '--ci on Jenkins' \
    eval 'rm -f tracefolio-junit.xml; env JENKINS_URL=https://j.example BUILD_URL=https://j.example/9/ JOB_NAME=nightly BUILD_NUMBER=9 \
        "$tf" analyze t.json.gz -p MI300X --formats json -q -f -o rep --ci && junit tracefolio-junit.xml &&
        grep -q "\"report_url\": \"https://j.example/9/artifact/\"" rep/summary.json'
check 'what is given stands' \
    eval 'env GITLAB_CI=true "$tf" analyze t.json.gz -p MI300X --formats json -q -f -o rep --ci --junit mine.xml --annotations none >log &&
        [ -s mine.xml ] && [ ! -s log ]'
check '--ci elsewhere says so' says 0 'the environment is neither of GitHub Actions' --ci
check 'without --ci no variable counts' \
    eval 'rm -f gh.md; GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY="$work/gh.md" analyze >log && [ ! -e gh.md ] && [ ! -s log ]'

# The snippets, run as their hosts run them; the package manager and the download are stood in for.
mkdir bin && cat >bin/stub <<'STUB'
#!/bin/sh
echo "$(basename "$0") $*" >>"$STUB_LOG"
STUB
chmod +x bin/stub && ln -s stub bin/apt-get && ln -s stub bin/curl && ln -s "$tf" bin/tracefolio
snippet() { # FILE VARIABLE...: it warns, and without "warn:" it fails the build
    local file=$1
    shift
    ci commands "$here/assets/ci/$file" >commands && sed 's/warn: //' commands >strict &&
        run_snippet 0 commands "$@" && grep -q "(a warning)" run/log && run_snippet 10 strict "$@"
}
run_snippet() { # STATUS COMMANDS VARIABLE...
    local want=$1 commands=$2
    shift 2
    rm -rf run && mkdir run && cp t.json.gz run/trace.json.gz || return 1
    (cd run && env PATH="$work/bin:$PATH" STUB_LOG="$work/stubs" TRACEFOLIO_DEB=https://x/t.deb GPU_TRACE=trace.json.gz "$@" \
        bash -e "../$commands" >log 2>&1)
    [ $? = "$want" ] && grep -q "critical" run/log && [ -s run/gpu-report/index.html ] &&
        grep -q "apt-get install -y --no-install-recommends /tmp/tracefolio.deb" stubs || { cat "$commands" run/log; return 1; }
}
check 'the snippet for GitHub' \
    eval 'snippet github.yml GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY="$work/run/summary.md" && [ -s run/summary.md ] && grep -q "^::error" run/log'
check 'the snippet for GitLab' eval 'snippet gitlab.yml GITLAB_CI=true && [ -s run/tracefolio-junit.xml ] && [ -s run/tracefolio-metrics.txt ]'
check 'the snippet for Jenkins' eval 'snippet Jenkinsfile JENKINS_URL=https://j && [ -s run/tracefolio-junit.xml ]'
check 'help prints the snippets' \
    eval 'for t in github.yml gitlab.yml Jenkinsfile waivers.txt; do "$tf" help $t | cmp - "$here/assets/ci/$t" || return 1; done'

echo "1..$count"
exit "$failed"
