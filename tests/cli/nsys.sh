#!/bin/bash
# Nsight Systems in SQLite: what NCCL says of its messages, and kernels under the names that PyTorch's profiler has for them.
#
#   tests/cli/nsys.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
here=$(realpath "$(dirname "$0")")
build=$(realpath "$1")
shared=${SHARED:-$here/../../../shared}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
PATH=$build:$PATH
export PYTHONDONTWRITEBYTECODE=1
as_nsys() { python3 "$here/../../samples/sqlite_trace.py" nsys "$@"; }

# Payloads of NCCL's ranges. No recording at hand has any: the maker writes them by the schemas of a real export.
tracefolio-sample --job 2 --steps 2 -o job >/dev/null
as_nsys job.db one.json job/rank0.json.gz job/rank1.json.gz || exit 1
sizes() { python3 "$here/nsys_figures.py" sizes job.db job; }
check 'sizes, kinds and groups of the payloads are those of the recording' sizes
mbps() { # FOLDER: what each collective moves and how fast; groups have other names
    python3 - "$1" <<'PY'
import csv, sys
for r in csv.DictReader(open(sys.argv[1] + '/job_csvs/nccl_implicit_sync.csv')):
    print({k: r[k] for k in r if 'bw' in k or 'size' in k.lower() or k == 'Collective name'})
PY
}
same_speed() {
    tracefolio job job.db -f -q -o db && tracefolio job job -f -q -o json && [ "$(mbps db | wc -l)" -ge 10 ] && diff <(mbps db) <(mbps json)
}
check 'job: bandwidth of each collective as from PyTorch traces of the same run' same_speed
no_type() { ! grep -rliE 'in (bytes|uint8|byte) (precision|type)|reduce[sd]? in bytes' db --include=*.html --include=*.md; }
check '... and no type is made up: NCCL records bytes' no_type
check 'a group of sends and receives is added up; what is damaged has no size' python3 "$here/nsys_figures.py" groups

acts() { # with sizes as from PyTorch, and without them
    for k in job.db one.json; do tracefolio analyze $k -p none -f -q -o acts.$k || return 1; done
    python3 -c 'import sqlite3; d = sqlite3.connect("job.db"); d.execute("update NVTX_EVENTS set binaryData = null"); d.commit()' &&
        tracefolio analyze job.db -p none -f -q -o acts.none && ! grep -rnE '^\*\*Action\*\*: *$' acts.*/*.md &&
        grep -q 'A typical all-reduce of .* moves' acts.job.db/standalone_analysis.md && grep -q 'A typical all-reduce of .* moves' acts.one.json/standalone_analysis.md &&
        grep -q 'Compare the traces of all ranks' acts.none/standalone_analysis.md
}
check 'an exposed all-reduce has an action, with sizes and without' acts

# Names of kernels: in the spelling of cu++filt, as Nsight Systems writes them.
if [ -e "$shared/traces/qwen-0.5b-h100.json.gz" ]; then
    pair() { # a recording of PyTorch's profiler, its kernels as Nsight Systems names them
        as_nsys "$1.db" "$1.json" "$shared/traces/$1.json.gz" && tracefolio compare "$shared/traces/$1.json.gz" "$1.db" -f -q -o "like-$1" &&
            python3 "$here/nsys_figures.py" names "$1.db" "$shared/traces/$1.json.gz" "like-$1"
    }
    for trace in qwen-0.5b-h100 ddp-ncclmeta-a100 bert-small-h100; do
        check "compare of $trace with its kernels in Nsight's spelling: all names match" pair $trace
    done
    real() { tracefolio analyze "$shared/other/mfu_2gpu_before.sqlite.gz" -p none -q -f --formats csv -o mfu && python3 "$here/nsys_figures.py" real mfu "$shared/traces"; }
    check 'kernels of a real export are named as in real traces of PyTorch' real
else
    echo 'ok - real names # SKIP not here'
fi
echo "1..$count"
exit $failed
