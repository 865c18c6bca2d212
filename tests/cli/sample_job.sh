#!/bin/sh
# sample_job.sh - the generator's jobs of many ranks: what is planted is in the traces.
# Usage: sample_job.sh PROGRAM_DIRECTORY. One line a case; exit 1 if one fails.
dir=${1:?usage: sample_job.sh PROGRAM_DIRECTORY}
sample=$dir/tracefolio-sample
python=${PYTHON:-python3}
here=$(dirname "$0")
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

# Most blame is on the ranks expected, in any order; expected "": the traces are as told.
job_case() { # name expected options...
    name=$1 expected=$2
    shift 2
    rm -rf "$tmp/job"
    "$sample" --no-python "$@" -o "$tmp/job" --truth "$tmp/truth.json" &&
        "$python" "$here/sample_job.py" "$tmp/job" "$tmp/truth.json" >"$tmp/blame" &&
        n=$(echo "$expected" | wc -w) &&
        [ "$(cut -d' ' -f1-"$((n > 0 ? n : 1))" "$tmp/blame" | tr ' ' '\n' | sort -n | head -n "$n")" = \
            "$(echo "$expected" | tr ' ' '\n' | sort -n | grep .)" ]
    verdict $? "job $name"
}
job_case 'of equals' '' --job 4
job_case 'late by its kernels' 2 --job 4 --plant late-compute:2=20
job_case 'late by its input' 1 --job 4 --plant late-input:1=4000
job_case 'late by its host' 3 --job 4 --plant late-host:3=4000
job_case 'late by a copy' 0 --job 4 --plant late-copy:0=4000
job_case 'with a slow node' '2 3' --job 6 --gpus-per-node 2 --plant slow-node:1=20
job_case 'with a slow link' '' --job 8 --gpus-per-node 2 --tensor 2 --plant slow-link:1=50
job_case 'with a hot expert' 3 --job 4 --experts --plant hot-expert:3=60
job_case 'with two late ranks' '1 5' --job 8 --plant late-compute:1=15 --plant late-compute:5=15
job_case 'with a rank missing' '' --job 4 --plant dropped:1
job_case 'with clocks apart' 2 --job 8 --gpus-per-node 2 --clock-spread 5000 --plant clock:5=-3000 \
    --plant late-compute:2=20
job_case 'with clocks that drift' 2 --job 4 --drift-spread 50 --plant late-compute:2=20
job_case 'with traces that begin late' '' --job 4 --plant late-start:1=2
job_case 'without sequence numbers' 2 --job 4 --metadata plain --plant late-compute:2=20
job_case 'told by the calls alone' 2 --job 4 --metadata call --plant late-compute:2=20
job_case 'that tells nothing' 2 --job 4 --metadata none --plant late-compute:2=20
job_case 'on H100, files named by hosts' '' --job 4 --device H100 --host-names
grep -q '"file": "gpu000_4003.*pt.trace.json.gz"' "$tmp/truth.json"
verdict $? "job has files named by hosts"

"$sample" --job 4 --tensor 2 --seed 7 -o "$tmp/a" --truth "$tmp/a.json" &&
    "$sample" --job 4 --tensor 2 --seed 7 -o "$tmp/b" --truth "$tmp/b.json" &&
    diff -r "$tmp/a" "$tmp/b" && cmp "$tmp/a.json" "$tmp/b.json"
verdict $? "job is the same bytes again"
"$sample" --job 4 --tensor 2 --seed 7 --plant late-input:3=5000 -o "$tmp/b" --truth "$tmp/b.json" &&
    "$python" -c '
import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:])
saving = b["planted"][0]["saving_us_per_step"]
assert abs(b["step_us"] - a["step_us"] - saving) < 1 and 4000 < saving < 5500, saving' \
        "$tmp/a.json" "$tmp/b.json"
verdict $? "job tells what a late rank costs"

refused() { # name arguments...
    name=$1
    shift
    "$sample" "$@" -o "$tmp/r" >"$tmp/out" 2>"$tmp/err"
    [ $? -eq 2 ] && [ ! -e "$tmp/r" ] && [ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/err")" -eq 1 ]
    verdict $? "refuses $name"
}
refused 'a rank that is not in the job' --job 4 --plant late-compute:4=20
refused 'an unknown plant' --job 4 --plant tired:1=20
refused 'a plant without amount' --job 4 --plant late-compute:1
refused 'a hot expert without experts' --job 4 --plant hot-expert:1=20
refused 'a slow link within a node' --job 8 --plant slow-link:0=50
refused 'ranks that do not fit' --job 6 --tensor 4
refused 'a defect in a job' --job 4 --defect fp32-gemm
refused 'unknown metadata' --job 4 --metadata some
exit $failed
