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
check 'communicators without names, told by their streams and ends' found 1 idle '' --job 4 --tensor 2 --metadata none --plant late-input:1=5000
communicators() { # which ranks share one is found
    plant '' --job 8 --tensor 2 --metadata none --plant late-input:3=3000 && grep -q '^Rank 3 holds the others up by .* because the GPU waits' said &&
        sed -n '/### Groups/,$p' site/job_report.md | grep -o '^| ranks[ 0-9]*' | sort | tr -d '\n' | grep -qx '| ranks 0 1 | ranks 0 2 4 6 | ranks 1 3 5 7 | ranks 2 3 | ranks 4 5 | ranks 6 7 '
}
check 'and their ranks are told' communicators
check 'one name for groups of several ranks' found 1 idle 'one-name no-lists' --job 4 --tensor 2 --plant late-input:1=5000
apart() {
    plant 'names-by-rank no-lists' --job 4 --plant late-compute:2=20 && grep -q '^Which rank is late is unknown: no collective of one rank matches one of another' said &&
        ! grep -q '1% shorter' said && grep -q 'Collectives of several ranks are matched | failed' site/job_report.md
}
check 'groups that nothing joins' apart
echo "1..$count"
exit $failed
