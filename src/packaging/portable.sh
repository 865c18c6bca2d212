#!/bin/sh
# portable.sh BUILD VERSION FOLDER [SYSROOT MACHINE] - FOLDER/tracefolio-VERSION-linux-MACHINE.tar.gz: the program
# BUILD/tracefolio-portable with its libraries, C library and loader, as Debian built them, each with
# its licence, and BUILD/launcher, which starts it on these. Prints its path. The same build on the
# same system gives the same bytes. SYSROOT: of sysroot.sh, for the processor MACHINE.
set -eu
build=$(realpath "$1") version=$2 folder=$3 sysroot=${4:+$(realpath "$4")} machine=${5:-$(uname -m)}
strip=${sysroot:+$machine-linux-gnu-}strip
query() { dpkg-query ${sysroot:+"--admindir=$sysroot/var/lib/dpkg"} "$@"; }
name=tracefolio-$version-linux-$machine
root=$build/portable/$name
libraries=$root/lib/tracefolio
doc=$root/share/doc/tracefolio
date=$(sed -n "s/^## $version (\(.*\))$/\1/p" CHANGELOG.md)
[ -n "$date" ] || {
    echo "portable: CHANGELOG.md has no heading for version $version" >&2
    exit 1
}

rm -rf "$build/portable"
umask 022
unset MAKEFLAGS MAKELEVEL MFLAGS
make --no-print-directory -o "$build/launcher" -o "$build/packaging/tracefolio.1" B="$build" INSTALLED="$build/launcher" DESTDIR="$root" PREFIX= install >/dev/null
mkdir -p "$libraries" "$doc/licences"
install -m 755 "$build/tracefolio-portable" "$libraries/tracefolio"
"$strip" --strip-unneeded "$libraries/tracefolio"
cp README.md CHANGELOG.md SECURITY.md NOTICE LICENSE "$doc"

sh src/packaging/libraries.sh "$build/tracefolio-portable" "$sysroot" >"$build/portable/found"
while read -r wanted path package; do
    install -m 755 "$path" "$libraries/$wanted"
    cp -L "$sysroot/usr/share/doc/$package/copyright" "$doc/licences/$package"
    # shellcheck disable=SC2016
    query -W -f '${Package} ${Version}, of source ${source:Package} ${source:Version}\n' "$package" | head -n 1
done <"$build/portable/found" >"$build/portable/list"
{
    printf 'The files in lib/tracefolio are libraries as Debian built them, each of which can be replaced by\n'
    printf 'another build of the same interface. Their licences are in the folder licences; their sources are\n'
    printf 'in the archive of Debian 12, under these names and versions:\n\n'
    LC_ALL=C sort -u "$build/portable/list"
} >"$doc/LIBRARIES"

file=$folder/$name.tar.gz
tar -C "$build/portable" --sort=name --mtime="$date" --owner=0 --group=0 --numeric-owner --format=gnu -c "$name" | gzip -9n >"$file"
rm -rf "$build/portable"
echo "$file"
