# OUT THREADS: the page and tables of counters as samples/counter_trace.py writes them; of other forms their tables.
mkdir "$1" "$1.in" || exit 1
out=$1 threads=$2
counted() { # FORM FORMATS
    python3 ../../../samples/counter_trace.py "$1" "$out.in/$1.json" && tracefolio analyze "$out.in/$1.json" -p none -q -j "$threads" --formats "$2" -o "$out.of" &&
        mkdir "$out/$1" && cp -r "$out.of"/{own_tables,summary.json} "$out/$1"
}
counted torch site,csv,json && cp "$out.of/counters.html" "$out/torch" && rm -r "$out.of" && counted ascend csv,json && rm -r "$out.of" &&
    counted rpd csv,json && rm -r "$out.of" "$out.in"
