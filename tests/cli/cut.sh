#!/bin/bash
# `tracefolio cut`: windows of traces, and kernels told where nothing communicates.
#
#   tests/cli/cut.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
here=$(realpath "$(dirname "$0")")
build=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
PATH=$build:$PATH
tracefolio-sample --job 4 --steps 2 --plant late-input:3=4000 -o traces --truth truth.json || exit 1

read -r from to < <(python3 "$here/cut.py" window traces)

one() { tracefolio cut traces/rank0.json.gz --from "$from" --to "$to" -o one.json.gz && python3 "$here/cut.py" same "$from" "$to" one.json.gz traces/rank0.json.gz=0; }
check 'the events that reach into a window, with their times and arguments' one
shifted() { # times of the file are behind the shift, and so are --from and --to
    tracefolio cut traces/rank1.json.gz --from=-10 --to 5000.25 --shift=-"$from" -o shifted.json.gz && python3 "$here/cut.py" same -10 5000.25 shifted.json.gz "traces/rank1.json.gz=-$from"
}
check 'a window on another clock' shifted
several() {
    tracefolio cut "$@" traces/rank*.json.gz --from "$from" --to "$to" --shift 0,1.5,-2.125,40 -o several.json.gz &&
        python3 "$here/cut.py" same "$from" "$to" several.json.gz traces/rank0.json.gz=0 traces/rank1.json.gz=1.5 traces/rank2.json.gz=-2.125 traces/rank3.json.gz=40
}
check 'several ranks in one file, each with its own clock' several
again() { cp several.json.gz before && several && cmp before several.json.gz && several -j 1 && cmp before several.json.gz; }
check 'the same bytes again, in place of the file' again
read_back() { tracefolio analyze several.json.gz -p none --formats json -q -f -o report && grep -q '"tool"' report/report.json; }
check 'what is cut is a trace' read_back
frames_give_way() { # 4 ranks of 100 steps: too much with Python frames, and too much at all
    status 0 tracefolio cut long/*.json.gz --from 0 --to 600000 -o long.json.gz && grep -q 'without Python frames' out && [ "$(zcat long.json.gz | wc -c)" -lt 20971520 ] &&
        ! zcat long.json.gz | grep -q python_function && status 3 tracefolio cut long/*.json.gz --from 0 --to 99999999 -o more.json.gz && grep -q 'longer than 20 MB' err && [ ! -e more.json.gz ]
}
mkdir long && python3 "$here/cut.py" long long
check 'a file of several ranks is at most 20 MB' frames_give_way
hidden() { # what --share and --hide-shapes leave out of a report
    tracefolio cut traces/rank0.json.gz --from "$from" --to "$to" --hide-shapes --share public -o hidden.json.gz && ! zcat hidden.json.gz | grep -q 'Input Dims' &&
        zcat one.json.gz | grep -q 'Input Dims'
}
check '--share and --hide-shapes' hidden
refused() { # STATUS WORDS OPTION...
    local want=$1 words=$2
    shift 2
    status "$want" tracefolio cut "$@" && grep -q -- "$words" err || { cat err; return 1; }
}
check 'nothing to cut' refused 2 'missing a trace'
check 'no window' refused 2 'missing --to' traces/rank0.json.gz --from 1 -o x
check 'no number' refused 2 'expected microseconds' traces/rank0.json.gz --from 1e3 --to 2 -o x
check 'an end before the beginning' refused 2 'not behind' traces/rank0.json.gz --from 2 --to 1.999 -o x
check 'shifts of other traces' refused 2 'one for each of the 2 traces' traces/rank0.json.gz traces/rank1.json.gz --from 1 --to 2 --shift 1,2,3 -o x
check 'a window without events' refused 3 'no event lies between' traces/rank0.json.gz --from 1 --to 2 -o x
check 'no trace' refused 3 traceEvents truth.json --from 1 --to 2 -o x
check 'what it reads is not replaced' refused 4 'is read by this run' traces/rank0.json.gz --from 1 --to 2 -o traces/rank0.json.gz
foreign() { echo mine >mine && refused 4 'not a file that tracefolio wrote' traces/rank0.json.gz --from "$from" --to "$to" -o mine && grep -qx mine mine && tracefolio cut -f traces/rank0.json.gz --from "$from" --to "$to" -o mine; }
check "nor is another's file, but by force" foreign

silent() { # nothing communicates: the kernels with most time are told, from traces and from captures
    mkdir -p quiet && for r in 0 1; do zcat traces/rank$r.json.gz | sed 's/nccl/mine/g; s/[Aa]ll_*[Rr]educe/sum/g' | gzip -1 >quiet/rank$r.json.gz; done
    status 3 tracefolio job quiet -o site && grep -q 'no collective is known' err && [ "$(grep -cE '^ +[0-9.]+ ms  ' err)" -ge 3 ] && [ "$(grep -cE '^ +[0-9.]+ ms  ' err)" -le 20 ] &&
        grep -q ' ms  mineDev' err && sort -c -k1,1nr <(grep -E '^ +[0-9.]+ ms  ' err) && mv err err.traces &&
        tracefolio summarize quiet/* -o sum -q && status 3 tracefolio job sum -o site -j 1 && cmp err err.traces
}
check 'a job in which nothing is known to communicate lists its kernels' silent
echo "1..$count"
exit $failed
