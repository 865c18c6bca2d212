#!/bin/bash
# steps.sh COMMAND_LINE... - run each in turn, even if an earlier one failed; those between `[` and
# `]` side by side, as many as there are processors. The last line adds up their counts; the exit
# status is not 0 if anything failed.
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

counted() { # COMMAND_LINE LOG STATUS SECONDS
    local status=$3 p='' f='' s=''
    read -r p f s < <(sed -nE \
        's/^([0-9]+) passed, ([0-9]+) failed(, ([0-9]+) skipped)?$/\1 \2 \4/p' "$2" | tail -n 1)
    if [ -z "$p" ]; then # it did not finish
        p=0 f=1
    elif [ "$status" != 0 ] && [ "$f" = 0 ]; then
        f=1
    fi
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + ${s:-0}))
    echo "== $1: status $status, $p passed, $f failed, $4 s"
}

step() { # COMMAND_LINE
    local start=$SECONDS
    echo "== $1"
    bash -c "$1" 2>&1 | tee "$log"
    counted "$1" "$log" $? $((SECONDS - start))
}

# What one of several prints is shown when it ends.
declare -A line_of=() start_of=()
one_ends() {
    local pid status
    wait -n -p pid "${!line_of[@]}"
    status=$?
    echo "== ${line_of[$pid]}"
    cat "$log.${start_of[$pid]#* }"
    counted "${line_of[$pid]}" "$log.${start_of[$pid]#* }" $status $((SECONDS - ${start_of[$pid]% *}))
    unset "line_of[$pid]" "start_of[$pid]"
}
beside() { # COMMAND_LINE
    while [ ${#line_of[@]} -ge "$(nproc)" ]; do
        one_ends
    done
    n=$((n + 1))
    bash -c "$1" >"$log.$n" 2>&1 &
    line_of[$!]=$1 start_of[$!]="$SECONDS $n"
}

n=0 run=step
for command_line; do
    case $command_line in
    '[') run=beside ;;
    ']')
        while [ ${#line_of[@]} -gt 0 ]; do
            one_ends
        done
        run=step
        ;;
    *) $run "$command_line" ;;
    esac
done
echo "$passed passed, $failed failed$([ $skipped = 0 ] || echo ", $skipped skipped")"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
