# root.sh - a minimal Debian 12 in a folder; sourced by sh, with set -eu. Needs root and debootstrap.
#
# The mirror, and the proxy if there is one, are those this machine's apt uses; the registry is
# that of its npm, and the certificates that its owner added are trusted.
suite=bookworm
mounted=

# make_root FOLDER: once; a second run uses it again. Sets $root.
make_root() {
    # The first archive of the suite that apt here reads; security and updates have other names.
    mirror=$(apt-get indextargets --format '$(CODENAME) $(SUITE) $(COMPONENT) $(REPO_URI)' \
        'Created-By: Packages' |
        awk -v s="$suite" '$1 == s && $2 !~ /-/ && $3 == "main" { print $4; exit }')
    [ -n "$mirror" ] || {
        echo "apt of this machine knows no archive of $suite: add one, or run apt-get update" >&2
        exit 1
    }
    mkdir -p "$1"
    root=$(cd "$1" && pwd)
    eval "$(apt-config shell proxy Acquire::http::Proxy)"
    [ -z "${proxy-}" ] || export http_proxy="$proxy"
    if [ ! -e "$root/root/.made" ]; then
        debootstrap --variant=minbase "--include=ca-certificates${2+,$2}" "$suite" "$root" "$mirror"
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
}

leave_roots() { # on every way out, or removing a folder would empty the machine's /dev
    for place in $mounted; do
        ! mountpoint -q "$place" || umount -R "$place"
    done
    mounted=
}
trap leave_roots EXIT
trap 'exit 1' INT TERM

# mount_root FOLDER: /proc and /dev of this machine, until the end.
mount_root() {
    for place in dev proc; do
        mounted="$1/$place $mounted"
        mount --rbind "/$place" "$1/$place"
        mount --make-rslave "$1/$place"
    done
}

# run_in FOLDER COMMAND...: in an environment of its own.
run_in() {
    inside=$1
    shift
    chroot "$inside" env -i HOME=/root TERM=dumb PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"
}
