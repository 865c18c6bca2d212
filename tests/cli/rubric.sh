#!/bin/bash
# The rubric holds for a sample's reports, and notices when a report is spoilt.
# Prints TAP. Usage: tests/cli/rubric.sh BUILD
set -u
export LC_ALL=C.UTF-8
build=$(realpath "$1")
cd "$(dirname "$0")/../.." || exit 1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
n=0

tell() { # STATUS NAME
    n=$((n + 1))
    [ "$1" = 0 ] && echo "ok $n - $2" || echo "not ok $n - $2"
}

good=$scratch/good
"$build/tracefolio-sample" --defect skinny-gemm --defect item-sync -o "$scratch/t.json.gz" &&
    "$build/tracefolio" analyze "$scratch/t.json.gz" -p MI300X -o "$good" -q
tell $? "a sample is analysed"
python3 tests/rubric/check_rubric.py "$good" >"$scratch/said"
tell $? "no predicate fails: $(tail -n 1 "$scratch/said")"

spoil() { # PREDICATE FILE SED_EXPRESSION: the copy differs, and the predicate says so
    rm -rf "$scratch/bad"
    cp -r "$good" "$scratch/bad"
    sed -i -E "$3" "$scratch/bad/$2"
    if cmp -s "$good/$2" "$scratch/bad/$2"; then
        tell 1 "$1: the sample has nothing to spoil by $3"
        return
    fi
    python3 tests/rubric/check_rubric.py "$scratch/bad" >"$scratch/said"
    grep -q "^FAILED $1:" "$scratch/said"
    tell $? "$1 notices $3"
}

report=standalone_analysis.md
spoil T1 $report 's/^## Appendix$/## End/'
spoil T3 $report 's/^\| Idle % .*$//'
spoil T4 $report 's/^\| Compute % .*$/| Compute % | 1.0% |/'
spoil T6 $report 's/^\*\*Action\*\*: /Action: /'
spoil T7 $report 's/^### Model Architecture$/&\n\nX ms/'
spoil T8 $report 's/^- \*\*Peak HBM BW\*\*: .*/- **Peak HBM BW**: 9.99 TB\/s/'
spoil T9 $report 's/^- \*\*Architecture\*\*: .*//'
spoil M1 $report 's/<!-- top-ops-row/<!-- row/'
spoil M4 $report '0,/<!-- impact-end -->/s///'
spoil M6 $report 's/(kind=p_item category=[a-z_]+ low=)[0-9]/\19/'
spoil C1 $report '0,/<a id="detailed-analysis-compute-p1">/s//<a id="x">/'
spoil C2 $report 's/^\*\*Resolution:\*\*/Resolution:/'
spoil C8 $report 's/^### Model Architecture$/&\n\nUse NCCL here./'
spoil C8 category_findings/gemm_findings.md 's/^## Overview$/&\n\nLow occupancy./'
spoil C11 standalone_analysis_fair.md 's/^\| Metric \| Value \|$/a\n\nb\n\nc\n\nd\n\n&/'
spoil C12 $report 's/^### (\S+) P1: .*$/### \1 P1: GPU idle 5.00 ms: the host is late/'
spoil MD-3 standalone_analysis_fair.md 's/^## Appendix$/<script>x<\/script>\n\n&/'
spoil F3 metadata/model_info.json 's/"precision"/"precisely"/'
spoil F6 category_data/category_manifest.json 's/"name": "gemm"/"name": "gone"/'

other=$scratch/other
"$build/tracefolio" analyze "$scratch/t.json.gz" -p MI300X -o "$other" -q --fair-style jarvis \
    --system-impact none --idle-threshold 1 --emit-analysis-md --stamp &&
    python3 tests/rubric/check_rubric.py "$other" >"$scratch/said"
tell $? "nor in another style: $(tail -n 1 "$scratch/said")"
echo "1..$n"
