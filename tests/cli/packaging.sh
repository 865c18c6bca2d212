#!/bin/bash
# What is delivered around the program: manual pages, completions, the Debian package, the papers.
#
#   tests/cli/packaging.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
here=$(realpath "$(dirname "$0")/../..")
build=$(realpath "$1")
if nm "$build/tracefolio" 2>/dev/null | grep -q __asan_init; then
    echo "ok - packaging # SKIP what is delivered has no sanitizer"
    echo "1..1"
    exit 0
fi
pages=$build/packaging
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset MAKEFLAGS MAKELEVEL MFLAGS
PATH=$build:$PATH

with() { # COMMAND CHECK...: the check, if the command is there
    command -v "$1" >/dev/null || { echo "# no $1: $2 is skipped"; return; }
    shift
    check "$@"
}

# Help, manual pages and completions name the same options.
options_in() { grep -oE -- '(--|-l )[a-z][a-z-]+' "$1" | sed 's/^-l /--/' | sort -u; }
tracefolio help options >help && options_in help >of_help
same_options() { # FILE
    sed 's/\\-/-/g' "$1" >text && options_in text >of_text && diff of_help of_text
}
check 'the manual page names the options of help' same_options "$pages/tracefolio.1"
check 'and so does the completion of bash' same_options "$pages/tracefolio.bash"
check 'and that of zsh' eval 'sed "s/words\[2\]//" "$pages/_tracefolio" >z && same_options z'
check 'and that of fish' same_options "$pages/tracefolio.fish"

commands() { tracefolio --help | sed -n '/^%%/q; s/^  tracefolio \([a-z][a-z-]*\).*/\1/p' | sort -u; }
page_of_each() {
    local c
    [ "$(commands | wc -l)" -ge 7 ] || return 1
    for c in $(commands); do
        grep -q "^tracefolio.-${c//-/.-} .- [a-z]" "$pages/tracefolio-$c.1" && grep -q "tracefolio.-$c (1)" "$pages/tracefolio.1" ||
            { echo "$c"; return 1; }
    done
    [ "$(find "$pages" -name '*.1' | wc -l)" = $(($(commands | wc -l) + 1)) ]
}
check 'each command has a manual page with a purpose' page_of_each
check 'a page has the options of its command alone' \
    eval 'grep -q "replay" "$pages/tracefolio-analyze.1" && ! grep -q "label..ref" "$pages/tracefolio-analyze.1" &&
        grep -q "label..ref" "$pages/tracefolio-compare.1" && ! grep -q "OPTIONS" "$pages/tracefolio-verify.1"'
check 'no text of --help is lost' \
    eval 'sed "s/\\\\-/-/g; s/\\\\e/\\\\/g" "$pages/tracefolio.1" >text &&
        grep -qx "differences that count as noise: kernel=3%,2us (per call), device=1%, wall=15%; may be repeated" text &&
        grep -q "^0 success, 1 internal error" text'
with groff 'groff has nothing to say about the pages' \
    eval 'for p in "$pages"/*.1; do groff -man -ww -z "$p" 2>&1; done >said; cat said; [ ! -s said ]'

complete_bash() { # LINE...: what follows it
    bash -c '. "$0"; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _tracefolio; printf "%s\n" "${COMPREPLY[@]}"' \
        "$pages/tracefolio.bash" "$@"
}
check 'bash completes commands, options and what follows them' \
    eval 'complete_bash tracefolio comp | grep -qx compare && complete_bash tracefolio --mat | grep -qx -- --match &&
        complete_bash tracefolio -p MI300 | grep -qx MI300X && complete_bash tracefolio --fair-style j | grep -qx jarvis &&
        [ "$(complete_bash tracefolio --model x)" = "" ]'
complete_fish() { fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$pages/tracefolio.fish" "$1"; }
with fish 'fish completes them, each with its text' \
    eval 'complete_fish "tracefolio comp" | grep -q "^compare.what differs between" &&
        complete_fish "tracefolio analyze --mat" | grep -q "^--match.how far" &&
        complete_fish "tracefolio analyze -p MI300" | grep -q "^MI300X" &&
        complete_fish "tracefolio analyze --fair-style " | grep -q "^jarvis" &&
        complete_fish "tracefolio help " | grep -q "^patterns"'
cat >zsh.rc <<END
fpath=($pages \$fpath); autoload -Uz compinit; compinit -u -D
PS1='> '
END
complete_zsh() { # LINE WANT: WANT appears on a terminal when the tabulator is pressed
    zsh -f -c 'zmodload zsh/zpty; zpty -b z zsh -f -i; zpty -w z "source $1"; sleep 1; zpty -w -n z "$2"$'"'\\t'"'
        for i in {1..200}; do sleep .1; zpty -r -t z text && all+=$text; [[ $all = $~3 ]] && exit; done; exit 1' - \
        "$work/zsh.rc" "$1" "$2"
}
with zsh 'zsh completes them' \
    eval 'complete_zsh "tracefolio comp" "*comp*are*" && complete_zsh "tracefolio analyze --mat" "*--mat*ch*"'

# The package: from what is built, twice, unpacked and run.
version=$(tracefolio --version | sed 's/.* //')
pack() { (cd "$here" && sh src/packaging/deb.sh "$build" "$version" "$work/$1"); }
mkdir one two
with dpkg-shlibdeps 'a Debian package is the same bytes each time' \
    eval 'deb=$(pack one) && pack two && diff -r one two && dpkg-deb -x "$deb" root &&
        [ "$(root/usr/bin/tracefolio --version)" = "tracefolio $version" ] && dpkg-deb -f "$deb" Depends | grep -q libcjson1 &&
        zcat root/usr/share/doc/tracefolio/NOTICE.gz | cmp - "$here/NOTICE" &&
        [ -e root/usr/share/zsh/vendor-completions/_tracefolio ] &&
        [ "$(find root -name "*.1.gz" | wc -l)" = "$(find "$pages" -name "*.1" | wc -l)" ]'

portable() { # FOLDER: the program with all that it needs, linked from what is built
    make -s -C "$here" B="$build" "$build/tracefolio-portable" "$build/launcher" >&2 &&
        (cd "$here" && sh src/packaging/portable.sh "$build" "$version" "$work/$1")
}
runs_in() { # COMMAND...: the portable program in the folder alone
    "$@" --version >said && [ "$(cat said)" = "tracefolio $version" ] && "$@" analyze trace.json -p MI300X -q -o report && "$@" verify report
}
in_root() { chroot alone /bin/tracefolio "$@"; }
if ! command -v dpkg-query >/dev/null || nm "$build/tracefolio" | grep -qE '__[at]san_init'; then
    echo 'ok - the portable folder runs on its own libraries # SKIP no dpkg, or a sanitizer'
else
    mkdir three four
    check 'the portable folder runs on its own libraries, each with its licence, the same bytes each time' \
        eval 'tgz=$(portable three) && portable four && diff -r three four && mkdir alone && tar -xz -f "$tgz" -C alone --strip-components 1 &&
            cp "$here/samples/residual_scale.json" alone/trace.json && [ -s alone/share/man/man1/tracefolio.1 ] &&
            for f in ld.so libc.so.6 libcairo.so.2 libcjson.so.1; do [ -s alone/lib/tracefolio/$f ] || return 1; done &&
            cmp alone/share/doc/tracefolio/NOTICE "$here/NOTICE" && grep -q "^libcairo2 " alone/share/doc/tracefolio/LIBRARIES && [ -s alone/share/doc/tracefolio/licences/libcairo2 ] &&
            (cd alone && runs_in bin/tracefolio) && ln -s ../alone/bin/tracefolio three/linked && (cd three && cp ../alone/trace.json . && runs_in ./linked) &&
            [ "$(env LD_LIBRARY_PATH=/nonexistent alone/bin/tracefolio --version)" = "tracefolio $version" ] && [ "$(wc -c <"$tgz")" -le 8388608 ]'
    check 'the wheel is the same bytes each time' eval 'whl=$(python3 "$here/src/packaging/wheel.py" "$tgz" "$version" "$work") && mv "$whl" first.whl &&
        whl=$(python3 "$here/src/packaging/wheel.py" "$tgz" "$version" "$work") && cmp "$whl" first.whl'
    if python3 -c 'import ensurepip' 2>/dev/null && python3 -m venv venv >/dev/null 2>&1; then
        check 'it installs without a network, and its command is on the path' \
            eval 'venv/bin/pip install -q --no-index --disable-pip-version-check "$whl" && [ "$(venv/bin/tracefolio --version)" = "tracefolio $version" ]'
        check 'its module analyses, compares, and follows a profiler without disturbing it' venv/bin/python "$here/tests/packaging/module.py" "$build"
    else
        mkdir -p unpacked && python3 -m zipfile -e "$whl" unpacked && chmod -R +x unpacked/_tracefolio
        check 'its module analyses, compares, and follows a profiler without disturbing it' env PYTHONPATH=unpacked python3 "$here/tests/packaging/module.py" "$build"
    fi
    check 'and says what is wrong if only the program was taken' \
        eval 'mkdir taken && cp alone/bin/tracefolio taken/ && ! taken/tracefolio --version 2>said && grep -q "unpack the whole archive" said'
    if [ "$(id -u)" = 0 ] && chroot / true 2>/dev/null; then
        check 'in a root that holds nothing else' eval 'rm -rf alone/report && runs_in in_root'
    else
        echo 'ok - in a root that holds nothing else # SKIP only root can make one'
    fi
fi

check 'the version has one place, and a heading in the changes' \
    eval '[ "$(grep -m 1 -oE "^## [0-9.]+" "$here/CHANGELOG.md")" = "## $version" ] &&
        [ "$(grep -rlF "\"$version\"" "$here"/Makefile "$here"/src --include=*.c --include=*.h --include=*.sh --include=*.py --include=Makefile | grep -v _test)" = "$here/src/base/version.h" ]'
named_in_notice() { # what comes from outside is in NOTICE, and what NOTICE names is there
    local f
    for f in $(sed -n 's/^BUNDLE_AS([^"]*"\([^"]*\)".*/\1/p' "$here/src/render/text/bundle.def") \
        $(cd "$here" && grep -lr 'BSD-style' assets src/perf); do
        grep -q "^  $f " "$here/NOTICE" || { echo "$f is not in NOTICE"; return 1; }
    done
    for f in $(grep -oE '^  (assets|src)/[^ ]+' "$here/NOTICE"); do
        [ -e "$here/$f" ] || { echo "$f is in NOTICE only"; return 1; }
    done
}
check 'NOTICE names what is of others' named_in_notice
licence_of_the_font() { # the text that the font itself carries
    python3 - "$here/NOTICE" <<'END'
import struct, sys
font = open('/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf', 'rb').read()
flat = lambda text: ' '.join(text.split())
for i in range(struct.unpack('>H', font[4:6])[0]):
    tag, _, at, _ = struct.unpack('>4sLLL', font[12 + 16 * i:28 + 16 * i])
    if tag != b'name':
        continue
    _, n, strings = struct.unpack('>HHH', font[at:at + 6])
    for k in range(n):
        platform, _, _, kind, size, start = struct.unpack('>6H', font[at + 6 + 12 * k:at + 18 + 12 * k])
        if (platform, kind) == (3, 13):
            text = font[at + strings + start:at + strings + start + size].decode('utf-16-be')
            sys.exit(flat(text) not in flat(open(sys.argv[1]).read()))
sys.exit('the font carries no licence')
END
}
check 'NOTICE has the licence that the font carries' licence_of_the_font
echo "1..$count"
exit $failed
