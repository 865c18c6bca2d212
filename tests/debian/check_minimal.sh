#!/bin/sh
# Prove the README on a minimal Debian 12: make one in FOLDER with debootstrap (once; a
# second run uses it again), clone this repository into it, and run `make demo`, then every
# other command of the README in order (readme_commands.sh), and `make test` there, each timed.
# TARGETS="demo readme" leaves out the last.
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
for target in ${TARGETS:-demo readme test}; do
    start=$(date +%s)
    [ "$target" = readme ] && run="PATH=/usr/local/bin:\$PATH tests/debian/readme_commands.sh" || run="make $target"
    if run_in "$root" sh -c "cd /root/tracefolio && $run"; then
        result=ok
    else
        result="not ok"
        failed=$((failed + 1))
    fi
    echo "$result - $run on a minimal Debian 12: $(($(date +%s) - start)) s"
    summary="${summary-}$target $(($(date +%s) - start)) s ($result); "
done
echo "minimal Debian 12: $summary"
exit "$((failed > 0))"
