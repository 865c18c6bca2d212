# tap.sh - cases of a shell test, told as TAP; to be sourced by bash. $work is a scratch folder
# of the caller's; `failed` and `count` are what came of it.
failed=0 count=0

check() { # NAME COMMAND...
    local name=$1
    shift
    count=$((count + 1))
    if "$@" >"$work/log" 2>&1; then
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
