#!/bin/bash
# Every test, counted one by one: cmocka cases, the lines of tests/cli/*.sh, golden cases.
#
#   tests/run_tests.sh BUILD [TEST_BINARY]...   run; status 1 if any failed or none ran
#   tests/run_tests.sh --bless BUILD            show what changed in the golden pages, and
#                                               make tests/golden/NAME/want what is written
#
# A cmocka binary and a shell test both say TAP: "ok ...", "not ok ...", "ok ... # SKIP"
# (cmocka: "not ok ... # SKIP").
# A golden case is tests/golden/NAME with the files `args` (one line: the arguments of
# `tracefolio analyze`, relative to that folder) and `want/`, what it must write.
set -u
export LC_ALL=C.UTF-8
bless=
if [ "${1-}" = --bless ]; then
    bless=1
    shift
fi
build=$(realpath "$1")
shift
cd "$(dirname "$0")/.." || exit 1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

passed=0 failed=0 skipped=0

fail() { # NAME [FILE of output to show]
    failed=$((failed + 1))
    echo "FAILED $1"
    [ -z "${2-}" ] || tail -n 40 "$2" | sed 's/^/    /'
}

# Count the TAP lines of one program's output. A plan that was not kept (a crash in the
# middle), a bad status without a failing line, and silence are failures too.
count() { # NAME OUTPUT STATUS
    local ok bad skip plan
    skip=$(grep -cE '^(not )?ok\b.*# SKIP' "$2")
    ok=$(grep -vE '# SKIP' "$2" | grep -cE '^ok\b')
    bad=$(grep -vE '# SKIP' "$2" | grep -cE '^not ok\b')
    plan=$(sed -n 's/^1\.\.\([0-9]*\)$/\1/p' "$2" | awk '{ n += $1 } END { print n + 0 }')
    passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + skip))
    if [ "$bad" -gt 0 ]; then
        echo "FAILED in $1:"
        grep -vE '^ok\b|^1\.\.' "$2" | tail -n 60 | sed 's/^/    /'
    fi
    if [ $((ok + bad + skip)) -lt "$plan" ]; then
        fail "$1: ended early, with status $3, after $((ok + bad + skip)) of $plan tests" "$2"
    elif [ "$bad" = 0 ] && [ "$3" != 0 ]; then
        fail "$1: status $3" "$2"
    elif [ $((ok + bad + skip)) = 0 ]; then
        fail "$1: no test in it ran" "$2"
    fi
}

# The case's output in a new folder; what it printed is kept beside that.
golden_write() { # CASE OUT THREADS
    local args
    read -ra args <"$1/args"
    (cd "$1" && timeout 60 "$build/tracefolio" analyze "${args[@]}" -q -j "$3" -o "$2") \
        >"$2.log" 2>&1
}

golden() { # CASE: byte for byte, twice, so that threads and folders do not show
    local out=$scratch/golden
    rm -rf "$out"*
    if ! golden_write "$1" "$out.1" 1 || ! golden_write "$1" "$out.2" 2; then
        cat "$out".*.log >"$out.log"
        fail "$1: analyze failed" "$out.log"
        return
    fi
    if [ -n "$bless" ]; then
        diff -ru "$1/want" "$out.1"
        rm -rf "$1/want" && cp -r "$out.1" "$1/want"
    elif ! diff -r "$out.1" "$out.2" >"$out.diff"; then
        fail "$1: two runs differ" "$out.diff"
    elif ! diff -ru "$1/want" "$out.1" >"$out.diff"; then
        fail "$1: not what is wanted (make bless, if it should be)" "$out.diff"
    else
        passed=$((passed + 1))
    fi
}

if [ -z "$bless" ]; then
    for binary; do
        CMOCKA_MESSAGE_OUTPUT=TAP timeout 300 "$binary" >"$scratch/out" 2>&1
        count "$binary" "$scratch/out" $?
    done
    for script in tests/cli/*.sh; do
        [ -e "$script" ] || continue
        timeout 600 bash "$script" "$build" >"$scratch/out" 2>&1
        count "$script" "$scratch/out" $?
    done
    python3 .ci/layers.py --check >"$scratch/out" 2>&1
    count "include order (make layers)" "$scratch/out" $?
fi
for args in tests/golden/*/args; do
    [ ! -e "$args" ] || golden "${args%/args}"
done
[ -z "$bless" ] || exit "$((failed > 0))"

echo "$passed passed, $failed failed$([ $skipped = 0 ] || echo ", $skipped skipped")"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
