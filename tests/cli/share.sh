#!/bin/bash
# What leaves with a report: forbidden words, wherever they are, and the kinds of text.
#
#   tests/cli/share.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
here=$(realpath "$(dirname "$0")/../..")
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
echo '# of a house
Project_Falcon' >words.txt
python3 "$here/tests/ci/plant_words.py" planted project_falcon | sort >places || exit 1
check 'a word is found in each of 27 places' \
    eval '[ "$(wc -l <places)" = 27 ] && says 12 "27 places hold a word of words.txt" "$tf" share-check planted --forbid words.txt &&
        sed -n "s/^tracefolio: \(.*\): holds .Project_Falcon.$/\1/p" err | sort | diff places -'
check 'nor is a folder passed over that is too deep' eval 'deep=deep/$(seq -s / 1 20) && mkdir -p "$deep" && echo project_falcon >"$deep/a.txt" && says 3 "folders are nested too deep" "$tf" share-check deep --forbid words.txt'
check 'and in none where it is not' eval 'mkdir clean && cp planted/clean.html clean && "$tf" share-check clean --forbid words.txt'
python3 "$here/tests/ci/plant_unread.py" unread | sort >places || exit 1
check 'what is not examined is told, and fails' \
    eval 'says 12 "$(wc -l <places) places were not examined for the words of words.txt" "$tf" share-check unread --forbid words.txt &&
        sed -n "s/^tracefolio: \(.*\): not examined: .*/\1/p" err | sort | diff places -'
as_words() {
    mkdir as && echo 'every event of EveMLP in sleeve' >as/a.txt && printf 'vent\nleev\n' >w1 && "$tf" share-check as --forbid w1 || return 1
    echo '*vent*' >w2 && says 12 "a.txt: holds '*vent*'" "$tf" share-check as --forbid w2 || return 1
    echo eve >w3 && says 12 "a.txt: holds 'eve'" "$tf" share-check as --forbid w3
}
check 'a word matches as a word' as_words
python3 -c "import gzip; open('zeros.gz', 'wb').write(gzip.compress(bytes(64 << 20)) * 64)"
# A sanitizer reserves more address space than any limit.
bounded() { nm "$tf" 2>/dev/null | grep -q __asan_init || ulimit -v 2000000; }
check 'a gzip of 4 MB that unpacks to 4 GB' eval 'mkdir zeros && mv zeros.gz zeros && (bounded; says 12 "zeros.gz: unpacked: not examined: it expands to many times its size" timeout 100 "$tf" share-check zeros --forbid words.txt)'
"$build/tracefolio-sample" --kind llm-prefill --layers 2 --steps 1 --defect unfused-attention -o t.json || exit 1
sed 's/LlamaMLP/ProjectFalconMLP/g' t.json >secret.json
echo 'projectfalcon' >w.txt # a part of ProjectFalconMLP
check 'a report that holds one is not written' \
    eval 'says 12 "hold a word of w.txt" "$tf" analyze secret.json -p MI300X -q -o r --forbid w.txt --junit j.xml --single-file s.html &&
        [ ! -e r ] && [ ! -e j.xml ] && [ ! -e s.html ] && [ -z "$(ls -A | grep "^[.]")" ]'
check 'it names every place, the insides of captures and excerpts too' \
    eval 'grep -q " tree.html: holds" err && grep -q "capture.json.gz: unpacked: holds" err && grep -q "cuts/.*gz: unpacked" err && grep -q -- "--single-file: holds" err'
check 'one without is' status 0 "$tf" analyze t.json -p MI300X -q -o r --forbid w.txt
check 'the report before stays' eval 'cp -r r before && says 12 "of w.txt" "$tf" analyze secret.json -p MI300X -q -o r --forbid w.txt; diff -r before r'
check 'compare is held to it too' \
    eval 'says 12 "of w.txt" "$tf" compare t.json secret.json -p MI300X -q -o c --forbid w.txt && [ ! -e c ]'
check 'in the label of a run' says 12 "summary.json: holds 'projectfalcon'" "$tf" analyze t.json -p MI300X -q --formats md -o l --run-label 'ProjectFalcon 7' --forbid w.txt
check 'a word that is too short' eval 'echo ab >short.txt; says 3 "too short a word" "$tf" analyze t.json -p MI300X -q -o l --forbid short.txt'
check 'a list of nothing' eval 'echo "# none" >none.txt; says 3 "names no word" "$tf" share-check r --forbid none.txt'
check 'the kinds of text that leave' \
    eval 'mkdir k && echo "see /home/eve/work/train.py(3), mail eve@lab.example, 10.1.2.3 and https://lab.example/x but not and/or" >k/a.md &&
        "$tf" share-check k >said && grep -q "^paths of a machine *1: /home/eve/work/train.py" said && grep -q "^mail addresses *1: eve@lab.example" said &&
        grep -q "^addresses of machines *1: 10.1.2.3" said && grep -q "^links to pages *1: https://lab.example/x" said'
check 'no folder' eval 'says 2 "missing folder; run tracefolio share-check" "$tf" share-check && says 3 "cannot be listed" "$tf" share-check nowhere'

check 'a capture would leave before it is looked at' says 2 '--forbid cannot be kept with --baseline-out' "$tf" analyze t.json -p MI300X -o l --forbid w.txt --baseline-out b.json.gz
# Levels of sharing: what is removed is nowhere in any format.
python3 - <<'PY' || exit 1
import json
d = json.load(open('t.json'))
frames = [e for e in d['traceEvents'] if e.get('cat') == 'python_function']
for e in frames:
    if not e['name'].startswith(('nn.Module', '<')):
        e['name'] = '/home/eve/secretproject/' + e['name']
one = dict(frames[0], cat='user_annotation', name='eves_annotation')
# And wherever else a trace can say it.
path = '/home/eve/secretproject/'
d['traceName'] = path + 'trace.json'
d['hostname'] = 'eve-worker'
ops = [e for e in d['traceEvents'] if e.get('cat') == 'cpu_op']
ops[3]['args']['kernel_file'] = path + 'k.py'
ops[3]['args']['Concrete Inputs'] = [path + 'weights.bin']
ops[7]['args']['Call stack'] = path + 'a.py(1): f;' + path + 'b.py(2): g'
ops[9]['name'] = 'my::op ' + path + 'lib.so'
next(e for e in d['traceEvents'] if e.get('cat') == 'kernel')['args']['source'] = path + 'k.cu'
next(e for e in d['traceEvents'] if e.get('cat') == 'cuda_runtime')['args']['where'] = path + 'k.cu'
d['traceEvents'] += [dict(one, cat='gpu_user_annotation', name='load ' + path + 'data.bin'),
                     {'ph': 'M', 'name': 'process_labels', 'pid': one['pid'], 'tid': 0, 'args': {'labels': 'eve-worker of secretproject'}},
                     {'ph': 'M', 'name': 'thread_name', 'pid': one['pid'], 'tid': one['tid'], 'args': {'name': 'eve-worker'}}]
d['traceEvents'] += [one, {'ph': 'M', 'name': 'process_name', 'pid': one['pid'], 'tid': 0, 'args': {'name': 'eve-worker'}}]
json.dump(d, open('p.json', 'w'))
with open('escaped.json', 'w') as f: # the same text to a reader of JSON
    f.write(json.dumps(d).replace('/home/eve/secret', '\\u002fhome\\/eve\\u002fsecret'))
PY
printf 'secretproject\n/home/\neve-worker\n' >partner.txt
printf 'LlamaMLP\neves_annotation\nmodeling_llama\nsecretproject\np.json\n' >public.txt
check 'an internal report has it all' \
    eval '"$tf" analyze p.json -p MI300X -q -f -o in && ! "$tf" share-check in --forbid partner.txt >said 2>&1 && grep -q "secretproject" said && grep -q "eve-worker" said &&
        ! "$tf" share-check in --forbid public.txt >said 2>&1 && for w in LlamaMLP eves_annotation modeling_llama p.json; do grep -q "$w" said || return 1; done'
printf '/home/\neve/secret*\neve\\/secret*\n*u002fsecret*\n' >internal.txt
check 'internal: of a path only the part below the home folder, in every format' \
    eval '"$tf" analyze p.json -p MI300X -q -f -o in --forbid internal.txt --single-file in.html --all-pictures && ls in/cuts in/replay_packages in/*.xlsx in/capture.json.gz &&
        grep -q "[.]\{3\}/secretproject/" in/report.json && gzip -dc in/cuts/gap-1.json.gz | grep -q "[.]\{3\}/secretproject/" &&
        "$tf" analyze escaped.json -p MI300X -q -f -o in --forbid internal.txt'
check 'the page about the report says what its level leaves out' \
    eval 'grep -q "internal: names as in the trace; of the path of a file, the part below" in/about.html'
check 'partner: no path, no process' \
    eval '"$tf" analyze p.json -p MI300X -q -o pa --share partner --forbid partner.txt && grep -q "\"share_level\": \"partner\"" pa/summary.json &&
        grep -q "class=\"share\">partner<" pa/index.html && grep -rq LlamaMLP pa/report.json && grep -q "partner: no path of a machine and no name of a process or thread<" pa/about.html && ls pa/cuts pa/replay_packages'
check 'however the trace escapes it' eval '"$tf" analyze escaped.json -p MI300X -q -o pe --share partner --forbid partner.txt'
check 'public: no module, annotation, source file or trace name, no excerpt, no package' \
    eval '"$tf" analyze p.json -p MI300X -q -o pu --share public --forbid public.txt && grep -q "module-1" pu/report.json && grep -q "public: no path .* an annotation or a source file<" pu/about.html && [ ! -e pu/cuts ] && [ ! -e pu/replay_packages ]'
check 'public with --kits' eval '"$tf" analyze p.json -p MI300X -q -f -o pu --share public --kits --forbid public.txt && [ -e pu/replay_packages ]'
check 'figures are the same at every level' eval 'diff in/perf_report_csvs/gpu_timeline.csv pa/perf_report_csvs/gpu_timeline.csv && diff in/perf_report_csvs/gpu_timeline.csv pu/perf_report_csvs/gpu_timeline.csv'
printf '4096\n' >shapes.txt
check 'shapes are there' eval '! "$tf" share-check pu --forbid shapes.txt 2>err && grep -q "unified_perf_summary.csv: holds .4096" err'
check '--hide-shapes: no shape in any format, and it is told why nothing has an efficiency' \
    eval '"$tf" analyze p.json -p MI300X -q -f -o ns --hide-shapes --all-pictures --forbid shapes.txt && [ -e ns/cuts ] && ! ls ns/replay_packages/*.zip 2>/dev/null &&
        grep -q "Shapes were left out on request" ns/checks.html && grep -q "left out on request" ns/roofline.html && grep -q "left out on request" ns/recommendations.html &&
        ! grep -rq "record_shapes" ns/recommendations.html ns/roofline.html ns/checks.html ns/report.json'
check 'and times are the same' diff in/perf_report_csvs/gpu_timeline.csv ns/perf_report_csvs/gpu_timeline.csv
check 'a root of partners takes it' eval '"$tf" publish pa root -q --share partner && ! "$tf" publish in root -q --share partner 2>err && grep -q "\"share_level\": \"partner\"" root/runs.json'
check 'a comparison has no level of its own' eval 'says 2 "compare what analyze, summarize or job made" "$tf" compare t.json p.json -o c --share partner && [ ! -e c ] &&
    "$tf" compare pa pu -p MI300X -q -o c --forbid partner.txt'
check '--hide-shapes of compare, and of summarize' eval '"$tf" compare t.json p.json -p MI300X -q -f -o c --hide-shapes --forbid shapes.txt &&
    "$tf" summarize t.json --rank 0 -o s --hide-shapes --forbid shapes.txt'
check 'no such level' says 2 "unknown --share 'privat'" "$tf" analyze p.json --share privat

echo "1..$count"
exit "$failed"
