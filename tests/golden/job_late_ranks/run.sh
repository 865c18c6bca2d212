# OUT THREADS: all that a job of four ranks writes but what every site has in common.
tracefolio job rank?.json.gz --link-peak intra=450,inter=50 -q -j "$2" -o "$1" && rm -r "$1/assets" "$1/MANIFEST.txt"
