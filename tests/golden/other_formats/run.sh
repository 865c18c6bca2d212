# OUT THREADS: the tables of the trace of two_gpus as other profilers write it, from what samples/*.py make of its trace.json.
mkdir "$1" || exit 1
out=$1 threads=$2
read_as() { # DEVICE FILE [OPTION...]: FILE:rank=1 is a process of several
    local device=$1 file=$2
    shift 2
    tracefolio analyze "$file" -p "$device" -q -j "$threads" --formats csv,json -o "$out.of" "$@" && mkdir "$out/${file%%.gz*}" &&
        cp -r "$out.of"/{perf_report_csvs,own_tables,report.json} "$out/${file%%.gz*}" && rm -r "$out.of"
}
for format in pytorch.pftrace nsys.db jax.xplane.pb; do
    read_as H100 $format.gz || exit 1
done
for format in rocprof.json rocprof.pftrace rpd.db rpd2tracing.json rocpd.db; do
    read_as MI300X $format.gz || exit 1
done
read_as none ascend.json.gz && read_as H100 merged_sglang.json.gz:rank=1 && read_as H100 merged_fused.json.gz:rank=1 &&
    read_as H100 no_shapes.json.gz --capture-trace execution_trace.json.gz
