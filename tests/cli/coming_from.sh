#!/bin/bash
# The pages for those who come from another tool, each followed: its commands run, and the files and
# pages that it names are in what they write.
#
#   tests/cli/coming_from.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
build=$(realpath "$1")
here=$(realpath "$(dirname "$0")/../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
PATH=$build:$PATH
# shellcheck disable=SC2046
sh "$here/samples/demo.sh" "$build/tracefolio-sample" . $(sed -n 's/^DEMO_DEFECTS := //p' "$here/Makefile") || exit 1
tracefolio analyze trace.json.gz -q -o cut_from || exit 1
from=$(zcat trace.json.gz | grep -oE '"ts": ?[0-9.]+' | sed -n '500s/.*: *//p')

follow() { # PAGE: each line of its sh blocks
    local line n=0
    tracefolio help "from-$1" >page && cmp page "$here/assets/coming-from/$1.md" || return 1
    rm -rf out job difference
    while IFS= read -r line; do
        n=$((n + 1))
        line=${line/FROM/$from} line=${line/TO/$((${from%.*} + 2000))}
        eval "$line" >said 2>&1 </dev/null && [ -s said ] || { echo "$line"; cat said; return 1; }
    done < <(sed -n '/^```sh$/,/^```$/p' page | grep -v '^```')
    [ $n -ge 1 ] || return 1
}
named() { # what its tables name is there, in the report or in that of a job
    local path bad=0 n=0
    [ -d job ] || tracefolio job ranks -o job -q || return 1
    while IFS= read -r path; do
        n=$((n + 1))
        [ -n "$(find out job -path "*/${path%/}" | head -n 1)" ] || { echo "no $path"; bad=1; }
    done < <(grep '^|' page | grep -oE '`[a-z_A-Z/-]+(\.html|\.csv|\.json|\.xlsx|/)`' | tr -d '`' | sort -u)
    [ $n -ge 4 ] && return $bad
}
options() { # and the options of ours are options
    local o bad=0
    tracefolio help options >help
    for o in $(grep -oE '`tracefolio [^`]*`' page | grep -oE -- ' --[a-z-]+' | sort -u); do
        grep -q -- "$o\b" help || { echo "no $o"; bad=1; }
    done
    return $bad
}
for page in tensorboard tracelens hta nsys chrome; do
    check "from $page: its commands run" follow $page
    check "from $page: what it names is there" named
    check "from $page: its options exist" options
done
tracelens_options() { # each option of TraceLens on the page is answered by the program
    local o bad=0
    tracefolio help from-tracelens | grep -oE -- '--[a-z]+(_[a-z]+)+' | sort -u >theirs
    [ "$(wc -l <theirs)" -ge 8 ] || return 1
    while IFS= read -r o; do
        tracefolio analyze trace.json.gz "$o" x 2>said; grep -q 'here it is' said || { echo "$o"; cat said; bad=1; }
    done <theirs
    return $bad
}
check 'options of TraceLens are answered with ours' tracelens_options
echo "1..$count"
exit $failed
