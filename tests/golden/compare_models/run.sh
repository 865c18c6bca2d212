# OUT THREADS: training with two residual blocks against three whose all-reduces are exposed and whose layouts are changed, and
# prefill against a compiled one with a slow host and falling clocks; samples that the generator makes.
mkdir "$1" || exit 1
out=$1
compared() { # NAME: of $out.1.json and $out.2.json
    tracefolio compare "$out.1.json" "$out.2.json" --label-ref before --label-cand after -q -j "$threads" -o "$out.of" && mkdir "$out/$1" &&
        cp "$out.of"/compare_csvs/compare_*.csv "$out.of"/{comparative_analysis_rough.md,comparison_data.json} "$out/$1" && rm -r "$out.of" "$out".[12].json
}
threads=$2
tracefolio-sample --kind cnn-training --device H100 --layers 2 --steps 3 -o "$out.1.json" &&
    tracefolio-sample --kind cnn-training --device H100 --layers 3 --steps 3 --defect exposed-allreduce --defect conv-transposes -o "$out.2.json" &&
    compared training &&
    tracefolio-sample --kind healthy --layers 2 --steps 3 -o "$out.1.json" &&
    tracefolio-sample --kind healthy --layers 3 --steps 3 --defect compiled --defect host-bound --defect slow-clocks -o "$out.2.json" &&
    compared compiled
