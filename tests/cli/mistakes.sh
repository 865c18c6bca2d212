#!/bin/bash
# What newcomers get wrong: each line of mistakes.tsv is a command with its status and what it says.
#
#   tests/cli/mistakes.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
table=$(realpath "$(dirname "$0")/mistakes.tsv")
build=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
PATH=$build:$PATH

# A trace, the ranks of a job, a report of each, and what people name instead.
tracefolio-sample --layers 1 --steps 2 --defect item-sync -o t.json.gz && tracefolio-sample --no-python --job 2 -o ranks &&
    tracefolio analyze t.json.gz -q -o rep && tracefolio job ranks -q -o site && tracefolio summarize ranks/*.gz -q -o caps || exit 1
gzip -dc t.json.gz >t.json
mkdir one none two && cp t.json.gz one && cp t.json.gz two/a.json.gz && cp t.json.gz two/b.json.gz
echo '[[1,2],[3,4]]' >pairs.json
echo '{"traceEvents":[{"ph":"X","cat":"blink","name":"FunctionCall","pid":1,"tid":1,"ts":1,"dur":5}]}' >browser.json
echo '{"traceEvents":[{"ph":"M","name":"process_name","pid":1,"args":{"name":"/device:GPU:0"}},{"ph":"X","name":"fusion","pid":1,"tid":1,"ts":1,"dur":5}]}' >jax.json
echo '{}' >empty.json
: >zero.json
echo 'hello' >hello.txt
gzip -c hello.txt >hello.json.gz
printf '\x80\x02}q\x00.' >model.pt
cp rep/perf_report.xlsx book.xlsx && cp book.xlsx book2.xlsx
mkdir tb && printf '\x18\0\0\0\0\0\0\0\xa3\x7fK"\t\0\0\x80\x9aT\xd9A\x1a\x0dbrain.Event:2' >tb/events.out.tfevents.1
python3 -c "import sqlite3; c = sqlite3.connect('other.sqlite'); c.execute('create table a(b)'); c.commit()"
tar cf packed.tar t.json
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 12\n' >lfs.json
echo '<!DOCTYPE html><html>404</html>' >page.json
printf 'PK\x03\x04aaaa' >z.zip
head -c 3000 t.json.gz >cut.json.gz
head -c 30000 t.json >cut.json
printf 'a,b\n1,2\n' >table.csv
printf '\x80\x04\x95....' >snapshot.pickle
head -c 3000 /dev/zero | tr '\0' Q >run.nsys-rep && cp run.nsys-rep run.ncu-rep
gzip -c t.json.gz >twice.json.gz
printf '\xfd7zXZ\0....' >packed.json.xz
tar czf packed.tar.gz t.json
printf '\xff\xfe{\0}\0' >wide.json
printf '%s\n' '{"ph":"X","name":"a","ts":1,"dur":2,"pid":1,"tid":1}' '{"ph":"X"}' >lines.json
printf -- '-------  ------------\n   Name    Self CPU %%\n' >averages.txt
printf '\x93NUMPY\1\0' >array.npy
ln -s nowhere dangling.json
echo '{"name":"X","mem_bw_gbps":"fast"}' >weak.json
echo 'pattern { id="x",' >broken.lua

answers() { # STATUS TEXT ARGUMENT...: and nothing is written over
    local want=$1 text=$2
    shift 2
    status "$want" tracefolio "$@" </dev/null && grep -qF -- "$text" err && [ -s t.json.gz ] || { cat err; return 1; }
}
while IFS=$'\t' read -r want line text; do
    [ -z "$want" ] || [ "${want:0:1}" = '#' ] && continue
    read -ra words <<<"$line" # which leaves * as it is
    check "$line" answers "$want" "$text" "${words[@]}"
done <"$table"
check 'three hundred of them' [ "$count" -ge 300 ]
echo "1..$count"
exit "$failed"
