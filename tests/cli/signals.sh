#!/bin/bash
# A run that is ended by a signal: the site before it stays whole, and nothing else stays.
#
#   tests/cli/signals.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
build=$(realpath "$1")
work=$(mktemp -d)
tidy() { trap 'rm -rf "$work"' EXIT; }
tidy
cd "$work" || return 1

tf=$build/tracefolio
"$build/tracefolio-sample" --kind llm-prefill --layers 2 --steps 1 --defect item-sync -o t.json.gz || return 1
"$tf" analyze t.json.gz -p none -q -o out || return 1

hidden() { find . -mindepth 1 -maxdepth 1 -name '.*'; }

# End runs at moments over a whole one.
ended() { # SIGNAL: statuses into `got`
    local ms pid
    got=
    for ms in 0 2 5 10 15 25 40 60 80 100 120 140 160 200 250 300 400; do
        # Bash has what it starts in the background ignore SIGINT, and leave as itself does if a
        # signal comes before it is another program.
        trap - EXIT
        env --default-signal=INT,QUIT "$tf" analyze - -p MI300X -q -o out --single-file one.html <t.json.gz 2>err &
        pid=$!
        tidy
        sleep "$(printf '0.%03d' "$ms")"
        kill -s "$1" "$pid" 2>/dev/null
        wait "$pid" 2>/dev/null
        got="$got $?"
        "$tf" verify out >/dev/null || { echo "after $ms ms the site is not whole"; return 1; }
        [ "$1" = KILL ] || [ -z "$(hidden)" ] || { echo "after $ms ms: $(hidden)"; return 1; }
        [ ! -s err ] || { echo "after $ms ms: $(cat err)"; return 1; }
    done
}

ended_by() { # SIGNAL STATUS: some runs were ended, and none failed otherwise
    ended "$1" || return 1
    echo "statuses:$got"
    case "$got " in *" $2 "*) ;; *) return 1 ;; esac
    [ -z "$(printf '%s\n' $got | grep -vx "0\|$2")" ]
}

check 'Ctrl-C leaves nothing' ended_by INT 130
check 'nor does TERM' ended_by TERM 143
check 'nor a terminal that closes' ended_by HUP 129
check 'nor a terminal key' ended_by QUIT 131
check 'nor a limit on time' ended_by XCPU 152
check 'a file that may not grow is an error, and leaves nothing' \
    eval 'for only in csv xlsx site; do
            ! (ulimit -f 2; exec "$tf" analyze t.json.gz -p none -q -o small --formats $only 2>err) || return 1
            cat err; grep -q "small/.*: cannot be written: " err && [ "$(wc -l <err)" = 1 ] && [ -z "$(hidden)" ] && [ ! -e small ] || return 1
        done'
memory() { # runs out of memory somewhere, and leaves nothing
    local mb got
    for mb in 150 200 250 300 350 400 500; do
        (ulimit -v $((mb * 1000)); exec "$tf" analyze t.json.gz -p none -q -o short) 2>err
        got=$?
        [ -z "$(hidden)" ] || { echo "at $mb MB: $(hidden)"; return 1; }
        case $got in
        0) ;;
        1) [ "$(wc -l <err)" = 1 ] && grep -q 'out of memory' err || { echo "at $mb MB:"; cat err; return 1; } ;;
        127) ;; # not even started
        *) echo "at $mb MB: status $got"; cat err; return 1 ;;
        esac
    done
}
if nm "$tf" 2>/dev/null | grep -q __asan_init; then
    echo "ok - out of memory leaves nothing # SKIP the sanitizer needs more"
    count=$((count + 1))
else
    check 'out of memory leaves nothing, and is one line' memory
fi
check 'a run that waits for its input is ended as well' \
    eval '(sleep 5 | timeout -s TERM 0.3 "$tf" analyze - -p none -q -o waits) ; [ -z "$(hidden)" ] && [ ! -e waits ]'
check 'what is ignored stays ignored' \
    eval '(trap "" HUP; "$tf" analyze t.json.gz -p none -q -o ignores & pid=$!; kill -HUP $pid; wait $pid) &&
        "$tf" verify ignores >/dev/null'
together() { # four runs at once, ten times: the last is there, whole
    local round k
    for round in 1 2 3 4 5 6 7 8 9 10; do
        for k in 1 2 3 4; do
            "$tf" analyze t.json.gz -p none -q -o out --formats json,csv 2>"err.$k" || echo "status $?" >>"err.$k" &
        done
        wait
        "$tf" verify out >/dev/null && [ -z "$(cat err.?)$(hidden)" ] || { cat err.?; hidden; return 1; }
    done
}
check 'four at once on one folder: it is whole, and none leaves anything' together
check 'killed, the site before stays whole' ended_by KILL 137
mkdir .out.tmp-others .outer.tmp-abcdef && echo mine | tee .out.tmp-others/x >.outer.tmp-abcdef/x
removed() { # but for an empty mark, whose run may be about to lock it: that stays until it is old
    local left
    "$tf" analyze t.json.gz -p none -q -o out || return 1
    hidden
    for left in .out.tmp-??????; do
        [ "$left" = .out.tmp-others ] || [ -n "$(find "$left" -mindepth 1 ! \( -name .tracefolio-build -size 0 \))" ] || rm -r "$left"
    done
    [ "$(hidden | grep -v "one.html" | sort | tr -d "\n")" = "./.out.tmp-others./.outer.tmp-abcdef" ]
}
check 'the next run removes what killed ones left, and nothing of others' removed
echo "1..$count"
exit $failed
