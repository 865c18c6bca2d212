#!/bin/bash
# Every test, counted one by one: cmocka cases, the lines of tests/cli/*.sh, golden cases.
# Prints a line when a suite ends and every ten seconds during a long one, and each skipped case
# with its reason.
#
#   tests/run_tests.sh BUILD [TEST_BINARY]...   run; status 1 if any failed or none ran
#   tests/run_tests.sh --bless BUILD            show what changed in the golden output, and
#                                               update tests/golden/NAME/want
#
# A cmocka binary and a shell test both print TAP: "ok ...", "not ok ...", "ok ... # SKIP"
# (cmocka: "not ok ... # SKIP").
# A golden case is tests/golden/NAME with the files `args` (one line: the arguments of
# `tracefolio analyze`, relative to that folder) and `want/`, what it must write; of the files
# that `only` names, a pattern a line, where there is one. Where one command is not enough,
# there is `run.sh` instead of `args`: it gets the folder to write and the number of threads.
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

# Run a suite that prints TAP, and count its lines. An incomplete plan (after a crash), a bad
# status without a failing line, and no output at all are failures too.
suite() { # NAME COMMAND...
    local name=$1 start=$SECONDS told=$SECONDS line out=$scratch/out status
    local ok=0 bad=0 skip=0 plan=0
    shift
    : >"$out"
    while IFS= read -r line; do
        printf '%s\n' "$line" >>"$out"
        case $line in
        *'# SKIP'*)
            skip=$((skip + 1))
            echo "skipped in $name: ${line#*ok }"
            ;;
        'ok '*) ok=$((ok + 1)) ;;
        'not ok '*) bad=$((bad + 1)) ;;
        1..[0-9]*) plan=$((plan + ${line#1..})) ;;
        esac
        if [ $((SECONDS - told)) -ge 10 ]; then
            told=$SECONDS
            echo "  ... $name: $((ok + bad)) cases so far"
        fi
    done < <("$@" 2>&1; echo "status $?")
    status=$(sed -n '$s/^status //p' "$out")
    passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + skip))
    if [ "$bad" -gt 0 ]; then
        echo "FAILED in $name:"
        grep -vE '^ok\b|^1\.\.|^status ' "$out" | tail -n 60 | sed 's/^/    /'
    fi
    if [ $((ok + bad + skip)) -lt "$plan" ]; then
        fail "$name: ended early, with status $status, after $((ok + bad + skip)) of $plan tests" "$out"
    elif [ "$bad" = 0 ] && [ "$status" != 0 ]; then
        fail "$name: status $status" "$out"
    elif [ $((ok + bad + skip)) = 0 ]; then
        fail "$name: no test in it ran" "$out"
    fi
    echo "$name: $ok passed, $bad failed$([ $skip = 0 ] || echo ", $skip skipped"), $((SECONDS - start)) s"
}

# Write a case's output to a new folder; what it prints goes into a file beside it.
golden_write() { # CASE OUT THREADS
    local args command=analyze
    if [ -e "$1/run.sh" ]; then
        (cd "$1" && PATH=$build:$PATH timeout 60 bash run.sh "$2" "$3") >"$2.log" 2>&1
        return
    fi
    read -ra args <"$1/args"
    [ ! -e "$1/command" ] || read -r command <"$1/command"
    (cd "$1" && timeout 60 "$build/tracefolio" "$command" "${args[@]}" -q -j "$3" -o "$2") \
        >"$2.log" 2>&1 || return 1
    [ -e "$1/only" ] || return 0
    mv "$2" "$2.all" && mkdir "$2" || return 1
    while read -r pattern; do # shellcheck disable=SC2086
        (cd "$2.all" && cp --parents $pattern "$2") || return 1
    done <"$1/only"
}

golden() { # CASE: byte for byte, twice, so that threads and folders do not show
    local out=$scratch/golden
    rm -rf "$out"*
    if ! golden_write "$1" "$out.1" 1 || ! golden_write "$1" "$out.2" 2; then
        cat "$out".*.log >"$out.log"
        fail "$1: its command failed" "$out.log"
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
        echo "$1: passed"
    fi
}

# Long suites that keep one processor busy and measure no time: they run beside the others.
beside=(defects faults hostile idle_blame replay sample_generator savings)

run_beside() {
    local name
    for name in "${beside[@]}"; do
        timeout 600 bash "tests/cli/$name.sh" "$build" >"$scratch/$name.out" 2>&1
        echo $? >"$scratch/$name.status"
    done
}

told_beside() { # NAME: what it printed, once it is over
    while [ ! -s "$scratch/$1.status" ]; do
        sleep 0.2
    done
    cat "$scratch/$1.out"
    return "$(cat "$scratch/$1.status")"
}

if [ -z "$bless" ]; then
    run_beside &
    lane=$!
    trap 'kill "$lane" 2>/dev/null; rm -rf "$scratch"' EXIT
    for binary; do
        suite "src/${binary#*/src/}" env CMOCKA_MESSAGE_OUTPUT=TAP timeout 300 "$binary"
    done
    for script in tests/cli/*.sh; do
        name=$(basename "$script" .sh)
        [[ " ${beside[*]} " == *" $name "* ]] || suite "$script" timeout 600 bash "$script" "$build"
    done
    for name in "${beside[@]}"; do
        suite "tests/cli/$name.sh" told_beside "$name"
    done
    suite "order of includes (make layers)" python3 .ci/layers.py --check
    suite "words that users read" python3 .ci/words.py
    suite "gates that no source goes around" python3 .ci/gates.py
    suite "planted mistakes have their places" python3 tests/plants/check_plants.py --places
fi
for case in tests/golden/*/; do
    [ ! -e "$case/args" ] && [ ! -e "$case/run.sh" ] || golden "${case%/}"
done
[ -z "$bless" ] || exit "$((failed > 0))"

echo "$passed passed, $failed failed$([ $skipped = 0 ] || echo ", $skipped skipped")"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
