#!/bin/sh
# Prove the two commands of the README on a minimal Debian 12: make one in FOLDER with
# debootstrap (once; a second run uses it again), clone this repository into it, and run
# `make demo` and `make test` there, each timed.
#
#   tests/debian/check_minimal.sh FOLDER        as root; FOLDER: an empty or absent folder
#
# The mirror, and the proxy if there is one, are those this machine's apt uses; the registry is
# that of its npm, and the certificates that its owner added are trusted.
set -eu

[ $# = 1 ] || {
    echo "usage: tests/debian/check_minimal.sh FOLDER" >&2
    exit 2
}
repository=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$1"
root=$(cd "$1" && pwd)
suite=bookworm

# The first archive of the suite that apt here reads; security and updates have other names.
mirror=$(apt-get indextargets --format '$(CODENAME) $(SUITE) $(COMPONENT) $(REPO_URI)' \
    'Created-By: Packages' |
    awk -v s="$suite" '$1 == s && $2 !~ /-/ && $3 == "main" { print $4; exit }')
[ -n "$mirror" ] || {
    echo "apt of this machine knows no archive of $suite: add one, or run apt-get update" >&2
    exit 1
}
eval "$(apt-config shell proxy Acquire::http::Proxy)"
[ -z "${proxy-}" ] || export http_proxy="$proxy"

if [ ! -e "$root/root/.made" ]; then
    debootstrap --variant=minbase --include=git,make,ca-certificates "$suite" "$root" "$mirror"
    touch "$root/root/.made"
fi
[ -z "${proxy-}" ] || echo "Acquire::http::Proxy \"$proxy\";" >"$root/etc/apt/apt.conf.d/proxy"
! command -v npm >/dev/null || {
    echo "registry=$(npm config get registry 2>/dev/null)"
    echo "cafile=/etc/ssl/certs/ca-certificates.crt"
} >"$root/root/.npmrc"
cp -r /usr/local/share/ca-certificates/. "$root/usr/local/share/ca-certificates/"
chroot "$root" update-ca-certificates >/dev/null 2>&1
cp /etc/resolv.conf "$root/etc/resolv.conf"
echo "$(du -sm "$root" | cut -f 1) MB, $(chroot "$root" dpkg-query -f . -W | wc -c) packages"

leave() { # undone on every way out, or removing the folder would empty the machine's /dev
    for place in dev proc; do
        ! mountpoint -q "$root/$place" || umount -R "$root/$place"
    done
}
trap leave EXIT
trap 'exit 1' INT TERM
mount --rbind /proc "$root/proc"
mount --make-rslave "$root/proc"
mount --rbind /dev "$root/dev"
mount --make-rslave "$root/dev"

rm -rf "$root/root/tracefolio"
git clone -q "$repository" "$root/root/tracefolio"

failed=0
for target in ${TARGETS:-demo test}; do
    start=$(date +%s)
    if chroot "$root" env -i HOME=/root TERM=dumb PATH=/usr/sbin:/usr/bin:/sbin:/bin \
        sh -c "cd /root/tracefolio && make $target"; then
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
