#!/bin/bash
# What the Makefile does for users: help, install and uninstall, a system without packages.
#
#   tests/cli/make.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
here=$(realpath "$(dirname "$0")/../..")
build=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset MAKEFLAGS MAKELEVEL MFLAGS

run_make() { make -C "$here" --no-print-directory "$@"; }

# Of a source archive git knows nothing; each clone has it.
check 'the repository keeps nothing at its top that a run has written' \
    eval '! git -C "$here" ls-files | cut -d/ -f1 | sort -u |
        grep -vxE "\..*|[A-Z]+|[A-Z]+\.md|Makefile|src|templates|assets|themes|tests|samples"'
check 'make help names what there is for users' \
    eval 'run_make help >help && for t in demo deps test install uninstall deb portable clean help; do
        grep -q "make $t\b" help || { echo "no $t"; exit 1; }; done; ! grep -q "^#" help'
check 'what install puts, uninstall removes' \
    eval 'run_make B="$build" DESTDIR="$work/root" PREFIX=/usr install && [ -x root/usr/bin/tracefolio ] &&
        [ -s root/usr/share/man/man1/tracefolio-compare.1 ] &&
        [ -s root/usr/share/zsh/vendor-completions/_tracefolio ] && [ -s root/usr/share/bash-completion/completions/tracefolio ] &&
        [ -s root/usr/share/fish/vendor_completions.d/tracefolio.fish ] && echo mine >root/usr/bin/other &&
        run_make B="$build" DESTDIR="$work/root" PREFIX=/usr uninstall && [ "$(find root -type f)" = root/usr/bin/other ]'
mkdir bin && printf '#!/bin/sh\nexit 1\n' >bin/pkg-config && chmod +x bin/pkg-config
check 'without the packages one line says make deps' \
    eval '! PATH="$work/bin:$PATH" run_make B="$work/b" >out 2>err && [ "$(cat out err | wc -l)" = 1 ] &&
        grep -q "packages are missing: run .make deps." err'
check 'and without a compiler' \
    eval '! run_make B="$work/b" CC=no-such-compiler >out 2>err && [ "$(cat out err | wc -l)" = 1 ] &&
        grep -q "make deps" err'
echo "1..$count"
exit $failed
