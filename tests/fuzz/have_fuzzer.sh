#!/bin/sh
# have_fuzzer.sh PACKAGE... - status 0 where clang links a fuzzer, with its sanitizers, and the
# fuzzer starts; else the packages are installed and it is tried once more. Says why not.
here=$(dirname "$0")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

links() {
    command -v clang >"$work/log" 2>&1 || { echo 'clang is not there' >"$work/log"; return 1; }
    echo 'int LLVMFuzzerTestOneInput(const char *p, unsigned long n); int
        LLVMFuzzerTestOneInput(const char *p, unsigned long n) { return !p && n; }' |
        clang -fsanitize=fuzzer,address,undefined -x c - -o "$work/fuzzer" >"$work/log" 2>&1 &&
        "$work/fuzzer" -runs=1 >"$work/log" 2>&1
}

links && exit 0
"$here/../../.ci/deps" "$@" && links && exit 0
sed 's/^/# /' "$work/log" | head -n 5
exit 1
