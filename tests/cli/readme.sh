#!/bin/bash
# What README.md says works: its commands run as written, its links lead somewhere, its picture
# of a verdict is what the demo prints, and its recording is Python.
#
#   tests/cli/readme.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
build=$(realpath "$1")
here=$(realpath "$(dirname "$0")/../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
PATH=$build:$PATH
readme=$here/README.md

block() { # LANGUAGE: the lines of its blocks
    sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$readme" | grep -v '^```'
}

"$build/tracefolio-sample" --layers 2 --steps 2 --defect item-sync -o trace.json.gz &&
    "$build/tracefolio-sample" --layers 2 --steps 4 --defect slow-softmax -o after.json.gz &&
    "$build/tracefolio-sample" --layers 2 --steps 4 --defect slow-softmax --mend slow-softmax -o before.json.gz &&
    mkdir ranks && for r in 0 1; do
    "$build/tracefolio-sample" --kind cnn-training --layers 2 --steps 2 --rank $r --world 2 -o ranks/rank$r.json.gz || exit 1
done && for when in before after; do tracefolio job ranks -o job-$when -q || exit 1; done || exit 1

runs() { # $command ends with $want
    eval "$command" >.said 2>&1 </dev/null
    local got=$?
    [ "$got" = "$want" ] || { echo "status $got, not $want"; cat .said; return 1; }
}
while IFS= read -r line; do
    want=0
    case $line in *'# status '*) want=${line##*'# status '} want=${want%%[!0-9]*} ;; esac
    command=$(sed 's/ *  #.*//' <<<"$line")
    check "runs: $command" runs
done < <(block sh | grep '^tracefolio ')
check 'there are commands' eval '[ $count -ge 8 ]'

links() { # each relative link is a file of the repository
    local path bad=0
    while IFS= read -r path; do
        [ -e "$here/$path" ] || { echo "no $path"; bad=1; }
    done < <(grep -oE '\]\([^)#]+' "$readme" | cut -c3- | grep -v '^https://')
    while IFS= read -r path; do
        grep -qi "^#* *$(printf '%s' "$path" | tr - ' ')\$" "$readme" || { echo "no section $path"; bad=1; }
    done < <(grep -oE '\]\(#[^)]+' "$readme" | cut -c4-)
    return $bad
}
check 'every link leads to a file or a section' links
check 'the recording is Python' eval 'block python >record.py && [ -s record.py ] && python3 -c "import ast; ast.parse(open(\"record.py\").read())"'
options() { # every option of its table is one of the help
    local o bad=0
    tracefolio --help >help
    for o in $(grep -oE '^\| `-[^|]*' "$readme" | grep -oE -- '--[a-z-]+' | sort -u); do
        grep -q -- "$o\b" help || { echo "no $o in the help"; bad=1; }
    done
    return $bad
}
check 'every option it names is in the help' options
echo "1..$count"
exit $failed
