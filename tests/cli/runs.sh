#!/bin/bash
# A root of runs: publishing, the index with its trends, many writers at once, killed ones.
#
#   tests/cli/runs.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
here=$(realpath "$(dirname "$0")/../..")
build=$(realpath "$1")
tf=$build/tracefolio
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
runs() { python3 "$here/tests/ci/check_runs.py" "$@"; }
says() { # WANT TEXT COMMAND...
    local want=$1 text=$2
    shift 2
    status "$want" "$@" && grep -qF -- "$text" err || { cat err; return 1; }
}

# Twelve reports of one series; the eleventh waits for its host. Traces are of one moment each.
make_reports() {
    local i
    for i in $(seq 1 12); do
        "$build/tracefolio-sample" --kind llm-prefill --layers 1 --steps 1 --seed "$i" \
            $([ "$i" != 11 ] || echo --defect item-sync) -o "t$i.json" || return 1
        # Recorded on the day of its number.
        python3 - "t$i.json" "$i" <<'PY' || return 1
import re, sys
text = open(sys.argv[1]).read()
day = 1767225600 + 86400 * (int(sys.argv[2]) - 1) + 3600
start = int(float(re.search(r'"ts": ?([\d.]+)', text).group(1)) / 1e6)
text, n = re.subn(r'"baseTimeNanoseconds": ?-?\d+', f'"baseTimeNanoseconds": {(day - start) * 10**9}', text)
open(sys.argv[1], 'w').write(text)
sys.exit(n != 1)
PY
        "$tf" analyze "t$i.json" -p MI300X --formats site,json -q -o "r$i" --run-label "run $i" || return 1
    done
}
make_reports || exit 1

check 'a run is published whole, and listed' eval '"$tf" publish r1 root >log && grep -q "^Published: root/run-" log && runs root "run 1" && "$tf" verify root/run-*'
check 'a manifest with an odd name in it is damaged' \
    eval 'cp -r r1 odd && sed -i "s#  index.html#  ind{x.html#" odd/MANIFEST.txt && says 3 "odd: its MANIFEST.txt is damaged" "$tf" publish odd other && rm -rf odd other'
check 'publishing it again changes nothing' eval 'cp -r root before && "$tf" publish r1 root -q && diff -r before root'
for i in $(seq 2 12); do "$tf" publish "r$i" root -q; done
check 'all are listed, newest first' eval 'runs root "run 1" "run 12" && grep -o "\"label\": \"run [0-9]*\"" root/runs.json | head -n 1 | grep -q "run 12"'
check 'the run that waits is marked, and none of the first nine' \
    eval 'sed -n "/<figcaption>Total time/,/<\/svg>/p" root/trend.html >chart && grep trend-change chart | grep -q "run 11, 2026-01-11.*+11[78]" &&
        ! grep trend-change chart | grep "run [1-9],"'
check 'the same folders give the same bytes' eval 'cp -r root copy && "$tf" reindex copy -q && diff -r root copy'
check 'a run that is deleted is gone from the index' \
    eval 'rm -rf copy/run-20260103*; "$tf" reindex copy -q && runs copy && ! grep -q "\"run 3\"" copy/runs.json'
check 'a run that cannot be read is listed as such' \
    eval 'echo "{" >copy/$(ls copy | grep run-20260104)/summary.json; "$tf" reindex copy -q; grep -q "its summary.json is not JSON" copy/index.html && grep -q "\"unread\"" copy/runs.json'
check 'series are apart in one table' \
    eval '"$tf" analyze t2.json -p MI300X --formats site,json -q -o other --series nightly && "$tf" publish other two -q && "$tf" publish r1 two -q &&
        runs two && [ "$(grep -oE "</th><td>[^<]+</td>" two/index.html | sort -u | wc -l)" = 2 ] && grep -q "</th><td>nightly</td>" two/index.html'

# Removing old runs.
check '--keep keeps the newest of a series' eval 'cp -r root k && "$tf" publish r12 k -q --keep 3 && runs k "run 12" "run 11" "run 10" && [ "$(ls -d k/run-* | wc -l)" = 3 ]'
check 'but never the one just published' eval 'rm -rf k; cp -r root k && "$tf" publish r1 k -q --keep 2 && runs k "run 1" "run 12" "run 11" && [ "$(ls -d k/run-* | wc -l)" = 3 ]'
check 'nor one with a file keep' eval 'rm -rf k; cp -r root k && touch "$(ls -d k/run-20260102*)/keep" && "$tf" reindex k -q --keep 1; ls -d k/run-20260102* && [ "$(ls -d k/run-* | wc -l)" = 2 ]'
check 'nor a folder that is not ours' eval 'mkdir k/run-mine && echo x >k/run-mine/a && "$tf" reindex k -q --keep 1 && [ -e k/run-mine/a ]'
check 'nor a run with a file of another in it' eval 'rm -rf k; cp -r root k && run=$(ls -d k/run-20260102*) && echo mine >"$run/note.txt" && "$tf" reindex k -q --keep 1 2>err &&
    [ "$(cat "$run/note.txt")" = mine ] && "$tf" verify "$run" | grep -q "^extra *note.txt" && [ "$(wc -l <err)" = 1 ] && grep -q "warning: an old run is not removed.*: run-20260102[0-9a-f-]*: note.txt$" err && [ "$(ls -d k/run-* | wc -l)" = 2 ]'
check '--keep-days counts from the newest run' eval 'rm -rf k; cp -r root k && "$tf" reindex k -q --keep-days 4 && runs k && [ "$(ls -d k/run-* | wc -l)" = 4 ]'

# What is refused.
check 'a report that was changed is not published' \
    eval 'cp -r r2 changed && echo x >>changed/index.html && says 3 "is not as its manifest says" "$tf" publish changed none -q && [ -z "$(ls none | grep run-)" ] && [ -z "$(ls -A none | grep "^[.]")" ]'
check 'no report' says 3 'not a report: it has no MANIFEST.txt' "$tf" publish "$here/tests" none
check 'a report without summary.json' eval '"$tf" analyze t1.json -p none --formats csv -q -o csv && says 3 "it has no summary.json" "$tf" publish csv none'
check "an index.html of somebody else stays" \
    eval 'mkdir site && echo mine >site/index.html && says 4 "that tracefolio did not write" "$tf" publish r1 site && grep -qx mine site/index.html'
check 'jobs and comparisons are listed with their verdict, and stay' \
    eval '"$build/tracefolio-sample" --no-python --job 2 -o ranks >/dev/null && "$tf" job ranks -q -o job && "$tf" compare r1 r2 -q -o pair && "$tf" compare ranks ranks -q -o jobs &&
        cp -r root mixed && for r in job pair jobs; do "$tf" publish $r mixed -q --keep 3 || return 1; done && [ "$(ls -d mixed/run-* | wc -l)" = 6 ] &&
        grep -q "\"kind\": \"job\", \"label\": \"2 ranks\", \"verdict\": \"A step of the job takes" mixed/runs.json && [ "$(grep -c "\"kind\": \"comparison\"" mixed/runs.json)" = 2 ] &&
        grep -q "Jobs of many ranks, and comparisons" mixed/index.html && grep -q "job</div></th><td>A step of the job takes" mixed/index.html &&
        "$tf" publish job alone -q && grep -q "no run of a single trace is here" alone/index.html && says 2 "made to be shared as internal" "$tf" publish pair alone --share public'
check 'missing arguments' eval 'says 2 "missing root; run tracefolio publish" "$tf" publish r1 && says 2 "missing folder" "$tf" publish && says 2 "missing root; run tracefolio reindex" "$tf" reindex'
check 'a root that is not there is not indexed' says 3 'cannot be opened' "$tf" reindex nowhere
check 'a looser run is refused' says 2 'is made to be shared as internal, and this index is partner' "$tf" publish r1 none --share partner

check 'a root in a report, which would spoil it' \
    eval 'cp -r r1 whole && for at in whole whole/sub whole/assets/../sub; do says 2 "is in the report" "$tf" publish r2 $at || return 1; done &&
        says 2 "is in the report" "$tf" reindex whole && "$tf" verify whole'

# Locks.
lock() { echo '00000000-another/pid:[1] 1 1 x' >"$1/.tracefolio-lock"; }
check 'a run is published though another holds the index' \
    eval 'lock root; "$tf" analyze t3.json -p H100 --formats site,json -q -o r13 --run-label late && says 0 "run tracefolio reindex later" timeout 30 "$tf" publish r13 root --lock-wait 0 &&
        ! grep -q late root/runs.json && says 4 "another run of tracefolio is writing" timeout 30 "$tf" reindex root --lock-wait 0'
check 'a lock of ten minutes ago is taken over' eval 'touch -d "11 minutes ago" root/.tracefolio-lock && "$tf" reindex root -q --lock-wait 0 && runs root late'

# Eight writers at once, some of them killed at any moment.
published_by() { # ROOT: eight writers, of which those with an odd number are killed
    local i pids=()
    for i in $(seq 1 8); do
        "$tf" publish "r$i" "$1" -q 2>>writers &
        pids+=($!)
    done
    for i in 0 2 4 6; do
        sleep "0.0$((RANDOM % 6))"
        kill -9 "${pids[$i]}" 2>/dev/null
    done
    for i in 1 3 5 7; do wait "${pids[$i]}" || { echo "writer $i failed"; cat writers; return 1; }; done
    wait
}
check 'eight at once: nothing is lost' \
    eval 'for i in 1 2 3 4 5 6 7 8; do "$tf" publish "r$i" eight -q & done; wait; runs eight "run 1" "run 2" "run 3" "run 4" "run 5" "run 6" "run 7" "run 8"'
rounds() {
    local k
    for k in 1 2 3 4 5 6; do
        published_by "killed$k" && "$tf" publish r9 "killed$k" -q && # finds and removes what the killed ones left
            runs "killed$k" 'run 2' 'run 4' 'run 6' 'run 8' 'run 9' || { cat writers; ls -laR "killed$k" | grep -A3 "^killed.*/[.]"; return 1; }
    done
}
check 'kill -9 among eight, six times: those that ended are listed, nothing is half there' eval 'rounds 2>/dev/null'
if nm "$tf" 2>/dev/null | grep -qE '__[at]san_init' || ! command -v "${CC:-cc}" >/dev/null; then
    echo 'ok - a share without links, locks and flags of rename # SKIP the sanitizer, or no compiler'
else
    "${CC:-cc}" -shared -fPIC -o plain.so "$here/tests/ci/plain_share.c" -ldl || exit 1
    plainly() { LD_PRELOAD=$work/plain.so "$tf" "$@"; }
    check 'a share without links, locks and flags of rename' \
        eval 'for i in 1 2 3 4; do plainly publish "r$i" plain -q || return 1; done; plainly publish r1 plain -q --keep 2 &&
            runs plain "run 1" "run 4" "run 3" && plainly reindex plain -q && runs plain "run 1" "run 4" "run 3"'
    check 'a report is written there, and replaced' \
        eval 'for i in 1 2; do plainly analyze "t$i.json" -p MI300X -q -o there/report || return 1; "$tf" verify there/report || return 1; done;
            echo mine >there/report/mine && plainly analyze t1.json -p MI300X -q -f -o there/report && "$tf" verify there/report && [ -e there/report.replaced-1/mine ] &&
            plainly compare t1.json t2.json -p MI300X -q -o there/cmp && plainly compare t1.json t3.json -p MI300X -q -o there/cmp &&
            [ -z "$(ls -A there | grep -vx -e report -e report.replaced-1 -e cmp)" ]'
fi

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    chmod 755 . && cp "$tf" users && chmod 755 users && chmod -R a+rX r1 r2 && mkdir team mine && chgrp 4001 team && chmod 2775 team && chown 4001 mine
    as() { # USER UMASK COMMAND...: of group 4001
        setpriv --reuid "$1" --regid 4001 --clear-groups -- sh -c 'umask "$0" && exec "$@"' "${@:2}"
    }
    check 'several users publish into a folder of their group' \
        eval 'as 4001 002 ./users publish r1 team/runs -q && as 4002 002 ./users publish r2 team/runs -q && runs team/runs "run 2" "run 1"'
    check 'who may not is told what the folder lacks' \
        eval 'says 4 "chmod 2775, and umask 002" as 4002 022 ./users publish r2 mine && ! grep -q -e "-o" err && [ -z "$(ls -A mine)" ]'
fi
check 'a series is said when a report is made' \
    eval 'status 2 "$tf" publish . elsewhere --series nightly && grep -q "option of analyze" err && [ ! -e elsewhere ]'
echo "1..$count"
exit "$failed"
