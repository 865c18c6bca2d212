#!/bin/bash
# run_fuzz.sh BUILD SAMPLE SECONDS SEED NAME... - each of these fuzzers from its seeds for so long; SAMPLE makes
# traces. What was learnt stays in BUILD/fuzz; a crash leaves its input there, and its name in the output. With
# an empty SEED each time another.
set -u
build=$(realpath "$1") sample=$(realpath "$2") seconds=$3 seed=${4:-$RANDOM}
shift 4
here=$(realpath "$(dirname "$0")")
cd "$here/../.." || exit 1
TMPDIR=$(mktemp -d) # of the folders that analyze_fuzz writes
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT

seed_traces() { # FOLDER PREFIX: PREFIX is put before each
    local k
    for k in llm-prefill llm-decode cnn-training moe; do
        { printf '%s' "$2"; "$sample" --kind $k --layers 1 --steps 1 --batch 1 \
            --no-python -o - | head -c 60000; } >"$1/$k"
    done
    { printf '%s' "$2"; "$sample" --hostile --layers 1 --steps 1 -o -; } >"$1/hostile"
    { printf '%s' "$2"; "$sample" --empty --layers 1 --steps 1 -o - | gzip -n; } >"$1/packed"
    # Other formats, so that what is changed of them begins as they do.
    "$sample" --kind cnn-training --layers 1 --steps 1 --batch 1 --no-python -o "$TMPDIR/cnn.json"
    python3 samples/pytorch_pftrace.py "$TMPDIR/cnn.json" "$TMPDIR/cnn.pftrace" "$TMPDIR/cnn.pytorch.json"
    python3 samples/rocprof_trace.py "$TMPDIR/cnn.json" "$TMPDIR/cnn"
    python3 samples/xplane_trace.py "$TMPDIR/cnn.json" "$TMPDIR/cnn"
    python3 samples/ascend_trace.py "$TMPDIR/cnn.json" "$TMPDIR/cnn"
    for k in sglang fused; do
        python3 samples/merged_json.py $k "$TMPDIR/cnn.$k" "$TMPDIR"/cnn.json "$TMPDIR"/cnn.json
    done
    python3 samples/rpd_json_trace.py "$TMPDIR/cnn.json" "$TMPDIR/cnn"
    python3 samples/execution_trace.py "$TMPDIR/cnn.json" "$TMPDIR/cnn"
    for k in sglang fused ascend.json et.json rpd2.json pftrace rocprof.pftrace rocprof.json xplane.pb; do
        { printf '%s' "$2"; head -c 40000 "$TMPDIR/cnn.$k"; } >"$1/$k"
    done
}

# Of protobuf: whole messages, for whoever changes them field by field; most are small, for speed.
seed_messages() { # PERFETTO XPLANE
    local trace name
    "$sample" --kind moe --layers 1 --steps 1 --batch 1 --no-python -o "$TMPDIR/moe.json"
    for trace in "$TMPDIR/moe.json" tests/golden/ops_{collective,copies,graph_launch,two_streams}/trace.json; do
        name=$(basename "$(dirname "$trace")")
        python3 samples/pytorch_pftrace.py "$trace" "$TMPDIR/m.pftrace" "$TMPDIR/m.json"
        python3 samples/rocprof_trace.py "$trace" "$TMPDIR/m"
        python3 samples/xplane_trace.py "$trace" "$TMPDIR/m"
        { printf '\7'; cat "$TMPDIR/m.pftrace"; } >"$1/$name.torch"
        { printf '\77'; cat "$TMPDIR/m.rocprof.pftrace"; } >"$1/$name.rocprof"
        { printf '\377'; cat "$TMPDIR/m.xplane.pb"; } >"$2/$name"
    done
    python3 samples/graph_trace.py "$TMPDIR/graph.json" "$TMPDIR/m.json"
    python3 samples/pytorch_pftrace.py "$TMPDIR/graph.json" "$TMPDIR/graph.pftrace" "$TMPDIR/m.json"
    { printf '\7'; cat "$TMPDIR/graph.pftrace"; } >"$1/edges"
    python3 samples/counter_trace.py torch "$TMPDIR/counted.json"
    python3 samples/pytorch_pftrace.py "$TMPDIR/counted.json" "$TMPDIR/counted.pftrace" "$TMPDIR/m.json"
    { printf '\7'; head -c 20000 "$TMPDIR/counted.pftrace"; } >"$1/counters"
}

seed_tables() { # FOLDER
    local k
    for k in nsys rpd rocpd rocpd-tracks; do
        python3 samples/sqlite_trace.py $k "$TMPDIR/$k.db" "$TMPDIR/$k.json" "$TMPDIR/cnn.json" "$TMPDIR/cnn.json" &&
            { printf '\1'; cat "$TMPDIR/$k.db"; } >"$1/$k"
    done
}

fuzz() { # NAME OPTION...
    local name=$1 known=$build/fuzz/$1 log
    shift
    log=$known.log
    if "$build/tests/fuzz/$name" -seed="$seed" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4000 \
        -artifact_prefix="$known-" -print_final_stats=1 "$@" "$known" >"$log" 2>&1; then
        echo "ok - $name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") attempts"
    else
        echo "not ok - $name (seed $seed)"
        grep -E '^==|ERROR|SUMMARY|runtime error|Test unit written' "$log" | head -n 8 | sed 's/^/# /'
    fi
}

mkdir -p "$build"/fuzz/{trace,analyze,template,extension,sqlite,perfetto,xplane}_fuzz
seed_traces "$build/fuzz/trace_fuzz" $'\x07'
seed_traces "$build/fuzz/analyze_fuzz" ''
seed_tables "$build/fuzz/sqlite_fuzz"
seed_messages "$build/fuzz/perfetto_fuzz" "$build/fuzz/xplane_fuzz"
cp "$here"/../hostile/corpus/*.json "$build/fuzz/analyze_fuzz/"
for file in templates/*.html; do
    { cat "$file"; printf '\0{{name}}\0{"page":{"title":"t"},"rows":[{"name":"n"}]}'; } \
        >"$build/fuzz/template_fuzz/${file##*/}"
done
cp assets/patterns/*.lua assets/extensions/*.lua "$build/fuzz/extension_fuzz/" 2>/dev/null

# What is beside the trace, through whole commands; a file that fails stays here.
mutate() {
    local log
    if log=$(cd "$build/fuzz" && python3 "$here/../hostile/mutations.py" "$build" --seconds "$seconds" --seed "$seed"); then
        echo "ok - mutations: ${log##*$'\n'}"
    else
        echo "not ok - mutations (seed $seed)"
        printf '%s\n' "$log" | head -n 20 | sed 's/^/# /'
    fi
}

fuzz_one() { # NAME
    case $1 in
    trace_fuzz | analyze_fuzz) fuzz $1 -dict="$here/trace.dict" -max_len=40000 ;;
    extension_fuzz) fuzz $1 -dict="$here/lua.dict" -max_len=4000 ;;
    template_fuzz) fuzz $1 -max_len=4000 ;;
    sqlite_fuzz) fuzz $1 -max_len=200000 ;;
    mutations) mutate ;;
    *) fuzz $1 -max_len=60000 ;;
    esac
}

# Two at a time, and what they say one after the other.
for half in 0 1; do
    number=0
    for name in "$@"; do
        [ $((number++ % 2)) = $half ] && fuzz_one "$name"
    done >"$TMPDIR/said.$half" &
done
wait
cat "$TMPDIR"/said.?
passed=$(cat "$TMPDIR"/said.? | grep -c '^ok')
failed=$(cat "$TMPDIR"/said.? | grep -c '^not ok')
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" = $# ] # none may end without a word
