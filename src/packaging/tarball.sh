#!/bin/sh
# tarball.sh BUILD VERSION FOLDER - FOLDER/tracefolio-VERSION-linux-MACHINE.tar.gz from
# BUILD/tracefolio-portable, which looks for libraries beside itself: with those libraries, all but
# the C library, as Debian built them, each with its licence. Prints its path. The same build on the
# same system gives the same bytes.
set -eu
build=$(realpath "$1") version=$2 folder=$3
name=tracefolio-$version-linux-$(uname -m)
root=$build/tarball/$name
libraries=$root/lib/tracefolio
doc=$root/share/doc/tracefolio
date=$(sed -n "s/^## $version (\(.*\))$/\1/p" CHANGELOG.md)
[ -n "$date" ] || {
    echo "tarball: CHANGELOG.md has no heading for version $version" >&2
    exit 1
}

rm -rf "$build/tarball"
umask 022
unset MAKEFLAGS MAKELEVEL MFLAGS
make --no-print-directory -o "$build/tracefolio" -o "$build/packaging/tracefolio.1" B="$build" DESTDIR="$root" PREFIX= install >/dev/null
install -m 755 "$build/tracefolio-portable" "$root/bin/tracefolio"
strip --strip-unneeded "$root/bin/tracefolio"
mkdir -p "$libraries" "$doc/licences"
cp README.md CHANGELOG.md SECURITY.md NOTICE LICENSE "$doc"

# What the loader finds, with what that needs in turn. The C library and the loader belong to the
# system; everything else is copied under the name it is looked for.
ldd "$build/tracefolio-portable" | sed -n 's/^[[:space:]]*\([^ ]*\) => \(\/[^ ]*\) .*/\1 \2/p' |
    while read -r wanted path; do
        path=$(realpath "$path") # as it is packed: with /usr, or as before /lib moved there
        package=$({ dpkg-query -S "$path" || dpkg-query -S "${path#/usr}"; } 2>/dev/null | sed -n '1s/[:,].*//p')
        [ -n "$package" ] || { echo "tarball: no package has $path" >&2 && exit 1; }
        [ "$package" != libc6 ] || continue
        install -m 644 "$path" "$libraries/$wanted"
        cp -L "/usr/share/doc/$package/copyright" "$doc/licences/$package"
        # shellcheck disable=SC2016
        dpkg-query -W -f '${Package} ${Version}, of source ${source:Package} ${source:Version}\n' "$package" | head -n 1
    done >"$build/tarball/list"
{
    printf 'The files in lib/tracefolio are libraries as Debian built them, each of which can be replaced by\n'
    printf 'another build of the same interface. Their licences are in the folder licences; their sources are\n'
    printf 'in the archive of Debian 12, under these names and versions:\n\n'
    LC_ALL=C sort -u "$build/tarball/list"
} >"$doc/LIBRARIES"

file=$folder/$name.tar.gz
tar -C "$build/tarball" --sort=name --mtime="$date" --owner=0 --group=0 --numeric-owner --format=gnu -c "$name" | gzip -9n >"$file"
rm -rf "$build/tarball"
echo "$file"
