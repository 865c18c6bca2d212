#!/bin/sh
# libraries.sh PROGRAM [SYSROOT] - the loader of PROGRAM and the shared libraries that it needs, with
# those that they need in turn: a line each of name, path and package. SYSROOT: of sysroot.sh, if
# the program is for another processor.
set -eu
program=$1 root=${2-}
query() { dpkg-query ${root:+"--admindir=$root/var/lib/dpkg"} "$@"; }
loader=$(readelf -lW "$program" | sed -n 's/.*interpreter: \(.*\)]/\1/p')
triplet=$(readelf -hW "$program" | sed -n 's/ *Machine: *//p' | sed 's/Advanced Micro Devices X86-64/x86_64/; s/AArch64/aarch64/')-linux-gnu

line() { # NAME PATH
    path=$(realpath "$2") # as it is packed: with /usr, or as before /lib moved there
    path=${path#"$root"}
    package=$({ query -S "$path" || query -S "${path#/usr}" || query -S "/usr$path"; } 2>/dev/null | sed -n '1s/[:,].*//p')
    [ -n "$package" ] || { echo "libraries: no package has $path" >&2 && exit 1; }
    echo "$1 $root$path $package"
}
line ld.so "$root$loader"
known=" ${loader##*/} " queue=$program
while [ -n "$queue" ]; do
    next=
    for file in $queue; do
        for name in $(readelf -dW "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
            case $known in *" $name "*) continue ;; esac
            known="$known$name "
            for folder in "/usr/lib/$triplet" "/lib/$triplet" /usr/lib /lib; do
                [ ! -e "$root$folder/$name" ] || break
            done
            line "$name" "$root$folder/$name"
            next="$next $root$folder/$name"
        done
    done
    queue=$next
done
