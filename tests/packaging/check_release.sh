#!/bin/bash
# A release is whole, and the same bytes when it is built again: from a clone of its commit in another
# folder, and by the compiler alone: objects from a cache would show nothing. Takes as long as four
# builds of the program.
#
#   tests/packaging/check_release.sh RELEASE      TAP on standard output, then the counts
set -u
. "$(dirname "$0")/../tap.sh"
here=$(realpath "$(dirname "$0")/../..")
release=$(realpath "$1") || exit 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
bad=0
try() { # as check, counted
    check "$@"
    [ $failed = 0 ] || bad=$((bad + 1))
    failed=0
}
names() { # of a file for each kind and processor
    local kind
    for kind in '.tar.gz' '_amd64.deb' '_arm64.deb' '-linux-x86_64.tar.gz' '-linux-aarch64.tar.gz' 'x86_64.whl' 'aarch64.whl' \
        '-docs.tar.gz' '.spdx.json' Containerfile RELEASE_NOTES.md; do
        [ -n "$(find "$release" -name "*$kind" -size +0)" ] || { echo "no $kind"; return 1; }
    done
}
try 'it has a file of each kind' names
try 'the checksums are of all its files' eval '(cd "$release" && sha256sum -c --quiet SHA256SUMS) && [ "$(wc -l <"$release/SHA256SUMS")" = $(($(ls "$release" | wc -l) - 1)) ]'
# shellcheck disable=SC2016
sbom='
import hashlib, json, os, sys
d = json.load(open(sys.argv[1]))
ids = {"SPDXRef-DOCUMENT"} | {x["SPDXID"] for x in d["packages"] + d["files"]}
assert len(ids) == 1 + len(d["packages"]) + len(d["files"]), "an id is there twice"
for r in d["relationships"]:
    assert r["spdxElementId"] in ids and r["relatedSpdxElement"] in ids, r
for f in d["files"]:
    data = open(os.path.join(os.path.dirname(sys.argv[1]), f["fileName"]), "rb").read()
    assert {c["algorithm"]: c["checksumValue"] for c in f["checksums"]}["SHA256"] == hashlib.sha256(data).hexdigest(), f
names = [p["name"] for p in d["packages"]]
assert names.count("libcairo2") == 2 and names.count("libc6") == 2, names'
try 'the SBOM names its files, and the libraries of both processors' eval 'python3 -c "$sbom" "$release"/*.spdx.json'
try 'the documentation is whole: each link of its pages leads somewhere' eval 'tar -xz -f "$release"/*-docs.tar.gz && python3 "$here/tests/packaging/links.py" tracefolio-*-docs'
commit=$(git -C "$here" rev-parse HEAD)
again() {
    git clone -q "$here" again && git -C again checkout -q "$commit" &&
        { [ ! -e "$here/build/sysroot-arm64" ] || { mkdir again/build && { cp -al "$here/build/sysroot-arm64" again/build/ 2>/dev/null || cp -a "$here/build/sysroot-arm64" again/build/; }; }; } &&
        CCACHE_DISABLE=1 make -s -C again release >log 2>&1 || { tail -n 20 log; return 1; }
    diff again/build/release/SHA256SUMS "$release/SHA256SUMS"
}
try 'built again elsewhere, it is the same bytes' again
echo "$((count - bad)) passed, $bad failed"
exit $((bad > 0))
