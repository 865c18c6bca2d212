#!/bin/sh
# Prove the two commands of the README on a minimal Debian 12: make one in FOLDER with
# debootstrap (once; a second run uses it again), clone this repository into it, and run
# `make demo` and `make test` there, each timed.
#
#   tests/debian/check_minimal.sh FOLDER        as root; FOLDER: an empty or absent folder
set -eu

[ $# = 1 ] || {
    echo "usage: tests/debian/check_minimal.sh FOLDER" >&2
    exit 2
}
repository=$(cd "$(dirname "$0")/../.." && pwd)
. "$repository/tests/debian/root.sh"
make_root "$1" git,make
mount_root "$root"

rm -rf "$root/root/tracefolio"
git clone -q "$repository" "$root/root/tracefolio"

failed=0
for target in ${TARGETS:-demo test}; do
    start=$(date +%s)
    if run_in "$root" sh -c "cd /root/tracefolio && make $target"; then
        result=ok
    else
        result="not ok"
        failed=$((failed + 1))
    fi
    echo "$result - make $target on a minimal Debian 12: $(($(date +%s) - start)) s"
    summary="${summary-}$target $(($(date +%s) - start)) s ($result); "
done
echo "minimal Debian 12: $summary"
exit "$((failed > 0))"
