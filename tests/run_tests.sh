#!/bin/bash
# Every test, counted one by one: cmocka cases, the lines of tests/cli/*.sh, golden cases.
# Prints a line when a suite ends, and each skipped case with its reason.
#
#   tests/run_tests.sh BUILD [TEST_BINARY]...   run; status 1 if any failed or none ran
#   tests/run_tests.sh --bless BUILD            show what changed in the golden output, and
#                                               update tests/golden/NAME/want
#
# CLI_SUITES="NAME..." runs only these of tests/cli.
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

# What a suite printed, TAP and its status on the last line: counted. An incomplete plan (after a
# crash), a bad status without a failing line, and no output at all are failures too.
count() { # NAME OUT SECONDS
    local name=$1 out=$2 ok bad skip plan status
    read -r ok bad skip plan status < <(awk '
        /^(not )?ok .*# SKIP/ { skip++; next }
        /^ok / { ok++ }
        /^not ok / { bad++ }
        /^1\.\.[0-9]+/ { plan += substr($0, 4) }
        { last = $0 }
        END { sub(/^status /, "", last); print ok + 0, bad + 0, skip + 0, plan + 0, last }' "$out")
    sed -nE "s/^(not )?ok (.*# SKIP.*)/skipped in ${name//\//\\/}: \2/p" "$out"
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
    echo "$name: $ok passed, $bad failed$([ $skip = 0 ] || echo ", $skip skipped"), $3 s"
}

# Suites run side by side, one more than there are processors, as some wait for what they
# delay or kill; each is counted when it ends.
lanes=$(($(nproc) + 1))
declare -A name_of=() out_of=() start_of=()

one_ends() {
    local pid
    wait -n -p pid "${!name_of[@]}"
    count "${name_of[$pid]}" "${out_of[$pid]}" $((SECONDS - start_of[$pid]))
    rm -f "${out_of[$pid]}"
    unset "name_of[$pid]" "out_of[$pid]" "start_of[$pid]"
}

suite() { # NAME COMMAND...
    local name=$1 out
    shift
    while [ ${#name_of[@]} -ge "$lanes" ]; do
        one_ends
    done
    out=$(mktemp -p "$scratch")
    (
        "$@" >"$out" 2>&1
        printf '\nstatus %s\n' $? >>"$out"
    ) &
    name_of[$!]=$name out_of[$!]=$out start_of[$!]=$SECONDS
}

all_end() {
    while [ ${#name_of[@]} -gt 0 ]; do
        one_ends
    done
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
    local out status=1
    out=$(mktemp -d -p "$scratch")/golden
    if ! golden_write "$1" "$out.1" 1 || ! golden_write "$1" "$out.2" 2; then
        echo "not ok - its command failed"
        cat "$out".*.log
    elif [ -n "$bless" ]; then
        diff -ru "$1/want" "$out.1"
        rm -rf "$1/want" && cp -r "$out.1" "$1/want"
        status=0
    elif ! diff -r "$out.1" "$out.2"; then
        echo "not ok - two runs differ"
    elif ! diff -ru "$1/want" "$out.1"; then
        echo "not ok - not what is wanted (make bless, if it should be)"
    else
        echo "ok - $1"
        status=0
    fi
    rm -rf "${out%/golden}"
    return $status
}

goldens() {
    local case bad=0
    for case in tests/golden/*/; do
        [ ! -e "$case/args" ] && [ ! -e "$case/run.sh" ] || "$@" "${case%/}" || bad=1
    done
    return $bad
}

if [ -n "$bless" ]; then
    goldens golden
    exit
fi

cli() { # NAME
    suite "tests/cli/$1.sh" timeout 900 bash "tests/cli/$1.sh" "$build"
}
wanted() { # NAME
    [ -z "${CLI_SUITES-}" ] || [[ " $CLI_SUITES " == *" $1 "* ]]
}

# The longest first, so that none is left to run alone at the end; then, alone, those that measure
# time.
long=(defects savings job packaging faults hostile replay idle_blame sample_generator ci)
timed=(slow_share signals)
for name in "${long[@]}"; do
    ! wanted "$name" || cli "$name"
done
for binary; do
    suite "src/${binary#*/src/}" env CMOCKA_MESSAGE_OUTPUT=TAP timeout 300 "$binary"
done
for script in tests/cli/*.sh; do
    name=$(basename "$script" .sh)
    ! wanted "$name" || [[ " ${long[*]} ${timed[*]} " == *" $name "* ]] || cli "$name"
done
suite "order of includes (make layers)" python3 .ci/layers.py --check
suite "words that users read" python3 .ci/words.py
suite "gates that no source goes around" python3 .ci/gates.py
suite "planted mistakes have their places" python3 tests/plants/check_plants.py --places
golden_suite() { # CASE
    suite "$1" golden "$1"
}
goldens golden_suite
all_end
for name in "${timed[@]}"; do
    ! wanted "$name" || cli "$name"
    all_end
done

echo "$passed passed, $failed failed$([ $skipped = 0 ] || echo ", $skipped skipped")"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
