#!/bin/sh
# deb.sh BUILD VERSION FOLDER [SYSROOT ARCH] - FOLDER/tracefolio_VERSION_ARCH.deb from BUILD/tracefolio, its
# manual pages and completions; prints its path. The same build gives the same bytes: dates are that
# of the release in CHANGELOG.md. SYSROOT: of sysroot.sh, for another processor.
set -eu
build=$(realpath "$1") version=$2 folder=$3 sysroot=${4:+$(realpath "$4")} arch=${5:-$(dpkg --print-architecture)}
strip=strip
[ -z "$sysroot" ] || strip=$(dpkg-architecture -a"$arch" -qDEB_HOST_GNU_TYPE 2>/dev/null)-strip
root=$build/package
doc=$root/usr/share/doc/tracefolio
author='The tracefolio authors <tracefolio@packages.invalid>'
date=$(sed -n "s/^## $version (\(.*\))$/\1/p" CHANGELOG.md)
[ -n "$date" ] || {
    echo "deb: CHANGELOG.md has no heading for version $version" >&2
    exit 1
}
SOURCE_DATE_EPOCH=$(date -u -d "$date" +%s)
export SOURCE_DATE_EPOCH

rm -rf "$root"
umask 022
unset MAKEFLAGS MAKELEVEL MFLAGS
make --no-print-directory -o "$build/tracefolio" -o "$build/packaging/tracefolio.1" B="$build" DESTDIR="$root" PREFIX=/usr install >/dev/null
"$strip" --strip-unneeded --remove-section=.comment --remove-section=.note "$root/usr/bin/tracefolio"
gzip -9n "$root"/usr/share/man/man1/*.1
mkdir -p "$doc"
cp README.md SECURITY.md "$doc"
gzip -9nc NOTICE >"$doc/NOTICE.gz"

# The changes of this release, as Debian writes them.
{
    printf 'tracefolio (%s) bookworm; urgency=medium\n\n' "$version"
    awk -v v="## $version " 'index($0, "## ") == 1 { on = index($0, v) == 1; next }
        on && /^- / { print item; item = $0; next } on && NF { sub(/^ */, ""); item = item " " $0 }
        END { print item }' CHANGELOG.md | sed -n 's/`//g; s/^- //p' | fold -s -w 72 |
        awk '{ sub(/ *$/, ""); print (new ? "    " : "  * ") $0; new = !/[.]$/ }'
    printf '\n -- %s  %s\n' "$author" "$(LC_ALL=C date -u -R -d "$date")"
} | gzip -9n >"$doc/changelog.gz"

# LICENSE, then what NOTICE says of others, in the form of Debian.
{
    printf 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n'
    printf 'Upstream-Name: tracefolio\nComment: Parts of others that are inside the program: see NOTICE.gz.\n\n'
    printf 'Files: *\nCopyright: %s The tracefolio authors\nLicense: Expat\n' "${date%%-*}"
    sed '1,4d; s/^$/./; s/^/ /' LICENSE
} >"$doc/copyright"

# Libraries, as dpkg finds them in the program.
scratch=$build/package.shlibs
mkdir -p "$scratch/debian"
printf 'Source: tracefolio\n\nPackage: tracefolio\nArchitecture: any\n' >"$scratch/debian/control"
if [ -z "$sysroot" ]; then
    depends=$(cd "$scratch" && dpkg-shlibdeps -O "$root/usr/bin/tracefolio" 2>/dev/null |
        sed -n 's/^shlibs:Depends=//p')
else # dpkg-shlibdeps knows this machine alone: what each package says is needed for its libraries
    depends=$(readelf -dW "$root/usr/bin/tracefolio" | sed -n 's/.*(NEEDED).*\[\(.*\)\.so\.\(.*\)\]/\1 \2/p' | while read -r name major; do
        cat "$sysroot"/var/lib/dpkg/info/*.shlibs | awk -v n="$name" -v m="$major" '$1 == n && $2 == m { $1 = $2 = ""; print substr($0, 3); exit }'
    done | LC_ALL=C sort -u | paste -s -d , | sed 's/,/, /g')
fi
[ -n "$depends" ]

mkdir "$root/DEBIAN"
(cd "$root" && find usr -type f | LC_ALL=C sort | xargs md5sum) >"$root/DEBIAN/md5sums"
cat >"$root/DEBIAN/control" <<END
Package: tracefolio
Version: $version
Architecture: $arch
Maintainer: $author
Installed-Size: $(du -k -s --apparent-size "$root/usr" | cut -f 1)
Depends: $depends
Recommends: openssh-client
Section: devel
Priority: optional
Description: analyses GPU profiler traces and writes the report as a website
 Reads traces of torch.profiler and says where the GPU time goes, what to do
 first, and what it would save: as a folder that is a website, as markdown,
 CSV tables, a workbook and JSON. Compares captures, with conditions that can
 fail a build, and finds the ranks that hold up a job of many GPUs.
 .
 Pages need no server and no network.
END
package=$folder/tracefolio_${version}_$arch.deb
dpkg-deb --root-owner-group --uniform-compression -Zxz --build "$root" "$package" >/dev/null
rm -rf "$root" "$scratch"
echo "$package"
