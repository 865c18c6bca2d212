#!/bin/bash
# Every allocation, open, write, folder, rename and sync fails once, in turn: one line and a status,
# the site before stays whole, and nothing else stays. FAULTS=all tries every one; else some.
#
#   tests/cli/faults.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
build=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

tf=$build/tracefolio
if nm "$tf" 2>/dev/null | grep -qE '__[at]san_init'; then
    echo "ok - faults # SKIP the sanitizer has these functions"
    echo "1..1"
    exit 0
fi
${CC:-cc} -std=gnu17 -shared -fPIC -o fail.so "$here/../hostile/fail_nth.c" -ldl || exit 1
"$build/tracefolio-sample" --kind llm-prefill --layers 1 --steps 1 --no-python -o t.json.gz || exit 1
"$tf" analyze t.json.gz -p none -q -o out --formats csv,json,site --single-file one.html || exit 1
cp -r out before
failing() { # KIND N COMMAND...
    env FAIL_KIND="$1" FAIL_AT="$2" LD_PRELOAD="$work/fail.so" "${@:3}"
}
whole() { # what is there after a run that ended with status $1
    [ -z "$(find . -mindepth 1 -maxdepth 1 -name '.*')" ] || { find . -maxdepth 1 -name '.*'; return 1; }
    "$tf" verify out >/dev/null || return 1
    [ "$1" = 0 ] || diff -rq before out || return 1
}
each() { # KIND MOST COMMAND...
    local kind=$1 most=$2 n=1 all step got
    shift 2
    FAIL_COUNT=$work/counted failing "$kind" 0 "$@" 2>err || { cat err; return 1; }
    all=$(cat counted)
    step=$(((all + most - 1) / most))
    [ "${FAULTS-}" != all ] || step=1
    [ "$all" -gt 0 ] || { echo "no $kind"; return 1; }
    rm -rf out && cp -r before out
    for ((; n <= all; n += step)); do
        timeout 60 env FAIL_KIND="$kind" FAIL_AT="$n" LD_PRELOAD="$work/fail.so" "$@" >stdout 2>err
        got=$?
        [ "$got" -lt 5 ] || { echo "$kind $n: status $got"; cat err; return 1; }
        [ "$got" = 0 ] || [ "$(wc -l <err)" = 1 ] || { echo "$kind $n: status $got"; cat err; return 1; }
        whole "$got" || { echo "$kind $n: status $got is not whole"; cat err; return 1; }
        [ "$got" != 0 ] || { rm -rf out && cp -r before out; }
    done
}

for kind in memory open write folder rename sync; do
    check "$kind" each $kind 16 "$tf" analyze t.json.gz -p MI300X -q -o out --replay none
done
echo "1..$count"
exit $failed
