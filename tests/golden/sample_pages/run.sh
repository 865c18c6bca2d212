# OUT THREADS: pages that small traces do not have, of two samples that the generator makes: layers, long tables, trees over pages.
mkdir "$1" "$1.in" || exit 1
out=$1 threads=$2
pages_of() { # NAME PAGE...: of $out.in/NAME.json
    local name=$1
    shift
    tracefolio analyze "$out.in/$name.json" -q -j "$threads" --formats site,csv -o "$out.of" && mkdir "$out/$name" &&
        (cd "$out.of" && cp -r own_tables "$@" "$out/$name") && rm -r "$out.of"
}
tracefolio-sample --kind serving --layers 2 -o "$out.in/serving.json" &&
    tracefolio-sample --kind cnn-training --device H100 --layers 3 --steps 3 --defect exposed-allreduce --defect conv-transposes -o "$out.in/cnn.json" &&
    pages_of serving layers.html tree.html tree-calls.html operations-by-count.html kernels-by-count.html category-generated.html &&
    pages_of cnn layers.html operations-by-count.html tree-operations.html && rm -r "$out.in"
