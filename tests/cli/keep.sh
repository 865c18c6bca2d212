#!/bin/bash
# What tracefolio did not write stays: beside our files, under the name of an output, and the input.
#
#   tests/cli/keep.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
build=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

tf=$build/tracefolio
"$build/tracefolio-sample" --kind llm-prefill --layers 1 --steps 1 -o t.json.gz || exit 1
run() { "$tf" analyze "$@" -p none -q --formats csv; }
refuses() { # WANT TEXT ARGUMENTS...: one line on stderr that holds TEXT
    local want=$1 text=$2
    shift 2
    status "$want" run "$@" && grep -qF -- "$text" err && [ "$(wc -l <err)" = 1 ] || { cat err; return 1; }
}

run t.json.gz -o rep || exit 1
cp t.json.gz rep/t.json.gz && cp rep/MANIFEST.txt stray.txt
check 'a note in a report is not deleted' refuses 4 "rep: holds 't.json.gz', which tracefolio did not write" t.json.gz -o rep
check 'the input is not deleted' refuses 4 "rep/t.json.gz', which this run reads" rep/t.json.gz -o rep --force
check 'nor if it comes from standard input' \
    eval '! "$tf" analyze - -p none -q -o rep --force <rep/t.json.gz 2>err && grep -q "which this run reads" err'
echo 'pattern = {}' >rep/x.lua
check 'nor an extension' refuses 4 "rep/x.lua', which this run reads" t.json.gz --extension rep/x.lua -o rep --force
check 'all of it is still there' cmp t.json.gz rep/t.json.gz
mkdir thesis && echo years >thesis/chapter.tex && cp stray.txt thesis/MANIFEST.txt
check 'a stray manifest does not make a folder ours' refuses 4 "thesis: holds 'chapter.tex'" t.json.gz -o thesis
mkdir own && echo mine >own/index.html && sed 's#perf_report_csvs/gpu_timeline.csv#index.html#' stray.txt >own/MANIFEST.txt
check 'nor does a listed name with other content' refuses 4 "own: holds 'index.html'" t.json.gz -o own
check 'with --force the folder is moved aside, and this is said' \
    eval 'status 0 run t.json.gz -o rep --force && grep -q "/rep.replaced-1: " err && cmp t.json.gz rep.replaced-1/t.json.gz &&
        "$tf" verify rep >/dev/null'
check 'our own folder is replaced, and nothing is said' eval 'status 0 run t.json.gz -o rep && [ ! -s err ] && [ ! -e rep.replaced-2 ]'
mkdir home
check 'home' eval 'HOME=$work/home refuses 4 "home folder" t.json.gz -o home --force'
check 'the current folder' refuses 4 'current folder' t.json.gz -o . --force
check 'the root' refuses 4 '/: ' t.json.gz -o / --force

one() { "$tf" analyze "$@" -p none -q -o one; }
holds() { # WANT TEXT FILE ARGUMENTS...: refused before the analysis
    rm -rf one
    refuses_one "$@" && [ ! -e one ]
}
refuses_one() {
    local want=$1 text=$2
    shift 2
    status "$want" one t.json.gz --single-file "$@" && grep -qF -- "$text" err && [ "$(wc -l <err)" = 1 ] || { cat err; return 1; }
}
echo years >thesis.html && mkfifo fifo && ln -s thesis.html link.html && ln t.json.gz hard.html
check 'a file we did not write is not replaced by --single-file' holds 4 'thesis.html: is not a file' thesis.html
check 'nor is the input, by any name, even with --force' \
    eval 'holds 4 "is read by this run" t.json.gz --force && holds 4 "is read by this run" hard.html --force'
check 'nor an extension' holds 4 'is read by this run' rep.replaced-1/x.lua --extension rep.replaced-1/x.lua --force
check 'nor a device' holds 4 '/dev/null: is a device' /dev/null --force
check 'nor a pipe' holds 4 'is a device or a pipe' fifo --force
check 'nor a link' holds 4 'is a link' link.html --force
check 'all of them are there' eval '[ -c /dev/null ] && [ -p fifo ] && [ -L link.html ] && gzip -t t.json.gz && grep -q years thesis.html'
check '--force replaces a plain file' eval 'status 0 one t.json.gz --single-file thesis.html --force && grep -q "<main" thesis.html'
check 'and then it is ours' status 0 one t.json.gz --single-file thesis.html

# The same for every other file that is asked for.
named() { # WANT TEXT OPTION FILE ARGUMENTS...
    local want=$1 text=$2
    shift 2
    rm -rf two
    status "$want" timeout 30 "$tf" analyze t.json.gz -p none -q -o two --formats json "$@" &&
        grep -qF -- "$text" err && [ "$(wc -l <err)" = 1 ] && [ ! -e two ] || { cat err; return 1; }
}
each_option() {
    local option
    for option in --junit --sarif --metrics --email --baseline-out; do
        echo years >mine.txt && rm -f ours
        named 4 'is not a file that tracefolio wrote' $option mine.txt && grep -qx years mine.txt &&
            named 4 'is read by this run' $option t.json.gz --force &&
            named 4 'is a device or a pipe' $option fifo --force &&
            named 4 'is a link' $option link.html --force &&
            named 4 'is read by this run' $option mine.txt --notes mine.txt --force &&
            status 0 "$tf" analyze t.json.gz -p none -q -o two --formats json $option ours && cp ours first &&
            status 0 "$tf" analyze t.json.gz -p none -q -o two --formats json $option ours && cmp ours first &&
            status 0 "$tf" analyze t.json.gz -p none -q -o two --formats json $option mine.txt --force && cmp ours mine.txt ||
            { echo "$option"; return 1; }
    done
}
check 'nor does any other option replace what is not ours' each_option
check 'and nothing is left beside them' eval '[ -z "$(find . -name "*part*")" ] && gzip -t t.json.gz'

# A full disk for the one file, not for the folder: the report that was there stays.
small() { # a small file system at small/
    mkdir -p small && mount -t tmpfs -o size=64k tmpfs small 2>/dev/null
}
if small; then
    trap 'umount small; rm -rf "$work"' EXIT
    echo old >>one/index.html && cp one/index.html was.html
    "$tf" verify one >/dev/null && exit 1
    status 0 one t.json.gz --force && sha256sum one/MANIFEST.txt >before
    check 'no room for the one file: the folder is not replaced either' \
        eval 'refuses_one 4 "No space left" small/one.html && sha256sum -c before && [ -z "$(ls -A small)" ]'
else
    echo "ok - no room for the one file # SKIP no right to mount a small file system"
    count=$((count + 1))
fi
echo "1..$count"
exit $failed
