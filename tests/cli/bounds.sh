#!/bin/bash
# What a small capture may demand of memory, and what --max-memory and --max-output allow.
#
#   tests/cli/bounds.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
build=$(realpath "$1")
tf=$build/tracefolio
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
says() { # WANT TEXT COMMAND...
    local want=$1 text=$2
    shift 2
    status "$want" "$@" && grep -qF -- "$text" err || { cat err; return 1; }
}
slow=1 # a sanitizer takes memory of its own
! nm "$tf" 2>/dev/null | grep -qE '__[at]san_init' || slow=20
below() { # MB COMMAND...: the most memory that it takes
    python3 - "$slow" "$@" <<'PY'
import resource, subprocess, sys
subprocess.run(sys.argv[3:], stdout=subprocess.DEVNULL, stderr=open('err', 'w'), timeout=100)
mb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000
assert mb < int(sys.argv[1]) * int(sys.argv[2]), mb
PY
}

# 12 kB each, of which a reader would make a gigabyte.
python3 - <<'PY' || exit 1
import gzip
def capture(table, column, n):
    return '{"_format":"tracefolio capture","_version":1,"strings":[""],"%s":{"%s":[%s]}}\n' % (table, column, ','.join(['0'] * n))
for name, text in {
        'columns': capture('collectives', 'peer', 6_000_000), 'reals': capture('operators', 'flop', 6_000_000),
        'strings': '{"_format":"tracefolio capture","_version":1,"strings":[%s]}\n' % ','.join(['""'] * 4_000_000)}.items():
    with open(name + '.captures.gz', 'wb') as f:
        f.write(gzip.compress(text.encode(), 9, mtime=0))
one = gzip.compress(capture('collectives', 'peer', 30_000).encode(), 9, mtime=0)
with open('pack.captures.gz', 'wb') as f:
    f.write(one * 400)
with open('plain.captures', 'w') as f:
    f.write(capture('operators', 'flop', 1_000_000))
PY
for kind in columns reals strings pack; do
    check "a small file of captures: $kind" \
        eval 'below 40 "$tf" job $kind.captures.gz -q -o s && grep -q "not a capture file" err && below 40 "$tf" compare $kind.captures.gz $kind.captures.gz -q -o c && grep -q "not a capture file" err'
done
check 'a plain one' eval 'below 40 "$tf" job plain.captures -q -o s && grep -q "more rows than its columns have values" err'

# Every command keeps to what it may take.
"$build/tracefolio-sample" --events 200000 -o t.json || exit 1
check '--max-memory: analyze' eval 'says 1 "more memory than --max-memory allows" "$tf" analyze t.json -p MI300X -q -o a --max-memory 8M && [ ! -e a ] && [ -z "$(ls -A | grep "^[.]")" ]'
[ "$slow" != 1 ] || check '--max-memory: enough of it' eval '"$tf" analyze t.json -p MI300X -q -o a --max-memory 400M && "$tf" verify a -q'
check '--max-memory: summarize, compare and patterns' eval 'for c in "summarize t.json --rank 0 -o s" "compare t.json t.json -o c" "patterns --trace t.json"; do says 1 "more memory than --max-memory allows" "$tf" $c --max-memory 8M || return 1; done'
check '--max-output: nothing is left' eval 'says 4 "(--max-output allows 100000 bytes)" "$tf" analyze t.json -p MI300X -q -o b --max-output 100K && [ ! -e b ] && [ -z "$(ls -A | grep "^[.]")" ]'
check '--max-output: enough of it' eval '"$tf" analyze t.json -p MI300X -q -o b --max-output 500M && "$tf" verify b -q'
check '--max-output: publish' eval '"$tf" analyze t.json -p none --formats site,json -q -o r && says 4 "Disk quota exceeded" "$tf" publish r root -q --max-output 10K && [ -z "$(ls -A root)" ]'
check 'sizes that are none' eval 'says 2 "such as 800M or 2G" "$tf" analyze t.json --max-output 2T && says 2 "such as 800M or 2G" "$tf" verify r --max-memory x'
check 'an option that a command does not know' eval 'says 2 "--keep is not an option of analyze; it is an option of publish, reindex" "$tf" analyze t.json --keep 3 &&
    says 2 "--from is not an option of verify; it is an option of cut" "$tf" verify r --from 3 && says 2 "--from is not an option of job; it is an option of cut" "$tf" job r -o x --from 3 &&
    says 2 "it is an option of analyze" "$tf" platforms --notes n && "$tf" verify r -q --max-memory 1G --max-output 1M -j 1 -v'

echo "1..$count"
exit "$failed"
