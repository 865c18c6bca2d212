# OUT THREADS: what the pages of a job with uneven all-to-all-v have besides.
tracefolio job rank?.json.gz -q -j "$2" -o "$1.all" && mkdir -p "$1/job_csvs" &&
    cp "$1.all"/job_report.md "$1.all"/groups.html "$1" && cp "$1.all"/job_csvs/*all2all* "$1/job_csvs"
