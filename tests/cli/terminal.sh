#!/bin/bash
# Names of others reach no terminal and no log of a build as they are, whoever prints them.
#
#   tests/cli/terminal.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
here=$(realpath "$(dirname "$0")/../..")
build=$(realpath "$1")
tf=$build/tracefolio
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

"$build/tracefolio-sample" --kind llm-prefill --layers 1 --steps 1 -o t.json || exit 1
python3 - <<'PY' || exit 1
# Every name of an operator ends in an escape, C1, bidi and a line that is a command.
import json
d = json.load(open('t.json'))
for e in d['traceEvents']:
    if e.get('cat') in ('cpu_op', 'kernel'):
        e['name'] += '\x1b[2J\x9b2J\u202e\n::error::planted ##[error]planted'
json.dump(d, open('names.json', 'w'), ensure_ascii=False)
PY
bad=$(printf '::error::x\033[2J\302\2332J\342\200\256\n::error::y')
clean() { # COMMAND...: whatever it says and however it ends
    timeout 60 "$@" >said 2>&1 </dev/null
    [ -s said ] || { echo "nothing is said"; return 1; }
    python3 - <<'PY'
import re
text = open('said', 'rb').read().decode()  # and UTF-8
odd = re.findall('[\0-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u061c\u2028-\u202e\u2066-\u2069]|^ *::|##(?![# ])', text, re.M)
assert not odd, (odd[:3], text[:500])
PY
}

mkdir "$bad" && cp names.json "$bad/t.json" || exit 1
check 'summarize: the path of a trace' eval 'clean "$tf" summarize "$bad/t.json" --rank 0 -o caps && grep -q "^.x3a:error::x.x1b\[2J" said'
check 'summarize --resume' clean "$tf" summarize "$bad/t.json" --rank 0 -o caps --resume
check 'analyze: names and paths' clean "$tf" analyze "$bad/t.json" -p MI300X --formats md,json -o "$bad/out" --fail-on medium
check 'analyze: what cannot be read' clean "$tf" analyze "$bad/none.json" -o out
check 'cut' clean "$tf" cut names.json --from 0 --to 9e15 -o "$bad.json.gz"
check 'compare' clean "$tf" compare "$bad/t.json" t.json -p MI300X --formats md -o "$bad/compared"
check 'job: names of kernels and of files' clean "$tf" job "$bad/t.json" -o "$bad/site"
check 'verify' eval 'cp -r "$bad/out" v && echo >"v/$bad" 2>/dev/null; : >"v/${bad%%/*}"; clean "$tf" verify v'
check 'share-check' eval 'mkdir words && cp "$bad/t.json" words && printf "planted\n" >forbid && clean "$tf" share-check words --forbid forbid'
check 'publish' eval '"$tf" analyze t.json -p none --formats site,json -q -o r && clean "$tf" publish r "$bad/root"'
check 'annotations hold no escape, and begin where they should' \
    eval '"$tf" analyze names.json -p MI300X -q --formats json -o ann --annotations github >said && ! grep -v "^::[a-z]* title=" said && ! LC_ALL=C grep -q "$(printf "[\033\233]")" said'

# What a Lua error brings in: the name of a row of the trace.
cat >raw.lua <<'LUA'
pattern {
  id = "user.raw", category = "any", summary = "s \194\1552J\226\128\174", path_a = "p",
  issue = "i", title = "t", when = function(row) error(row.name) end,
}
LUA
check 'patterns: a name in a Lua error' eval 'clean "$tf" patterns --trace names.json -p MI300X --extension raw.lua && grep -q "FAILED: .*xc2.x9b2J" said'
check 'patterns: a summary' clean "$tf" patterns --extension raw.lua
check 'analyze: the same error' eval 'clean "$tf" analyze names.json -p MI300X --extension raw.lua --formats md -q -o x && grep -q "warning: .*xc2.x9b2J" said'

# An extension that fails everywhere says so at most twenty times, and how often.
cat >many.lua <<'LUA'
for i = 1, 3000 do
  pattern {
    id = "user.p" .. i, category = "gemm", summary = "s", path_a = "p", issue = "i", title = "t",
    when = function(row) error("planted") end,
  }
end
LUA
told() { [ "$(grep -c planted said)" -le 40 ] && grep -qE "warning: and [0-9]+ more such failures" said; }
check 'analyze: many failures' eval 'clean "$tf" analyze t.json -p MI300X --extension many.lua --formats md -q -o y && told'
check 'patterns: many failures' eval 'clean "$tf" patterns --trace t.json -p MI300X --extension many.lua && grep "^warning" said >w && mv w said && told'

check 'verify -q says nothing of a report that is whole, and one line of one that is not' \
    eval '"$tf" verify r -q >said 2>&1 && [ ! -s said ] && echo >>r/index.html && ! "$tf" verify r -q >said 2>err && [ ! -s said ] && [ "$(wc -l <err)" = 1 ]'

echo "1..$count"
exit "$failed"
