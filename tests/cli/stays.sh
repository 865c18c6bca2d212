#!/bin/bash
# What 1.0.0 promises stays: commands, options, exit statuses, members of documents, ids of patterns
# and columns of tables. stays.txt is the list of that release; each of its lines must still be true.
#
#   tests/cli/stays.sh BUILD            TAP on standard output
#   tests/cli/stays.sh BUILD --list     what is there today, to add to stays.txt with a release
set -u
. "$(dirname "$0")/../tap.sh"
here=$(realpath "$(dirname "$0")/../..")
build=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
PATH=$build:$PATH

# shellcheck disable=SC2016
members='
import glob, json, os, sys
def walk(node, schema, at):
    while "$ref" in node:
        _, group, key = node["$ref"].split("/")
        node = schema[group][key]
    for name in node.get("required", []):
        yield at + name
    for name, member in node.get("properties", {}).items():
        if at.count(".") < 6:
            yield from walk(member, schema, at + name + ".")
    if isinstance(node.get("items"), dict) and at.count(".") < 6:
        yield from walk(node["items"], schema, at[:-1] + "[].")
for path in sorted(glob.glob(sys.argv[1] + "/assets/schemas/*.json")):
    schema = json.load(open(path))
    for at in sorted(set(walk(schema, schema, ""))):
        print("member", os.path.basename(path)[:-len(".schema.json")], at)'
today() {
    tracefolio help | sed -n 's/^  tracefolio \([a-z][a-z-]*\).*/command \1/p' | sort -u
    tracefolio help options | grep -oE -- '--[a-z][a-z-]+' | sed 's/^/option /' | sort -u
    sed -n '/^| exit status/,/^$/s/^| \([0-9]*\) |.*/status \1/p' "$here/README.md"
    tracefolio patterns | awk 'NR > 1 { print "pattern", $1 }' | sort -u
    python3 -c "$members" "$here"
    tracefolio-sample --layers 1 --steps 2 -o t.json.gz && tracefolio analyze t.json.gz -q -o rep || return 1
    for f in rep/perf_report_csvs/*.csv rep/own_tables/*.csv; do
        head -n 1 "$f" | sed "s|^|columns ${f#rep/} |; s/\r//"
    done
}
today >now || exit 1
[ "${2-}" != --list ] || { cat now; exit 0; }
kept() { # LIST NOW: every line of the list is there; columns may have others behind them
    grep -v '^columns' "$1" | LC_ALL=C sort >was && grep -v '^columns' "$2" | LC_ALL=C sort >is && LC_ALL=C comm -23 was is >lost
    grep '^columns' "$1" | while IFS= read -r line; do
        grep -qxF -- "$line" "$2" || grep -qF -- "$line," "$2" || echo "$line"
    done >>lost
    [ ! -s lost ] || { cat lost; return 1; }
}
list=$here/tests/cli/stays.txt
check 'what 1.0.0 promises is there' kept "$list" now
check 'of all kinds' eval '[ "$(cut -d " " -f 1 "$list" | sort -u | tr "\n" " ")" = "columns command member option pattern status " ]'
for kind in command option status pattern member columns; do
    check "a lost $kind is noticed" eval '! { n=$(grep -n -m 1 "^$kind" now | cut -d : -f 1) && sed "${n}d" now >less && kept "$list" less; }'
done
echo "1..$count"
exit "$failed"
