#!/bin/bash
# Where threads meet, under ThreadSanitizer: any report is a failure.
#
#   tests/tsan/run_tsan.sh BUILD SHARED TEST_BINARY...     TAP, and a last line that counts
#
# BUILD and the binaries are built with -fsanitize=thread. Shared traces are skipped where
# SHARED is absent. A report makes the status 66, and is shown.
set -u
export LC_ALL=C.UTF-8
build=$(realpath "$1")
shared=$(realpath -m "$2")
shift 2
here=$(realpath "$(dirname "$0")")
cd "$here/../.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TSAN_OPTIONS="suppressions=$here/suppressions.txt:exitcode=66:second_deadlock_stack=1"
passed=0 failed=0 skipped=0

verdict() { # STATUS NAME: what was printed is in $work/log
    if [ "$1" = 0 ] && ! grep -q 'ThreadSanitizer' "$work/log"; then
        passed=$((passed + 1))
        echo "ok - $2"
    else
        failed=$((failed + 1))
        echo "not ok - $2: status $1, $(grep -c '^WARNING: ThreadSanitizer' "$work/log") reports"
        sed 's/^/# /' "$work/log" | head -n 60
    fi
}

skip() { # NAME REASON
    skipped=$((skipped + 1))
    echo "ok - $1 # SKIP $2"
}

finish() {
    echo "$passed passed, $failed failed$([ $skipped = 0 ] || echo ", $skipped skipped")"
    [ "$failed" = 0 ] && [ $((passed + skipped)) -gt 0 ]
    exit
}

# A kernel that scatters mappings more widely than the runtime knows: without scattering then.
run=()
if "$build/tracefolio" --version 2>&1 | grep -q 'ThreadSanitizer: unexpected memory mapping'; then
    run=(setarch -R)
    "${run[@]}" true 2>"$work/log" || {
        skip 'ThreadSanitizer' "it does not start here: unexpected memory mapping"
        finish
    }
fi

# It sees what there is to be seen, with the suppressions.
"${run[@]}" "$build/tests/tsan/planted_race" >"$work/log" 2>&1
status=$?
if [ $status = 66 ] && grep -q '^SUMMARY: ThreadSanitizer: data race .*planted_race\.c' "$work/log"; then
    passed=$((passed + 1))
    echo "ok - a planted race is reported"
else
    failed=$((failed + 1))
    echo "not ok - a planted race is reported: status $status"
    sed 's/^/# /' "$work/log" | head -n 20
fi

for binary; do
    timeout 300 "${run[@]}" "$binary" >"$work/log" 2>&1
    verdict $? "${binary##*/}"
done

analyze() { # NAME TRACE [OPTION]...: everything there is to write, by two threads
    local name=$1 trace=$2
    shift 2
    timeout 300 "${run[@]}" "$build/tracefolio" analyze "$trace" -p MI300X -j 2 -q --force \
        -o "$work/out" "$@" >"$work/log" 2>&1
    verdict $? "analyze -j2 $name"
}

sample() { # OPTION...: a trace longer than the ring of byte_source, so that each thread waits
    timeout 300 "${run[@]}" "$build/tracefolio-sample" "$@"
}

# Packed in a file, and plain from a pipe.
sample --kind llm-prefill --defect unfused-attention -o "$work/llm.json.gz"
analyze 'a sample, packed' "$work/llm.json.gz" --single-file "$work/one.html" --embed-replay
analyze 'a sample, plain through a pipe' - < <(sample --kind cnn-training -o -)
for name in qwen-0.5b-mi300 xdit-sd35-mi300; do
    trace=$shared/traces/$name.json.gz
    if [ -e "$trace" ]; then
        analyze "$name" "$trace"
    else
        skip "analyze -j2 $name" "$trace is not there"
    fi
done

# Traces, captures and one pack that three threads share.
shared_inputs() { # INPUT...
    timeout 300 "${run[@]}" "$build/tracefolio" "$@" -j 3 -q >"$work/log" 2>&1
    verdict $? "$1 -j3 of $2"
}
sample --no-python --job 4 -o "$work/traces" >/dev/null
cd "$work" || exit 1
shared_inputs job traces -o job
shared_inputs summarize traces -o sum
cat sum/* >pack.captures.gz
shared_inputs job pack.captures.gz -o job --force

# Every other command, and what starts a thread of its own.
command() { # ARGUMENT...
    timeout 300 "${run[@]}" "$build/tracefolio" "$@" >"$work/log" 2>&1
    verdict $? "$*"
}
echo no_such_word >words.txt
command analyze traces/rank0.json.gz --capture-trace llm.json.gz --detect-recompute --include-backlog -p none -j 2 -q -o lent
command analyze llm.json.gz -p MI300X --share public --forbid words.txt --max-memory 8G --max-output 500M -j 2 -q -o bounded
command summarize traces -o sum --resume --max-memory 8G -j 2 -q
command job sum -o job --force --max-memory 8G -j 2 -q
command compare sum traces -o jobs -j 2 -q
command compare traces/rank0.json.gz sum/rank-00001.capture.json.gz --match tree -p none -j 2 -q -o pair
command compare llm.json.gz traces/rank0.json.gz -p MI300X -j 2 -q -o ab
command cut traces/rank*.json.gz --from 0 --to 999999999999999 -j 2 -o cut.json.gz
command tree llm.json.gz --find aten --subtree
command whatif llm.json.gz 'kernel:*=0.5' -p MI300X -q
command patterns --trace llm.json.gz -p MI300X
command platforms
command themes
command help ranks
command verify out
command share-check out --forbid words.txt
command publish out root -q
command reindex root -q
finish
