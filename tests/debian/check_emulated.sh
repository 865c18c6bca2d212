#!/bin/bash
# The portable folder for arm64, run here: in a root that holds nothing but a static busybox, by
# qemu-user through binfmt_misc (registered for the time of this test where it is not). Its reports
# are those of the program built for this machine, byte by byte but for how files are compressed.
#
#   tests/debian/check_emulated.sh BUILD ARCHIVE      as root; TAP on standard output, then the counts
set -u
. "$(dirname "$0")/../tap.sh"
here=$(realpath "$(dirname "$0")/../..")
[ $# = 2 ] || { echo "usage: tests/debian/check_emulated.sh BUILD ARCHIVE" >&2; exit 2; }
build=$(realpath "$1") archive=$(realpath "$2")
work=$(mktemp -d) binfmt=/proc/sys/fs/binfmt_misc mine=
cleanup() {
    [ -z "$mine" ] || echo -1 >$binfmt/tracefolio-arm64
    rm -rf "$work"
}
trap cleanup EXIT
cd "$work" || exit 1
skip() {
    echo "ok - the portable folder for arm64 # SKIP $1"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
}
[ "$(id -u)" = 0 ] || skip 'only root can make a root'
qemu=$(command -v qemu-aarch64-static) || skip 'not installed: qemu-user-static of Debian'
grep -qs '^enabled' $binfmt/qemu-aarch64 $binfmt/tracefolio-arm64 || {
    [ -e $binfmt/register ] || mount -t binfmt_misc none $binfmt 2>/dev/null || skip 'this kernel has no binfmt_misc'
    printf ':tracefolio-arm64:M::\\x7fELF\\x02\\x01\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x02\\x00\\xb7\\x00:\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xfe\\xff\\xff\\xff:%s:F' "$qemu" >$binfmt/register ||
        skip 'binfmt_misc cannot be changed'
    mine=yes
}
mkdir root && tar -xz -f "$archive" -C root --strip-components 1 || exit 1
"$build/tracefolio-sample" --layers 1 --steps 2 --defect item-sync --defect slow-softmax -o root/trace.json.gz &&
    "$build/tracefolio-sample" --layers 1 --steps 2 -o root/other.json.gz &&
    "$build/tracefolio-sample" --no-python --job 2 -o root/ranks >/dev/null && mkdir -p root/bin root/tmp || exit 1
for p in /bin/busybox /usr/bin/busybox; do [ ! -e $p ] || cp $p root/bin/busybox; done
arm() { chroot root /bin/tracefolio "$@"; }
try() { check "$@" | tee -a results; count=$((count + 1)); } # a pipe counts in a shell of its own
local_one() { (cd root && "$build/tracefolio" "$@"); }
try 'it is of arm64, and at most 8 MB' eval '[ "$(od -An -t x1 -j 18 -N 1 root/lib/tracefolio/tracefolio | tr -d " ")" = b7 ] && [ "$(wc -c <"$archive")" -le 8388608 ]'
try 'it starts' eval 'arm --version >said && "$build/tracefolio" --version | cmp - said'
# shellcheck disable=SC2016
pixels='
import struct, sys, zlib
for path in sys.argv[1:]:
    data, at, packed = open(path, "rb").read(), 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        packed += data[at + 8:at + 8 + size] if kind == b"IDAT" else b""
        at += 12 + size
    open(path, "wb").write(data[8:33] + zlib.decompress(packed))'
unpacked() { # FOLDER: what is compressed, which ISA-L does differently on each processor, as what it holds;
    # and pages without the sizes and digests of such files
    local f
    rm "$1/MANIFEST.txt"
    find "$1" \( -name '*.html' -o -name '*.md' \) -exec sed -i -E 's/[0-9.]+[^0-9<]{1,6}[KM]iB/SIZE/g; s/"hash">[0-9a-f]{64}/"hash">/g' {} +
    find "$1" -name '*.png' -exec python3 -c "$pixels" {} +
    find "$1" -name '*.gz' -exec gzip -d {} +
    find "$1" -name '*.xlsx' -o -name '*.zip' | while read -r f; do mkdir "$f.d" && unzip -q "$f" -d "$f.d" && rm "$f"; done
}
same() { # COMMAND ARGUMENTS..., into a folder: the same bytes as here, once unpacked
    rm -rf root/arm root/here
    arm "$@" -o arm -q && arm verify arm && local_one "$@" -o here -q && unpacked root/arm && unpacked root/here &&
        diff -r root/arm root/here >differs || { head -n 5 differs; return 1; }
}
try 'it analyses a trace, with charts, workbook and packages: the same as on this processor' same analyze trace.json.gz --all-pictures
try 'it compares: the same' same compare other.json.gz trace.json.gz
try 'it joins ranks: the same' same job ranks
try 'it writes the demo, and verifies it' eval 'arm demo -o demo -q && arm verify demo'
bad=$(grep -c '^not ok' results)
echo "$((count - bad)) passed, $bad failed"
exit $((bad > 0))
