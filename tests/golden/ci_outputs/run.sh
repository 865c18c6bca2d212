# OUT THREADS: what a run writes for a build: for GitHub and GitLab by their environment, and files by name.
trace=../findings_of_each_kind/trace.json.gz out=$1 threads=$2
unset GITHUB_ACTIONS GITLAB_CI JENKINS_URL SOURCE_DATE_EPOCH
mkdir "$out" && cp waivers.txt "$out" || exit 1
analyze() { # STATUS OPTION...
    local want=$1
    shift
    tracefolio analyze "$trace" -p MI300X -q -j "$threads" -f -o "$out.report" "$@"
    [ $? = "$want" ]
}
gates=(--fail-on critical --fail-on 'window.idle_pct>99%' --fail-on 'warn: counts.high>0' --fail-on 'categories.convolution.kernel_sum_ns>1ms')
# shellcheck disable=SC2030
(
    export GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY=$out/github.md GITHUB_SERVER_URL=https://github.example GITHUB_REPOSITORY=a/b \
        GITHUB_RUN_ID=7 GITHUB_REF_NAME=main GITHUB_RUN_NUMBER=12
    analyze 10 --formats site,json --ci "${gates[@]}" >"$out/github.log" 2>"$out/errors.txt" || exit 1
    cp "$out.report/badge.svg" "$out/failed.svg"
) && (
    trace=$PWD/$trace
    cd "$out" && export GITLAB_CI=true CI_JOB_URL=https://gl.example/j/5 CI_COMMIT_REF_NAME=main CI_PIPELINE_IID=3 CI_JOB_STARTED_AT=2026-02-01T10:00:00Z
    analyze 0 --formats site,md,json --ci --waivers waivers.txt --fail-on 'warn: high' --fail-on 'window.idle_pct>99%' --junit-findings \
        --sarif findings.sarif --email mail.html --series 'a & b' >gitlab.log 2>>errors.txt &&
        cp "$out.report"/{badge.svg,comment.md,summary.json} .
)
