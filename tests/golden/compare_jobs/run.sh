# OUT THREADS: a job against the same job with other late ranks. Labels are names of folders.
mkdir "$1.of" && tracefolio job ../job_late_ranks/rank?.json.gz -q -j "$2" -o "$1.of/before" && tracefolio job rank?.json.gz -q -j "$2" -o "$1.of/after" &&
    tracefolio compare "$1.of/before" "$1.of/after" -q -o "$1" && rm -r "$1/assets" "$1/MANIFEST.txt"
