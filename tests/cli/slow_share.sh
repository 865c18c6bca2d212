#!/bin/bash
# A folder on a share that takes 5 ms to open, create, rename, unlink or close a file.
#
#   tests/cli/slow_share.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
build=$(realpath "$1")
source=$(realpath "$(dirname "$0")/slow_share.c")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || return 1

tf=$build/tracefolio
if nm "$tf" 2>/dev/null | grep -qE '__[at]san_init'; then
    echo "ok - a slow share # SKIP the sanitizer must be loaded first"
    echo "1..1"
    exit 0
fi
${CC:-cc} -O1 -shared -fPIC -o slow.so "$source" -ldl || return 1
"$build/tracefolio-sample" --kind llm-prefill --layers 2 --steps 1 --defect item-sync -o t.json.gz || return 1

slowly() { # OPTION...
    LD_PRELOAD=$work/slow.so "$tf" analyze t.json.gz -p MI300X -q "$@"
}
took_ms() { # COMMAND...
    local from=$(date +%s%N)
    "$@" || return 1
    echo $((($(date +%s%N) - from) / 1000000))
}

check 'one file after the other takes its round trips' \
    eval 'one=$(took_ms slowly -j1 -o one) && echo "$one ms" && [ "$one" -ge 1000 ]'
check 'many at once take less than half of that' \
    eval 'many=$(took_ms slowly -o many) && echo "$many ms after $one ms" && [ "$((2 * many))" -lt "$one" ]'
check 'the same bytes' eval 'diff -r one many && "$tf" verify many'
check 'and so does the next run over them' eval 'slowly -o many && diff -r one many'
check 'the capture is kept elsewhere, too' eval 'slowly -o many --baseline-out next.json.gz && cmp many/capture.json.gz next.json.gz'
killed() { # moments of a run over a whole one
    local ms pid
    for ms in 100 300 500 700 900; do
        LD_PRELOAD=$work/slow.so "$tf" analyze t.json.gz -p MI300X -q -o many & pid=$!
        sleep "$(printf '0.%03d' "$ms")"
        kill -s "$1" "$pid" 2>/dev/null
        wait "$pid" 2>/dev/null
        "$tf" verify many || return 1
        [ "$1" = KILL ] || [ -z "$(find . -mindepth 1 -maxdepth 1 -name '.*')" ] || { echo "after $ms ms:"; ls -A; return 1; }
    done
}
check 'ended, the site before stays whole and nothing else stays' killed TERM
check 'killed, the site before stays whole' killed KILL
check 'a file that cannot be written is one line, and leaves nothing' \
    eval '! (ulimit -f 2; exec env LD_PRELOAD=$work/slow.so "$tf" analyze t.json.gz -p none -q -o small 2>err) || return 1
        cat err; grep -q "small/.*: cannot be written: " err && [ "$(wc -l <err)" = 1 ] && [ ! -e small ]'
echo "1..$count"
exit $failed
