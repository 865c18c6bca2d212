#!/bin/sh
# Prove the portable folder on a minimal Debian 12, which has none of its libraries: unpack it and
# analyse a trace there as a user without rights.
#
#   tests/debian/check_portable.sh FOLDER ARCHIVE     as root; FOLDER: an empty or absent folder, or
#                                                    one that check_deb.sh has left
set -eu

[ $# = 2 ] || {
    echo "usage: tests/debian/check_portable.sh FOLDER ARCHIVE" >&2
    exit 2
}
repository=$(cd "$(dirname "$0")/../.." && pwd)
archive=$(realpath "$2")
. "$repository/tests/debian/root.sh"
make_root "$1/base"
mount_root "$root" # where it lies itself, the loader asks /proc
work=$root/tmp/portable
rm -rf "$work"
mkdir -p "$work"
tar -x -z -f "$archive" -C "$work" --strip-components 1
cp "$repository/samples/residual_scale.json" "$work/trace.json"
chown -R 1000:1000 "$work"
as_user() {
    chroot --userspec=1000:1000 "$root" env -i HOME=/nonexistent PATH=/usr/bin:/bin sh -c 'cd /tmp/portable && exec "$@"' - "$@"
}

failed=0
check() { # NAME COMMAND...
    name=$1
    shift
    if "$@" >"$root/tmp/log" 2>&1; then
        echo "ok - $name"
    else
        echo "not ok - $name"
        sed 's/^/# /' "$root/tmp/log"
        failed=$((failed + 1))
    fi
}
check 'a minimal system lacks its libraries' sh -c "! chroot '$root' dpkg-query -W -f '\${Version}' libcairo2 libcjson1 libisal2 liblua5.4-0 2>/dev/null | grep -q ."
check 'the program starts' as_user bin/tracefolio --version
check 'it analyses a trace, with charts, workbook and packages' as_user bin/tracefolio analyze trace.json -p MI300X -o report
check 'the report is whole' as_user bin/tracefolio verify report
check 'each library has its licence' sh -c "[ -s '$work/share/doc/tracefolio/licences/libcairo2' ] &&
    [ \"\$(grep -c ', of source ' '$work/share/doc/tracefolio/LIBRARIES')\" = \"\$(ls '$work/share/doc/tracefolio/licences' | wc -l)\" ]"
echo "portable: $(du -k "$archive" | cut -f 1) kB, unpacked $(du -sk "$work/bin" "$work/lib" "$work/share" | awk '{ n += $1 } END { print n }') kB"
rm -rf "$work" "$root/tmp/log" "$root/tmp/found"
exit "$((failed > 0))"
