#!/bin/sh
# sysroot.sh FOLDER ARCH PACKAGE... - FOLDER: what is in these packages of Debian for the processor
# ARCH and in all that they depend on, to build against from another processor; with a database that
# `dpkg-query --admindir` reads. Nothing in it is run. From the archives that apt here reads; this
# machine and its own packages are left as they are. Made once: a folder that is there stays.
set -eu
folder=$1 arch=$2
shift 2
[ ! -e "$folder/var/lib/dpkg/status" ] || exit 0
rm -rf "$folder" "$folder.new"
mkdir -p "$folder.new"
root=$(realpath "$folder.new")
apt=$root/apt info=$root/var/lib/dpkg/info
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$info"
: >"$apt/status"
apt_for() {
    apt-get -q -o "APT::Architecture=$arch" -o "APT::Architectures::=$arch" -o APT::Sandbox::User=root -o "Dir::State::Lists=$apt/lists" \
        -o "Dir::State::status=$apt/status" -o "Dir::Cache=$apt/cache" -o APT::Get::List-Cleanup=0 "$@"
}
apt_for update >"$root/log" 2>&1 && apt_for --no-install-recommends --download-only -y install "$@" >>"$root/log" 2>&1 || {
    tail -n 5 "$root/log" >&2
    echo "sysroot: packages for $arch cannot be had; the archives of apt here must have them" >&2
    exit 1
}
for deb in "$apt"/cache/archives/*.deb; do
    name=$(dpkg-deb -f "$deb" Package)
    [ "$(dpkg-deb -f "$deb" Multi-Arch)" != same ] || name=$name:$arch
    dpkg-deb -x "$deb" "$root"
    dpkg-deb -e "$deb" "$root/control"
    sed '/^Package:/a Status: install ok installed' "$root/control/control" >>"$root/var/lib/dpkg/status.new"
    echo >>"$root/var/lib/dpkg/status.new"
    [ ! -e "$root/control/shlibs" ] || cp "$root/control/shlibs" "$info/$name.shlibs"
    dpkg-deb --fsys-tarfile "$deb" | tar -t | sed 's/^\.//; s/\(.\)\/$/\1/; s/^\/$/\/./' >"$info/$name.list"
    rm -rf "$root/control"
done
find "$root" -type l -lname '/*' | while read -r link; do # within it
    to=$root$(readlink "$link")
    ln -sfn "$(realpath -m -s --relative-to="$(dirname "$link")" "$to")" "$link"
done
echo 1 >"$info/format"
rm -rf "$apt" "$root/log"
mv "$root/var/lib/dpkg/status.new" "$root/var/lib/dpkg/status"
mv "$root" "$folder"
