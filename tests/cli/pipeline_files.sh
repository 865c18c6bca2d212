#!/bin/sh
# pipeline_files.sh - the data files of an analysis: all there, by their schemas, the same
# twice, and telling the same numbers.
# Usage: pipeline_files.sh PROGRAM_DIRECTORY. One line a case; exit 1 if one fails.
dir=${1:?usage: pipeline_files.sh PROGRAM_DIRECTORY}
here=$(cd "$(dirname "$0")/.." && pwd)
python=${PYTHON:-python3}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0

verdict() { # status name [file of output to show]
    if [ "$1" -eq 0 ]; then
        echo "ok $2"
    else
        echo "not ok $2"
        [ -z "$3" ] || sed 's/^/# /' "$3"
        failed=1
    fi
}

# Every file that the manifest and the findings name is there, and one number is one number
# wherever it is.
cat >"$tmp/agree.py" <<'EOF'
import csv, json, math, os, sys
out = sys.argv[1]
csv.field_size_limit(1 << 30)

def document(name):
    with open(os.path.join(out, name), encoding='utf-8') as f:
        return json.load(f)

def table(name):
    with open(os.path.join(out, name), encoding='utf-8', newline='') as f:
        return list(csv.DictReader(f))

def same(a, b, what, tolerance):
    assert math.isclose(a, b, rel_tol=1e-6, abs_tol=tolerance), f'{what}: {a} is not {b}'

manifest = document('category_manifest.json')
assert manifest == document('category_data/category_manifest.json'), 'two manifests'
for c in manifest['categories']:
    for key in ('metadata_file', 'csv_file', 'tree_data_file', 'data_file'):
        if c[key]:
            assert os.path.isfile(os.path.join(out, c[key])), f'{c[key]} is missing'

timeline = {r['type']: r for r in table('perf_report_csvs/gpu_timeline.csv')}
# Percentages are of the window, which may begin before the device does; the table of the
# reference is of device time.
window = document('report.json')['window']
total = window['total']['time_ms']
assert total >= float(timeline['total_time']['time ms']) - 5.1e-4, 'a window without device time'
compute = float(timeline['computation_time']['time ms'])
same(manifest['gpu_utilization']['total_time_ms'], total, 'total time', 5.1e-4)
same(manifest['gpu_utilization']['idle_time_percent'], window['idle']['total_pct'], 'idle', 5.1e-3)
same(total - window['idle']['time_ms'],
     float(timeline['total_time']['time ms']) - float(timeline['idle_time']['time ms']), 'busy', 1.1e-3)

rows = table('perf_report_csvs/unified_perf_summary.csv')
time = {int(r['ex_UID']): float(r['Kernel Time (µs)_sum']) / 1000 for r in rows}
assert len(time) == len(rows), 'uids are not unique'
row_of = {r['ex_UID']: r for r in rows}
uids = []
for c in manifest['categories']:
    if not c['csv_file']:
        continue
    own = table(c['csv_file'])
    for r in own:
        assert r.pop('enhanced_category') == c['name']
        assert r.pop('display_name') == c['display_name']
        there = row_of[r['ex_UID']]
        for key, cell in there.items():
            # What the reference has no model for is blank there, and may be filled in here.
            assert cell == r[key] or not cell or key == 'has_perf_model', \
                f'{c["name"]}: a row differs from the unified table in {key}'
    uids += [r['ex_UID'] for r in own]
    assert len(own) == c['ops_count']
    ms = sum(time[int(r['ex_UID'])] for r in own)
    same(c['gpu_kernel_time_ms'], ms, c['name'], 5.1e-4)
    metrics = document(f'category_data/{c["name"]}_metrics.json')
    assert len(metrics['operations']) == len(own)
    same(metrics['percent_of_compute'], 100 * ms / compute, c['name'], 5.1e-3)
    for o in metrics['operations']:
        same(o['time_ms'], time[o['ex_uid']], o['name'], 5.1e-4)
assert len(set(uids)) == len(uids), 'rows in two categories'
# Copies compute nothing and are in none.
assert all('Memcpy' in str(r) or 'Memset' in str(r) for r in rows
           if r['ex_UID'] not in set(uids)), 'rows without a category'

report = document('report.json')
priority = document('priority_data.json')
by_key = {f['key']: f for f in report['findings']}
assert len(by_key) == len(report['findings']), 'two findings with one key'
assert [f['key'] for f in report['findings']] == [f['id'] for f in priority['findings']]
assert [f['global_rank'] for f in report['findings']] == \
    list(range(1, len(by_key) + 1)), 'ranks have gaps'
operations = {o['id']: o for o in report['operations']}
for f in priority['findings']:
    r = by_key[f['id']]
    for a, b in (('time_ms', 'time_ms'), ('percent_of_compute', 'compute_pct'),
                 ('percent_of_total', 'total_pct'), ('count', 'launches'),
                 ('efficiency_percent', 'efficiency_pct'), ('title', 'title')):
        assert f[a] == r[b], f'{f["id"]}: {a} is {f[a]}, in the report {r[b]}'
    for range_name in ('impact', 'impact_kernel'):
        for end in ('low_ms', 'high_ms', 'low_pct', 'high_pct'):
            assert f[range_name][end] == r[range_name][end], f['id']
    if f['impact']['low_ms'] is not None:
        assert f['impact']['low_ms'] <= f['impact']['high_ms'] <= total + 5e-4, f['id']
    assert all(o in operations for o in r['operations']), f'{f["id"]}: unknown operation'
    if f['tier'] != 'compute_kernel':
        continue
    assert f['ops_rows'], f'{f["id"]} rests on nothing'
    ms = sum(time[u] for u in f['ops_rows'])
    if f['kind'] == 'pattern':
        assert f['time_ms'] <= ms + 5.1e-4, f'{f["id"]} is more than its rows'
    else:
        same(f['time_ms'], ms, f['id'], 5.1e-4)
    same(f['percent_of_total'], 100 * f['time_ms'] / total, f['id'],
         5.1e-3 + 0.051 / total)  # both are rounded
    same(f['percent_of_compute'], 100 * f['time_ms'] / compute, f['id'],
         5.1e-3 + 0.051 / compute)
for c in priority['priorities']:
    own = [f['impact'] for f in priority['findings'] if f['category'] == c['category']]
    if c['source'] == 'findings_rollup':
        for end in ('low', 'high'):
            same(c[f'impact_score_{end}'], sum(i[f'{end}_pct'] or 0 for i in own),
                 c['category'], 0.02)
checks = document('metadata/validation.json')['checks']
assert checks['priority_consistency']['status'] == 'PASS', checks
assert report['checks']['failed'] == 0, report['warnings']
print(len(by_key), 'findings')
EOF

analyse() { # name options of the sample...
    name=$1
    shift
    "$dir/tracefolio-sample" "$@" -o "$tmp/$name.json.gz" &&
        "$dir/tracefolio" analyze "$tmp/$name.json.gz" -p MI300X -q -j 1 \
            --formats csv,json -o "$tmp/$name.1" &&
        "$dir/tracefolio" analyze "$tmp/$name.json.gz" -p MI300X -q -j 2 \
            --formats csv,json -o "$tmp/$name.2"
}

cases() { # name options of the sample...
    analyse "$@" >"$tmp/log" 2>&1
    verdict $? "analysed: $1" "$tmp/log"
    "$python" "$here/schema_check.py" --folder "$here/../assets/schemas" "$tmp/$1.1" \
        >"$tmp/log" 2>&1
    verdict $? "by the schemas: $1" "$tmp/log"
    diff -r "$tmp/$1.1" "$tmp/$1.2" >"$tmp/log" 2>&1
    verdict $? "the same twice: $1" "$tmp/log"
    "$python" "$tmp/agree.py" "$tmp/$1.1" >"$tmp/log" 2>&1
    verdict $? "numbers agree: $1" "$tmp/log"
}

cases prefill --kind llm-prefill --layers 3 --steps 2 --defect unfused-attention \
    --defect item-sync --defect tiny-batched-gemm
cases cnn --kind cnn-training --layers 4 --steps 2
cases hostile --kind moe --layers 2 --steps 1 --hostile
cases bare --kind llm-decode --layers 2 --steps 1 --no-python --no-shapes

# A schema that a document breaks must be told apart from one that it keeps.
cat >"$tmp/wrong.json" <<'EOF'
{"model": 7, "architecture": "CNN", "scale": "x", "color": "red"}
EOF
"$python" "$here/schema_check.py" "$here/../assets/schemas/model_info.schema.json" \
    "$tmp/wrong.json" >"$tmp/log" 2>&1
[ $? -eq 1 ] && grep -q 'model: 7 is not string' "$tmp/log" &&
    grep -q 'precision is missing' "$tmp/log" && grep -q 'color is not expected' "$tmp/log"
verdict $? "schema_check finds what is wrong" "$tmp/log"
exit $failed
