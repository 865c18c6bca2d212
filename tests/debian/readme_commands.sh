#!/bin/bash
# Every command of README.md in order, as printed, in one shell: where `make demo` has run, which is the
# first. Installs the program, so it belongs into a root of its own (check_minimal.sh).
#
#   tests/debian/readme_commands.sh        TAP on standard output, then the counts
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) passed=0 failed=0
trap 'rm -rf "$work"' EXIT
# shellcheck disable=SC2016
sed -n '/^```sh$/,/^```$/p' README.md | grep -v '^```' | grep . >"$work/commands"
while IFS= read -r line <&3; do
    want=0
    case $line in
    'make demo'*) continue ;;
    *'# status '*) want=${line##*'# status '} want=${want%%[!0-9]*} ;;
    esac
    eval "$line" >"$work/said" 2>&1 </dev/null
    got=$?
    if [ $got = "$want" ]; then
        echo "ok - $line"
        passed=$((passed + 1))
    else
        echo "not ok - status $got: $line"
        sed 's/^/# /' "$work/said" | tail -n 5
        failed=$((failed + 1))
    fi
done 3<"$work/commands"
echo "$passed passed, $failed failed"
[ $failed = 0 ] && [ $passed -ge 15 ]
