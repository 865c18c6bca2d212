#!/bin/sh
# release.sh BUILD VERSION FOLDER - FOLDER becomes a release: sources, packages, archives and wheels that
# `make release` has built, documentation, notes, the container's recipe, an SBOM, and checksums of all.
# The same commit on the same system gives the same bytes: times are the date in CHANGELOG.md.
set -eu
build=$1 version=$2 folder=$3
here=src/packaging/release
date=$(sed -n "s/^## $version (\(.*\))$/\1/p" CHANGELOG.md)
[ -n "$date" ] || {
    echo "release: CHANGELOG.md has no heading for version $version" >&2
    exit 1
}
git diff --quiet HEAD -- || {
    echo "release: the work tree differs from its commit, which the sources are of: commit first" >&2
    exit 1
}
SOURCE_DATE_EPOCH=$(date -u -d "$date" +%s)
export SOURCE_DATE_EPOCH
umask 022
rm -rf "$folder"
mkdir -p "$folder"

pack() { # PARENT NAME FILE: a folder as an archive
    tar -C "$1" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=gnu -c "$2" | gzip -9n >"$3"
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
git archive --prefix="tracefolio-$version/" HEAD | tar -x -C "$scratch"
pack "$scratch" "tracefolio-$version" "$folder/tracefolio-$version.tar.gz"

for machine in x86_64 aarch64; do
    [ "$machine" = aarch64 ] && arch=arm64 || arch=amd64
    for file in "tracefolio_${version}_$arch.deb" "tracefolio-$version-linux-$machine.tar.gz" "tracefolio-$version-py3-none-manylinux2014_$machine.whl"; do
        [ -e "build/$file" ] || {
            echo "release: build/$file is missing" >&2
            exit 1
        }
        cp "build/$file" "$folder"
    done
done
# The recipe without its first stage, which builds the package: it is here, for both processors.
# shellcheck disable=SC2016
awk '/^FROM/ { n++ } /^# tests\// { next } n != 1' src/packaging/Containerfile |
    sed 's|^# Containerfile -.*|# Containerfile - tracefolio alone, as a user without rights. From the folder of the release:|; s| -f src/packaging/Containerfile||
        s|^COPY --from=build .*|ARG TARGETARCH=amd64\nCOPY tracefolio_*_${TARGETARCH}.deb /tmp/|' >"$folder/Containerfile"
python3 $here/docs.py "$build/tracefolio" "$build/tracefolio-sample" "$version" "$date" "$scratch/tracefolio-$version-docs" >/dev/null
pack "$scratch" "tracefolio-$version-docs" "$folder/tracefolio-$version-docs.tar.gz"
{
    printf '# tracefolio %s\n' "$version"
    awk -v v="## $version " 'index($0, "## ") == 1 { on = index($0, v) == 1; next } on { sub(/^###/, "##"); print }' CHANGELOG.md |
        sed 's/\[\([^]]*\)\]([^)]*)/\1/g'
} >"$folder/RELEASE_NOTES.md"
python3 $here/sbom.py "$folder" "$version" "$date" >/dev/null
(cd "$folder" && LC_ALL=C sha256sum -- * >"$scratch/sums" && mv "$scratch/sums" SHA256SUMS)
echo "$folder: $(find "$folder" -type f | wc -l) files, $(du -sm "$folder" | cut -f 1) MB"
