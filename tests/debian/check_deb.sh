#!/bin/sh
# Prove the package and the container recipe on minimal Debian 12 systems: carry out the steps of
# src/packaging/Containerfile in folders (which builds the package from this repository with
# `make deb`), analyse a trace there as its user, read its manual, and remove the package again.
#
#   tests/debian/check_deb.sh FOLDER [PACKAGE]    as root; FOLDER: an empty or absent folder. With
#                                                 PACKAGE the first half, its build, is left out
set -eu

[ $# -ge 1 ] || {
    echo "usage: tests/debian/check_deb.sh FOLDER [PACKAGE]" >&2
    exit 2
}
repository=$(cd "$(dirname "$0")/../.." && pwd)
. "$repository/tests/debian/root.sh"
make_root "$1/base"
base=$root
top=$(dirname "$base")
built=${2:+$(realpath "$2")}
stages=0 skip=

# One line of the recipe; $stage is the folder that FROM began.
step() {
    word=$1 rest=$2
    case $word in
    FROM)
        stages=$((stages + 1)) stage=$top/stage-$stages workdir=/ user=0:0
        [ -n "$built" ] && [ $stages = 1 ] && skip=yes || skip=
        [ -n "$skip" ] && return
        rm -rf "$stage"
        cp -a "$base" "$stage"
        mount_root "$stage"
        ;;
    RUN) run_in "$stage" sh -c "cd $workdir && $rest" ;;
    WORKDIR)
        workdir=$rest
        mkdir -p "$stage$rest"
        ;;
    COPY)
        case $rest in
        "--from=build "*)
            rest=${rest#* }
            [ -n "$built" ] && set -- "$built" || set -- "$top"/stage-1${rest% *}
            cp "$1" "$stage${rest##* }"
            ;;
        ". "*) git -C "$repository" archive --prefix="${rest#. /}/" HEAD | tar -x -C "$stage" ;;
        *) return 1 ;;
        esac
        ;;
    USER) user=$rest ;;
    ENTRYPOINT) entrypoint=$(echo "$rest" | tr -d '[]",') ;;
    *) return 1 ;;
    esac
}

start=$(date +%s)
while read -r word rest; do
    case $word in
    '' | '#'*) continue ;;
    esac
    [ "$word" = FROM ] || [ -z "$skip" ] || continue
    echo "$word $rest"
    step "$word" "$rest" </dev/null || {
        echo "not ok - $word $rest"
        exit 1
    }
done <"$repository/src/packaging/Containerfile"
echo "ok - the steps of the recipe: $(($(date +%s) - start)) s, $(du -sxm "$stage" | cut -f 1) MB with Debian"

failed=0
check() { # NAME COMMAND...
    name=$1
    shift
    if "$@" >"$top/log" 2>&1; then
        echo "ok - $name"
    else
        echo "not ok - $name"
        sed 's/^/# /' "$top/log"
        failed=$((failed + 1))
    fi
}
as_user() { # in /work, as who owns it: --user of the recipe
    chroot --userspec=1000:1000 "$stage" env -i HOME=/nonexistent PATH=/usr/bin:/bin \
        sh -c 'cd /work && exec "$@"' - "$@"
}
chown 1000:1000 "$stage/work"
cp "$repository/samples/residual_scale.json" "$stage/work/trace.json"
check 'the program starts' as_user "$entrypoint" --version
check 'it analyses a trace as its user' as_user "$entrypoint" analyze trace.json -p MI300X -o report
check 'the report is whole' as_user "$entrypoint" verify report
check 'without --user it says that it may not write there' sh -c "! chroot --userspec=$user '$stage' env -i sh -c 'cd /work && $entrypoint analyze trace.json -p MI300X -o mine' 2>'$top/said' && grep -q 'Permission denied' '$top/said'"
check 'the program cannot write elsewhere' sh -c "! chroot --userspec=$user '$stage' touch /etc/mine"
check 'manual pages and completions are there' sh -c "cd '$stage/usr/share' &&
    [ -s bash-completion/completions/tracefolio ] && [ -s zsh/vendor-completions/_tracefolio ] &&
    [ -s fish/vendor_completions.d/tracefolio.fish ]"
check 'what is installed is what was packed' run_in "$stage" dpkg --verify tracefolio
check 'removed, it leaves nothing' sh -c "chroot '$stage' dpkg -P tracefolio &&
    [ -z \"\$(find '$stage/usr' '$stage/etc' -xdev -name '*tracefolio*')\" ]"
exit "$((failed > 0))"
