# OUT THREADS: the tables of the trace of two_gpus as other profilers write it, from what samples/*.py make of its trace.json.
mkdir "$1" || exit 1
read_as() { # DEVICE FILE
    tracefolio analyze "$2.gz" -p "$1" -q -j "$threads" --formats csv,json -o "$out.of" && mkdir "$out/$2" &&
        cp -r "$out.of"/{perf_report_csvs,own_tables,report.json} "$out/$2" && rm -r "$out.of"
}
out=$1 threads=$2
for format in pytorch.pftrace nsys.db jax.xplane.pb; do
    read_as H100 $format || exit 1
done
for format in rocprof.json rocprof.pftrace rpd.db rpd2tracing.json rocpd.db; do
    read_as MI300X $format || exit 1
done
read_as none ascend.json
