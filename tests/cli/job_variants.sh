#!/bin/bash
# `tracefolio job` on jobs as other recorders write them: groups, numbers and names that differ.
#
#   tests/cli/job_variants.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
here=$(realpath "$(dirname "$0")")
build=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
PATH=$build:$PATH

plant() { # VARIANTS OPTION...: traces/ and truth.json
    local variants=$1
    shift
    rm -rf traces site
    tracefolio-sample --no-python "$@" -o traces --truth truth.json && { [ -z "$variants" ] || python3 "$here/job_variant.py" traces $variants; } &&
        tracefolio job traces -o site --force >said || { cat said; return 1; }
}
found() { # NAMED CAUSE VARIANTS OPTION...
    local named=$1 cause=$2
    shift 2
    plant "$@" && python3 "$here/job.py" site truth.json "$named" "$cause" || { cat said; return 1; }
}
check 'a late rank whose trace begins late' found 4 idle '' --job 8 --plant late-start:4=3 --plant late-input:4=4000
check 'and none is, of which one begins late' found none '' '' --job 8 --plant late-start:4=3
check 'groups that each rank names differently' found 1 idle names-by-rank --job 4 --tensor 2 --plant late-input:1=5000
one_number() { # they are matched by what they are, not by place alone
    found 5 compute one-number --job 8 --plant late-start:2=2 --plant late-compute:5=20 && grep -q '| exact 0, verified' site/job_report.md
}
check 'one number for all collectives' one_number
apart() {
    plant 'names-by-rank no-lists' --job 4 --plant late-compute:2=20 && grep -q '^Who is late is unknown: no collective of a rank is found on another' said &&
        ! grep -q '1% shorter' said && grep -q 'Collectives of several ranks are matched | failed' site/job_report.md
}
check 'groups that nothing joins' apart
echo "1..$count"
exit $failed
