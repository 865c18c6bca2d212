# OUT THREADS: a job of eight ranks on two nodes that the generator makes, in pairs of tensor parallelism and with eight steps: rank 5
# waits for its input in each, the clock of rank 3 is 3 ms behind.
mkdir "$1" || exit 1
tracefolio-sample --job 8 --gpus-per-node 4 --tensor 2 --steps 8 --plant late-input:5=4000 --plant clock:3=-3000 -o "$1.in" >/dev/null &&
    tracefolio job "$1.in"/*.json.gz --link-peak intra=450,inter=50 --gpus-per-node 4 -q -j "$2" -o "$1.of" &&
    cp -r "$1.of"/{job_csvs,job_report.md,late.html} "$1" && rm -r "$1"/job_csvs/nccl_{long,implicit_sync}.csv "$1.of" "$1.in"
