#!/bin/bash
# steps.sh COMMAND_LINE... - run each in turn, even if an earlier one failed. The last line adds up
# their counts; the exit status is not 0 if anything failed.
set -u -o pipefail
scratch=$(mktemp -d)
log=$scratch/log
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0 skipped=0

# A python3 that is a wrapper, like pyenv's, takes longer to find its Python than most tests run:
# what it finds is called directly.
if python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null) && [ -n "$python" ]; then
    mkdir "$scratch/bin"
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$python" >"$scratch/bin/python3"
    chmod +x "$scratch/bin/python3"
    export PATH=$scratch/bin:$PATH
fi

step() { # COMMAND_LINE
    local start=$SECONDS status p='' f='' s=''
    echo "== $1"
    bash -c "$1" 2>&1 | tee "$log"
    status=$?
    read -r p f s < <(sed -nE \
        's/^([0-9]+) passed, ([0-9]+) failed(, ([0-9]+) skipped)?$/\1 \2 \4/p' "$log" | tail -n 1)
    if [ -z "$p" ]; then # it did not finish
        p=0 f=1
    elif [ "$status" != 0 ] && [ "$f" = 0 ]; then
        f=1
    fi
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + ${s:-0}))
    echo "== $1: status $status, $p passed, $f failed, $((SECONDS - start)) s"
}

for command_line; do
    step "$command_line"
done
echo "$passed passed, $failed failed$([ $skipped = 0 ] || echo ", $skipped skipped")"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
