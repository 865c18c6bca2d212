#!/bin/sh
# demo.sh TRACEFOLIO_SAMPLE FOLDER DEFECT... - the traces that the commands of the README read:
# trace.json.gz with these defects, before.json.gz and after.json.gz of a change, ranks/ with a slow rank, and
# ranks-before/ without it.
set -eu
sample=$1 folder=$2
shift 2
mkdir -p "$folder"
for defect; do
    set -- "$@" --defect "$defect"
    shift
done
"$sample" "$@" -o "$folder/trace.json.gz"
"$sample" --layers 2 --steps 4 --defect slow-softmax --fix slow-softmax -o "$folder/before.json.gz"
"$sample" --layers 2 --steps 4 --defect slow-softmax -o "$folder/after.json.gz"
"$sample" --no-python --job 4 -o "$folder/ranks-before" >/dev/null
"$sample" --no-python --job 4 --plant late-compute:2=20 -o "$folder/ranks" >/dev/null
