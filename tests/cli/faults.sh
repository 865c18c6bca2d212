#!/bin/bash
# Every allocation, open, write, folder, rename, sync, listing, read, close, removal and thread fails
# once, in turn, in every command: one line and a status, the site before stays whole, and nothing else
# stays. Of a read or write that is interrupted nothing shows, and a run that succeeds has written what it writes without a fault, or warns.
# FAULTS=all tries every call, FAULTS=60 so many of each kind; else some.
#
#   tests/cli/faults.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
build=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
work=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d) # in memory, where a sync takes no time
shim=$(mktemp -d)                                      # from where a library may be loaded
trap 'rm -rf "$work" "$shim"' EXIT
cd "$work" || exit 1

tf=$build/tracefolio
if nm "$tf" 2>/dev/null | grep -qE '__[at]san_init'; then
    echo "ok - faults # SKIP the sanitizer has these functions"
    echo "1..1"
    exit 0
fi
${CC:-cc} -std=gnu17 -shared -fPIC -o "$shim/fail.so" "$here/../hostile/fail_nth.c" -ldl || exit 1
sample() { "$build/tracefolio-sample" --no-python "$@" >said; }
sample --kind llm-prefill --layers 1 --steps 1 -o t.json.gz && sample --kind llm-prefill --layers 1 --steps 1 --seed 2 -o u.json.gz &&
    sample --job 2 -o ranks || exit 1
printf 'all-reduce=my_sum\n' >names.txt && printf '# Notes\n' >notes.md && printf 'mm\n' >none.txt && printf 'not_in_it\n' >words.txt &&
    printf 'gemm\n' >met.txt && printf '../ranks/rank0.json.gz\n../ranks/rank1.json.gz\n' >list.txt || exit 1
# What commands write, each in a folder of its own: as it is before each run.
mkdir before && cd before || exit 1
"$tf" analyze ../t.json.gz -p none -q -o out --formats csv,json,site && "$tf" analyze ../u.json.gz -p none -q -o run --formats json,site &&
    "$tf" analyze ../t.json.gz -p none -q -o single --formats json --single-file one.html --junit junit.xml --baseline-out next.json.gz &&
    "$tf" compare ../t.json.gz ../u.json.gz -q -o ab && "$tf" summarize ../ranks -q -o caps && "$tf" job caps -q -o site && "$tf" publish out root -q &&
    "$tf" cut ../t.json.gz --from 0 --to 999999999999999 -o cut.json.gz >../said && cp -r out bad && echo >>bad/index.html &&
    "$tf" publish out runs -q && "$tf" publish run runs -q && mkdir history files && printf 'report `0`.\n' >files/sum.md && cp next.json.gz history && "$tf" analyze ../t.json.gz -p none -q -o ci --formats json || exit 1
cd .. && cp -r before now || exit 1
# A run that failed has changed nothing, but for what is put in its place after the folder is; what is
# there is whole, and nothing else is there, but for the mark or the lock that would not go.
whole() { # KIND STATUS WANT: what changed in `changed`
    local name left
    [ "$1" != unlink ] || find now -name '.tracefolio-build' -delete -o -name '.tracefolio-lock' -delete
    changed=$(diff -rq before now)
    if [ "$2" = "$3" ] && ! grep -q 'warning: ' err; then
        diff -rq after now
        return
    fi
    [ -n "$changed" ] || return 0
    left=$(find now -name '.*')
    [ -z "$left" ] || { echo "$left"; return 1; }
    for name in $(cd now && ls -d out single ab site ci root/run-* runs/run-*); do
        [[ $changed != *now/$name* ]] || "$tf" verify "now/$name" >/dev/null || { echo "$name"; return 1; }
    done
    tail -c 9 now/one.html | grep -q '</html>' && tail -c 16 now/junit.xml | grep -q '</testsuites>' && gzip -tq now/next.json.gz now/cut.json.gz now/caps/*.gz || return 1
    for name in now/files/*; do
        tail -n 2 "$name" | grep -qE '^(</html>|.*recorded .*|}|.*"low"} [0-9]+|.*report `[0-9a-f]+`.)$' || { echo "$name"; return 1; }
    done
    [ "$2" = 0 ] || diff -rq -x one.html -x junit.xml -x next.json.gz -x single -x root -x runs -x caps -x ci -x files before now
}
failing() { # KIND N COMMAND...: its status; what it says in `err`
    (cd now && exec timeout 60 env FAIL_KIND="$1" FAIL_AT="$2" LD_PRELOAD="$shim/fail.so" "${@:3}") >stdout 2>err
}
# A command that finds something (its status is not 0) does not say that all is well because a call failed.
each() { # KIND STATUS POINTS COMMAND...
    local kind=$1 want=$2 points=$3 n got bad=0
    shift 3
    for n in $points; do
        failing "$kind" "$n" "$@"
        got=$?
        [ "$got" = "$want" ] || { [ "$kind" != again ] && [ "$got" -gt 0 ] && [ "$got" -lt 5 ] && [ "$(wc -l <err)" = 1 ]; } ||
            { echo "$kind $n: status $got"; cat err; bad=1; }
        whole "$kind" "$got" "$want" || { echo "$kind $n: status $got is not whole"; cat err; bad=1; }
        [ -z "$changed" ] || { rm -rf now && cp -r before now; }
        [ "$bad" = 0 ] || [ -n "${FAULTS-}" ] || return 1
    done
    return "$bad"
}
# Of each kind the middle one; or the first, some, and the last, where the old site goes; or all.
points() { # MOST ALL
    local most=${FAULTS:-$1}
    [ "$most" != all ] || most=$2
    if [ "$most" = 1 ]; then echo $(($2 / 2 + 1)); else
        seq 1 $((($2 + most - 1) / most)) $(($2 - 1))
        echo "$2"
    fi
}
faults() { # MOST NAME STATUS ARGUMENTS...
    local most=$1 name=$2 want=$3 kind all told=
    shift 3
    FAIL_COUNT=$work/counted failing none 0 "$tf" "$@"
    [ $? = "$want" ] || { echo "not ok - $name"; sed 's/^/# /' err; failed=1; }
    rm -rf after && mv now after && cp -r before now
    while read -r kind all <&3; do
        [ "$all" -gt 0 ] || continue
        check "$name: $kind" each "$kind" "$want" "$(points "$most" "$all")" "$tf" "$@"
        told="$told $kind $all"
    done 3<counted
    echo "# calls of $name:$told"
}

faults 12 analyze 0 analyze ../t.json.gz -p MI300X -q -o out --replay none
faults 2 'one file' 0 analyze ../t.json.gz -p MI300X -q -o single --formats json --single-file one.html --junit junit.xml --baseline-out next.json.gz
faults 2 compare 0 compare ../u.json.gz ../t.json.gz -q -o ab
faults 2 summarize 0 summarize ../ranks -q -o caps
faults 2 job 0 job caps -q -o site --gpus-per-node 1
faults 2 publish 0 publish run root -q
faults 1 'a build' 0 analyze ../t.json.gz -p MI300X -q -o ci --formats json,md --sarif files/s.sarif --metrics files/m.txt --email files/e.html \
    --step-summary files/sum.md --forbid ../words.txt --notes ../notes.md --names ../names.txt --run-label main --fail-on 'warn: window.idle_pct>1%'
faults 1 'a word that must not leave' 12 analyze ../t.json.gz -p none -q -o out --formats json --forbid ../met.txt
faults 1 history 0 compare next.json.gz out -q -o ab --history history --formats json
faults 1 'a list of traces' 0 job @../list.txt -q -o site --formats json
faults 1 'runs that go' 0 reindex runs -q --keep 1
faults 1 cut 0 cut ../t.json.gz --from 0 --to 999999999999999 -o cut.json.gz
faults 1 verify 0 verify out
faults 1 'verify, damaged' 3 verify bad
faults 1 'share-check, a word' 12 share-check out --forbid ../met.txt
faults 1 patterns 0 patterns --trace ../t.json.gz -p none
echo "1..$count"
exit $failed
