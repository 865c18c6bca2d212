# OUT THREADS: the index of three runs of one series, a day apart, the last on half the work; and one
# of another series.
runs=$(mktemp -d) || exit 1
trap 'rm -rf "$runs"' EXIT
publish() { # LABEL DAY TRACE OPTION...
    local label=$1 day=$2 trace=$3
    shift 3
    sed "s/\"baseTimeNanoseconds\": *[0-9]*/\"baseTimeNanoseconds\": $((1767225600 + 86400 * day))000000000/" "$trace" >"$runs/$label.json" &&
        tracefolio analyze "$runs/$label.json" -p MI300X --formats site,json -q -j "$threads" -o "$runs/$label" --run-label "$label" "$@" &&
        tracefolio publish "$runs/$label" "$out.root" -q
}
out=$1 threads=$2
publish monday 4 trace.json && publish tuesday 5 trace.json --fail-on 'window.idle_pct>99%' && publish wednesday 6 slower.json &&
    publish other 7 trace.json --series 'a & b' && mkdir "$out" && cp "$out.root"/*.html "$out.root"/runs.json "$out"
