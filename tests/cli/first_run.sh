#!/bin/bash
# What somebody new types first: the program alone, the demo, help of a command, and a result that
# is printed instead of written.
#
#   tests/cli/first_run.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
build=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
PATH=$build:$PATH
tracefolio-sample --layers 2 --steps 2 --defect item-sync -o a.json.gz || exit 1

says() { # WANT TEXT COMMAND...
    local want=$1 text=$2
    shift 2
    status "$want" "$@" && grep -qF -- "$text" err || { cat err; return 1; }
}

check 'the program alone says in three lines what it is and how to begin' \
    eval 'status 0 tracefolio && [ "$(wc -l <out)" = 3 ] && grep -q "tracefolio demo" out && grep -q "tracefolio help" out'
check 'the commands fit a screen' eval 'status 0 tracefolio help && [ "$(wc -l <out)" -le 40 ] && mv out commands && status 0 tracefolio --help && cmp out commands'

each_command() { # its help has its own lines, and is what --help behind it prints
    local c n=0
    for c in $(sed -n 's/^  tracefolio \([a-z][a-z-]*\).*/\1/p' commands | sort -u); do
        n=$((n + 1))
        status 0 tracefolio help "$c" && grep -q "^  tracefolio $c" out && mv out one &&
            ! grep "^  tracefolio " one | grep -vq "^  tracefolio $c" &&
            status 0 tracefolio "$c" --help && cmp out one || { echo "$c"; return 1; }
    done
    [ "$n" -ge 14 ]
}
check 'each command has a help of its own' each_command
check 'which holds its options and no others' \
    eval 'tracefolio help compare >h && grep -q -- --label-ref h && ! grep -q -- --shift h && ! grep -q -- --fair-style h && tracefolio cut --help >h && grep -q -- --shift h && ! grep -q -- --ref h'
check 'an option of two commands is explained as each means it' \
    eval 'tracefolio help job >h && grep -q "busbw" h && [ "$(grep -c -- "--fail-on" h)" = 1 ] && tracefolio help analyze >h && ! grep -q busbw h && grep -q "critical, high or medium" h'
check 'and not as another command means it' \
    eval 'tracefolio help analyze >h && grep -q -- "--print HOW        print the result" h && grep -q -- "--share internal|partner|public" h && ! grep -q "refuse a report that reveals" h &&
        tracefolio help publish >h && grep -q "refuse a report that reveals" h && tracefolio help tree >h && grep -q "text (default) or json" h'
check 'the list of all options has them all' eval 'tracefolio help options >h && grep -q -- --label-ref h && grep -q -- --shift h && grep -q -- --fair-style h'
check 'the guide for agents names commands that run' \
    eval 'tracefolio help agents >g && grep -oE "^    tracefolio [a-z]+" g | sort -u >commands_of && [ "$(wc -l <commands_of)" = 3 ] &&
        cp a.json.gz trace.json.gz && for n in 1 2 3; do line=$(grep -E "^    tracefolio " g | sed -n "${n}p" | sed "s/#.*//; s/NAME=/*=/; s/NAME/item/"); eval "status 0 $line" || return 1; [ "$(wc -l <out)" -le 60 ] || return 1; done'

check 'the demo writes a report of a trace that ships inside' \
    eval 'status 0 tracefolio demo && grep -q "tracefolio-demo/index.html" out && tracefolio verify tracefolio-demo >said && [ "$(tail -n 1 said)" = "all files match the manifest" ]'
check 'with the defects that were planted' \
    eval 'grep -q "unfused_attention" tracefolio-demo/summary.json && grep -q "update_statistics" tracefolio-demo/summary.json'
check 'where it is asked to' eval 'status 0 tracefolio demo -o there --formats md && [ -s there/standalone_analysis.md ] && [ ! -e there/index.html ]'
check 'and takes no trace' says 2 "unexpected argument" tracefolio demo a.json.gz
check 'nor an option that it would not use' says 2 '--rank is not an option of demo' tracefolio demo --rank 3

printed() { # COMMAND...: what it prints, and no folder
    ls -A | grep -vE '^(out|err|log)$' >had
    status 0 "$@" && ls -A | grep -vE '^(out|err|log|had)$' | diff - <(grep -v '^had$' had)
}
check '--print is text of at most 60 lines of 80 columns, and no folder' \
    eval 'printed tracefolio analyze a.json.gz --print && [ "$(wc -l <out)" -le 60 ] && [ "$(awk "length > 84" out)" = "" ] && grep -q "^What to do first" out && grep -q "update_statistics\|item" out'
tracefolio-sample --empty -o empty.json.gz
check '--print says nothing of a GPU without work' \
    eval 'printed tracefolio analyze empty.json.gz --print && grep -q "^CPU only: " out && ! grep -q "GPU busy" out'
check '--print gives a saving in two digits, one if both ends are the same' \
    eval 'printed tracefolio analyze a.json.gz --print && grep -Eq "worth [0-9.]+( to [0-9.]+)? ms" out && ! grep -Eq "worth ([0-9.]+) to \\1 ms|worth [0-9]+\\.[0-9]{3}" out'
check '--print=json is summary.json' \
    eval 'tracefolio analyze a.json.gz -q -o full && printed tracefolio analyze a.json.gz --print=json && cmp out full/summary.json'
check '--print=md is the summary of a build' \
    eval 'tracefolio analyze a.json.gz -q -f -o full --step-summary s.md && printed tracefolio a.json.gz --print md && cmp out s.md'
check 'with -o the folder is written, too' eval 'status 0 tracefolio analyze a.json.gz -o both --print=json && cmp out both/summary.json && [ -s both/index.html ]'
check 'gates count' eval 'status 10 tracefolio analyze a.json.gz --print --fail-on critical && grep -q "^What to do first" out'
check 'what lies in a folder requires one' eval 'says 2 "--print writes no folder, which --single-file requires" tracefolio a.json.gz --print --single-file x.html &&
    says 2 "which --formats requires" tracefolio a.json.gz --print --formats csv && [ ! -e x.html ]'
check 'md is not for other commands' says 2 '--print=md is for analyze' tracefolio tree a.json.gz --find mm --print=md
check 'the trace may come from standard input' eval 'status 0 tracefolio analyze a.json.gz --print && mv out named && tracefolio analyze - --print <a.json.gz 2>err | tail -n +2 | cmp - <(tail -n +2 named)'

check 'a file of a build may be a stream' eval 'tracefolio analyze a.json.gz -q -f -o full --step-summary /dev/stdout >got && cmp got s.md &&
    tracefolio analyze a.json.gz -q -f -o full --metrics plain.txt && tracefolio analyze a.json.gz -q -f -o full --metrics /dev/stdout | cmp - plain.txt &&
    tracefolio analyze a.json.gz -q -f -o full --metrics >(cat >piped.txt) && for n in 1 2 3 4 5; do [ -s piped.txt ] && break; sleep 0.2; done && cmp piped.txt plain.txt'
check 'but not two files' says 2 '--email: writes two files' tracefolio analyze a.json.gz -o full -f --email /dev/stdout
echo "1..$count"
exit $failed
