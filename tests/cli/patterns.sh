#!/bin/sh
# patterns.sh - the pattern library and extensions, as a user meets them.
# Usage: patterns.sh PROGRAM_DIRECTORY. One line a case; exit 1 if one fails.
dir=${1:?usage: patterns.sh PROGRAM_DIRECTORY}
program=$dir/tracefolio
here=$(cd "$(dirname "$0")/../.." && pwd)
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0

verdict() { # status name
    if [ "$1" -eq 0 ]; then
        echo "ok $2"
    else
        echo "not ok $2"
        failed=1
    fi
}

"$dir/tracefolio-sample" --defect tiny-batched-gemm --defect unfused-attention \
    -o "$tmp/trace.json.gz" || exit 1
analyze() { # OUT [OPTION]...
    out=$1
    shift
    timeout 60 "$program" analyze "$tmp/trace.json.gz" -p MI300X -q --force \
        --formats csv,md,json -o "$out" "$@"
}

# Each pattern of each file is listed, with its file.
"$program" patterns >"$tmp/list" 2>"$tmp/err"
status=$?
for file in "$here"/assets/patterns/*.lua; do
    grep -q " ${file##*/} " "$tmp/list" || status=1
done
grep -q '^unfused_attention  *sdpa_fwd  *attention.lua  *[a-z]' "$tmp/list" || status=1
verdict $status 'patterns: every file is in the list'

# Each title says how much it takes, by its first words; also those that functions make.
grep -v '^#' "$here/assets/efforts.tsv" | cut -f1 >"$tmp/begins"
python3 - "$tmp/begins" "$here"/assets/patterns/*.lua <<'PY'
import re, sys
begins = tuple(open(sys.argv[1], encoding='utf-8').read().splitlines())
titles = []
for path in sys.argv[2:]:
    text = open(path, encoding='utf-8').read()
    titles += re.findall(r'^ *title = "([A-Z][^"]*)"', text, re.M)
    for made in re.findall(r'^ *title = function\(.*?\bend,$|^local function \w+_title\(.*?^end$', text, re.M | re.S):
        titles += re.findall(r'(?:return|and|or) "([A-Z]\w* \w+ [^"]*)"', made)
without = [t for t in titles if not t.startswith(begins)]
print(*without, sep='\n')
sys.exit(bool(without) or len(titles) < 90)
PY
verdict $? 'efforts: each title has one'

# The example of the guide is a file that works.
sed -n '/^## A first pattern/,/^## What/p' "$here/assets/patterns/README.md" |
    sed -n '/^```lua$/,/^```$/p' | grep -v '^```' >"$tmp/guide.lua"
cp "$tmp/guide.lua" "$tmp/mine.lua"
sed -n '/^## Models/,$p' "$here/assets/patterns/README.md" |
    sed -n '/^```lua$/,/^```$/p' | grep -v '^```' >>"$tmp/guide.lua"
"$program" patterns --extension "$tmp/guide.lua" >"$tmp/list" &&
    grep -q '^user.residual_add  *elementwise  *guide.lua ' "$tmp/list" &&
    grep -q '^mylib::scale  *elementwise  *guide.lua  *yes' "$tmp/list" &&
    grep -q '^^mylib::norm  *norm  *guide.lua  *no' "$tmp/list" &&
    ! grep -q '^warning' "$tmp/list"
verdict $? 'patterns: the example of the guide is taken'

# Its commands do what it says they do, word by word.
mkdir "$tmp/user" && ln -s "$(cd "$dir" && pwd)" "$tmp/user/build" && ln -s "$here/assets" "$here/samples" "$tmp/user" &&
    cp "$tmp/mine.lua" "$tmp/user"
commands() { # HEADING: the shell lines of this section of the guide
    awk -v h="## $1" '/^## / { here = index($0, h) == 1 } here' "$here/assets/patterns/README.md" |
        sed -n '/^```sh$/,/^```$/p' | grep -v '^```'
}
(cd "$tmp/user" && commands 'A first' | grep . && eval "$(commands 'A first')") >"$tmp/list" 2>&1 &&
    grep -q '^user.residual_add  *elementwise  *mine.lua  *1  *1 ' "$tmp/list" &&
    grep -q '"title": "Let the normalisation add the residual' "$tmp/user/out/report.json" &&
    ! grep -q '^### .*: Let the normalisation add the residual' "$tmp/user/out/standalone_analysis_fair.md"
verdict $? 'the guide: its first pattern finds what it says'
(cd "$tmp/user" && eval "$(commands 'Models')") >"$tmp/list" 2>&1 &&
    grep -q '^aten::_softmax  *reduce  *softmax_model.lua  *1  yes' "$tmp/list" &&
    grep -q '_softmax.* at 2.0%' "$tmp/user/out/standalone_analysis_fair.md"
verdict $? 'the guide: the model of softmax gives its efficiency'
(cd "$tmp/user" && eval "$(commands 'After')") >"$tmp/list" 2>&1 &&
    grep -q 'No bottleneck meets the criteria' "$tmp/user/before/standalone_analysis_fair.md" &&
    grep -q '^### .*: Fold the scale by' "$tmp/user/after/standalone_analysis_fair.md"
verdict $? 'the guide: a pattern finds what a report missed'

# With a trace, the list shows how often each pattern matched: what was planted, but not all.
"$program" patterns --trace "$tmp/trace.json.gz" -p MI300X >"$tmp/list" &&
    awk '$1 == "tiny_batched_gemm" && $4 >= 1 { a = 1 }
         $1 == "unfused_attention" && $4 >= 1 && $5 >= 1 { b = 1 }
         $1 == "conv_transpose_overhead" && $4 == 0 { c = 1 }
         END { exit !(a && b && c) }' "$tmp/list" && ! grep -q '^note: without peaks' "$tmp/list" &&
    "$program" patterns --trace "$tmp/trace.json.gz" -p none | grep -q '^note: without peaks (-p) efficiencies are unknown'
verdict $? 'patterns --trace: hits are counted'

"$program" patterns --extension "$tmp/none.lua" >/dev/null 2>"$tmp/err"
[ $? = 3 ] && grep -q 'none.lua: cannot be opened' "$tmp/err"
verdict $? '--extension: a missing file is an error'

analyze "$tmp/plain" && analyze "$tmp/again"
verdict $? 'analyze: without extensions'

# The model that ships gives softmax figures that it had not.
softmax() { # FOLDER: is there a compute spec in a softmax row?
    grep '^aten::_softmax,' "$1/perf_report_csvs/unified_perf_summary.csv" | grep -q vector_
}
analyze "$tmp/model" --extension "$here/assets/extensions/softmax_model.lua" &&
    softmax "$tmp/model" && ! softmax "$tmp/plain"
verdict $? '--extension: a model gives its operator figures'

# Loops, memory without end, errors, wrong types: named in the report, and in time.
cat >"$tmp/bad.lua" <<'LUA'
local function bad(name, when)
  pattern {id = "user." .. name, category = "any", summary = "s", path_a = "x", when = when}
end
bad("loop", function() while true do end end)
bad("memory", function() local t = {} while true do t[#t + 1] = {t} end end)
bad("text", function() local s = "x" while true do s = s .. s end end)
bad("deep", function() local function f() return 1 + f() end return f() end)
bad("match", function() return (("a"):rep(5000)):find((".-"):rep(30) .. "b") end)
bad("object", function() error({}) end)
bad("type", function() return 5 end)
bad("field", function(row) return row.no_such_field end)
LUA
began=$(date +%s)
analyze "$tmp/bad" --extension "$tmp/bad.lua"
status=$?
[ $(($(date +%s) - began)) -le 30 ] || status=1
for name in loop memory text deep match object type field; do
    sed -n '/^## Warnings/,$p' "$tmp/bad/standalone_analysis.md" |
        grep -q "user.$name" || status=1
done
verdict $status 'bad patterns: the run ends, and each is named in Warnings'

# All else is as it was.
"${PYTHON:-python3}" - "$tmp" <<'PY'
import json, sys
def findings(name):
    with open(f'{sys.argv[1]}/{name}/report.json', encoding='utf-8') as f:
        return json.load(f)['findings']
assert findings('plain') and findings('plain') == findings('bad')
PY
verdict $? 'bad patterns: the other findings are unchanged'

# A file that is not Lua, and one that is bytecode.
printf 'x = = 1\n' >"$tmp/syntax.lua"
printf '\033LuaT' >"$tmp/byte.lua"
analyze "$tmp/syntax" --extension "$tmp/syntax.lua" --extension "$tmp/byte.lua" &&
    grep -q 'syntax.lua:1: unexpected symbol' "$tmp/syntax/standalone_analysis.md" &&
    grep -q 'attempt to load a binary chunk' "$tmp/syntax/standalone_analysis.md"
verdict $? 'bad files are named, and the report is written'

# What failed is on standard error, with what would have been right; --strict fails the run.
cat >"$tmp/odd.lua" <<'LUA'
local function none() return {flops = 1} end
model {op = "aten::mm", category = "nom", cost = none}
model {op = "aten::_softmax", category = "reduce", cost = none}
LUA
analyze "$tmp/odd" --extension "$tmp/odd.lua" 2>"$tmp/err" &&
    [ "$(grep -c 'warning: .*odd.lua is left out: category "nom" is not one of gemm, .*other' "$tmp/err")" = 1 ] &&
    grep -q 'warning: .*the key flops; those known are flop, byte, precision and params' "$tmp/err"
verdict $? 'failures of an extension are on standard error, each once'
analyze "$tmp/strict" --extension "$tmp/odd.lua" --strict 2>"$tmp/err"
[ $? = 5 ] && grep -q -- '--strict: 2 parts of the extensions failed' "$tmp/err" && [ -s "$tmp/strict/MANIFEST.txt" ] &&
    analyze "$tmp/strict2" --extension "$here/assets/extensions/softmax_model.lua" --strict 2>"$tmp/err"
verdict $? '--strict: a failed extension fails the run, a sound one does not'
"$program" patterns --extension "$tmp/odd.lua" --strict >"$tmp/list" 2>&1
[ $? = 5 ] && grep -q '^warning.*"nom"' "$tmp/list"
verdict $? 'patterns --strict fails as well'

# Work that only moves data reaches a share of the bandwidth.
cat >"$tmp/move.lua" <<'LUA'
model {op = "aten::_softmax", category = "reduce", unit = "vector",
  cost = function(call) return {flop = 0, byte = 4 * numel(call, 1)} end}
LUA
analyze "$tmp/move" --extension "$tmp/move.lua" &&
    "${PYTHON:-python3}" - "$tmp/move" <<'PY'
import csv, sys
csv.field_size_limit(1 << 30)
with open(f'{sys.argv[1]}/perf_report_csvs/unified_perf_summary.csv', encoding='utf-8') as f:
    rows = [r for r in csv.DictReader(f) if r['name'] == 'aten::_softmax']
assert rows
for r in rows:
    assert r['Roofline Bound'] == 'MEMORY_BOUND' and float(r['GFLOPS']) == 0
    share = float(r['TB/s_mean']) / 5.3 * 100
    assert abs(float(r['Pct Roofline_mean']) - share) < 1e-6 * share
PY
verdict $? 'no arithmetic: the efficiency is that of the bandwidth'

cmp -s "$tmp/plain/standalone_analysis.md" "$tmp/again/standalone_analysis.md"
verdict $? 'the same trace gives the same report'

exit $failed
