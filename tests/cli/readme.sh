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

# shellcheck disable=SC2046
sh "$here/samples/demo.sh" "$build/tracefolio-sample" . $(sed -n 's/^DEMO_DEFECTS := //p' "$here/Makefile") || exit 1

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
check 'there are commands' eval '[ $count -ge 15 ]'
in_order() { # as printed: the other lines of its blocks are steps of the Makefile, and one cd
    block sh | grep -v '^tracefolio ' | sed 's/ *#.*//' >others
    printf '%s\n' 'make demo' 'make install' 'cd build/demo' | diff others - && grep -q 'samples/demo.sh .* build/demo ' "$here/Makefile"
}
check 'and before them what makes their traces' in_order

verdict() { # the block without a language is what the demo's trace gives
    tracefolio analyze trace.json.gz -p MI300X -o demo >said || return 1
    [ "$(sed -n '/^```$/,/^```$/p' "$readme" | grep -E 'GPU active for|^(Host-bound|First)')" = "$(head -n 3 said)" ] || { cat said; return 1; }
}
check 'the verdict it shows is that of the demo' verdict
check 'and the demo puts its three defects first' \
    eval 'python3 -c "import json; print(*[f[\"rule\"] for f in json.load(open(\"demo/summary.json\"))[\"findings\"][:3]])" >firsts &&
        { grep -qx "cpu_idle.host_python reduce.unfused_attention gemm.skinny_gemm" firsts || { cat firsts; false; }; }'
files() { # HEADING FOLDER: every path of its table is in the folder
    local path first bad=0
    sed -n "/^## $1\$/,/^## /p" "$readme" | grep -oE '^\| `[^|]*' | grep -oE '`[^`]+`' | tr -d '`' >paths
    [ "$(wc -l <paths)" -ge 5 ] || return 1
    while IFS= read -r path; do
        case $path in ...*) path=$first${path#...} ;; esac
        first=${path%.md} first=${first%_fair}
        [ -n "$(find "$2" -path "*/${path%/}")" ] || { echo "no $path in $2"; bad=1; }
    done <paths
    return $bad
}
check 'a report has every file it lists' files 'Read the report' demo
check 'so has a comparison' eval 'tracefolio compare before.json.gz after.json.gz -o both -q && files "Compare two captures" both'
statuses() { # a row of its table
    sed -n '/^| exit status/,/^$/p' "$readme" | grep -oE '^\| [0-9]+' | grep -oE '[0-9]+' | sort -n | tr '\n' ' '
}
check 'its exit statuses are those of the help' \
    eval '[ "$(statuses)" = "$(tracefolio --help | sed -n "/^Exit status/,/^\$/p" | grep -oE "(^|[ .(])[0-9]+[ :]" | grep -oE "[0-9]+" | sort -n | tr "\n" " ")" ]'
check 'it opens no connection: the program has no call that could' \
    eval 'nm -D "$build/tracefolio" >calls && grep -q " U fopen\| U open" calls && ! grep -E " U (socket|connect|getaddrinfo|gethostbyname)" calls'

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
    tracefolio help options >help
    for o in $(grep -oE '^\| `-[^|]*' "$readme" | grep -oE -- '--[a-z-]+' | sort -u); do
        grep -q -- "$o\b" help || { echo "no $o in the help"; bad=1; }
    done
    return $bad
}
check 'every option it names is in the help' options
echo "1..$count"
exit $failed
