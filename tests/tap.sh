# tap.sh - run the cases of a shell test and print TAP; sourced by bash. The caller provides the
# scratch folder $work; `failed` and `count` hold the result.
failed=0 count=0

# A `return` of an eval ends this, not check.
run_case() {
    "$@"
}

check() { # NAME COMMAND...
    local name=$1
    shift
    count=$((count + 1))
    if run_case "$@" >"$work/log" 2>&1; then
        echo "ok - $name"
    else
        echo "not ok - $name"
        sed 's/^/# /' "$work/log" | head -n 20
        failed=1
    fi
}

status() { # WANT COMMAND...: the exit status
    local want=$1 got
    shift
    "$@" >out 2>err </dev/null
    got=$?
    [ "$got" = "$want" ] || { echo "status $got, not $want"; cat err; return 1; }
}
