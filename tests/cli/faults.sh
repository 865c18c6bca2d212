#!/bin/bash
# Every allocation, open, write, folder, rename, sync, listing and read fails once, in turn: one line
# and a status, the site before stays whole, and nothing else stays. Of a read or write that is
# interrupted nothing shows. FAULTS=all tries every one; else some.
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
# What commands write, each in a folder of its own: as it is before each run.
mkdir before && cd before || exit 1
"$tf" analyze ../t.json.gz -p none -q -o out --formats csv,json,site && "$tf" analyze ../u.json.gz -p none -q -o run --formats json,site &&
    "$tf" analyze ../t.json.gz -p none -q -o single --formats json --single-file one.html --junit junit.xml --baseline-out next.json.gz &&
    "$tf" compare ../t.json.gz ../u.json.gz -q -o ab && "$tf" summarize ../ranks -q -o caps && "$tf" job caps -q -o site && "$tf" publish out root -q || exit 1
cd .. && cp -r before now || exit 1
failing() { # KIND N COMMAND...
    env FAIL_KIND="$1" FAIL_AT="$2" LD_PRELOAD="$shim/fail.so" "${@:3}"
}
# A run that failed has changed nothing, but for what is put in its place after the folder is; what is
# there is whole, and nothing else is there.
whole() { # STATUS
    local folder
    diff -rq before now >/dev/null && return 0
    [ -z "$(find now -name '.*')" ] || { find now -name '.*'; return 1; }
    for folder in now/out now/single now/ab now/site now/root/run-*; do
        "$tf" verify "$folder" >/dev/null || { echo "$folder"; return 1; }
    done
    tail -c 9 now/one.html | grep -q '</html>' && tail -c 16 now/junit.xml | grep -q '</testsuites>' && gzip -tq now/next.json.gz now/caps/*.gz || return 1
    [ "$1" = 0 ] || diff -rq -x one.html -x junit.xml -x next.json.gz -x single -x root -x caps before now
}
each() { # KIND MOST COMMAND...
    local kind=$1 most=$2 n all step got
    shift 2
    cd now || return 1
    FAIL_COUNT=$work/counted failing "$kind" 0 "$@" >../stdout 2>../err || { cat ../err; return 1; }
    cd ..
    all=$(cat counted)
    step=$(((all + most - 1) / most))
    [ "${FAULTS-}" != all ] || step=1
    rm -rf now && cp -r before now
    for n in $(seq 1 "$step" "$all") "$all"; do # the last: the old site goes
        (cd now && FAIL_KIND=$kind FAIL_AT=$n LD_PRELOAD=$shim/fail.so exec timeout 60 "$@") >stdout 2>err
        got=$?
        [ "$kind" != again ] || [ "$got" = 0 ] || { echo "$kind $n: status $got"; cat err; return 1; }
        [ "$got" -lt 5 ] || { echo "$kind $n: status $got"; cat err; return 1; }
        [ "$got" = 0 ] || [ "$(wc -l <err)" = 1 ] || { echo "$kind $n: status $got"; cat err; return 1; }
        whole "$got" || { echo "$kind $n: status $got is not whole"; cat err; return 1; }
        diff -rq before now >/dev/null || { rm -rf now && cp -r before now; }
    done
}
faults() { # MOST NAME ARGUMENTS...
    local most=$1 name=$2 kind
    shift 2
    for kind in $KINDS; do check "$name: $kind" each "$kind" "$most" "$tf" "$@"; done
}

KINDS=${KINDS-memory open write folder rename sync list input again}
faults 12 analyze analyze ../t.json.gz -p MI300X -q -o out --replay none
faults 2 'one file' analyze ../t.json.gz -p MI300X -q -o single --formats json --single-file one.html --junit junit.xml --baseline-out next.json.gz
faults 2 compare compare ../u.json.gz ../t.json.gz -q -o ab
faults 2 summarize summarize ../ranks -q -o caps
faults 2 job job caps -q -o site --gpus-per-node 1
faults 2 publish publish run root -q
echo "1..$count"
exit $failed
