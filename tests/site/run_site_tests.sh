#!/bin/sh
# run_site_tests.sh BUILD SHARED - write the sites of samples and of shared traces, and test them.
#
# Needs chromium-headless-shell (or all of Chromium, in twice the time), node 18, npm and java;
# playwright-core, axe-core, vnu-jar and lighthouse come from npm at the versions of package.json,
# into BUILD/site-tools. Where one is missing and cannot be installed it says so, and ends with 0:
# SITE_TESTS=required makes that 1, and SITE_TESTS=no asks for none. CHROMIUM names another browser.
set -eu
build=$(cd "$1" && pwd)
shared=${2:-}
here=$(cd "$(dirname "$0")" && pwd)
program=$build/tracefolio
sample=$build/tracefolio-sample
tools=$build/site-tools
work=$build/site-tests
export CHROMIUM="${CHROMIUM:-$(command -v chromium-headless-shell || command -v chromium || command -v chromium-browser || command -v google-chrome || echo none)}"

give_up() {
    echo "site tests: skipped: $1"
    [ "${SITE_TESTS:-}" = required ] && exit 1
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
}

[ "${SITE_TESTS:-}" != no ] || give_up "SITE_TESTS=no"
[ -x "$CHROMIUM" ] || give_up "chromium is missing (Debian: apt-get install chromium-headless-shell)"
for tool in node npm java; do
    command -v $tool >/dev/null ||
        give_up "$tool is missing (Debian: apt-get install nodejs npm default-jre-headless)"
done
case $(node --version) in
v[0-9].* | v1[0-7].*) give_up "node $(node --version) is too old: 18 is needed" ;;
esac

mkdir -p "$tools"
if ! cmp -s "$here/package.json" "$tools/package.json" || [ ! -d "$tools/node_modules/lighthouse" ]; then
    rm -rf "$tools/node_modules"
    cp "$here/package.json" "$tools/package.json"
    (cd "$tools" && PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm install --no-audit --no-fund --loglevel=error >npm.log 2>&1) || {
        rm -f "$tools/package.json"
        tail -5 "$tools/npm.log"
        give_up "npm cannot install playwright-core, axe-core, vnu-jar and lighthouse"
    }
fi

rm -rf "$work"
mkdir -p "$work/sites" "$work/traces"
sites=

# site NAME TRACE
site() {
    echo "site $1"
    "$program" analyze "$2" -p MI300X -o "$work/sites/$1" -q
    sites="$sites $1=$2"
}

# sample NAME OPTION...
sample() {
    name=$1
    shift
    "$sample" "$@" -o "$work/traces/$name.json.gz" >/dev/null
    site "$name" "$work/traces/$name.json.gz"
}

sample llm --defect unfused-attention --defect skinny-gemm --defect item-sync
sample cnn --kind cnn-training --defect conv-transposes --defect exposed-allreduce
sample serving --kind serving --no-shapes
sample no-python --kind moe --no-python
sample hostile --hostile --defect unfused-attention
sample no-device --empty
sample events-100k --kind llm-decode --events 100000
sample events-1m --kind llm-decode --events 1000000
echo '{"traceEvents": []}' >"$work/traces/empty.json"
site empty "$work/traces/empty.json"
for name in xdit-sd35-mi300 qwen-0.5b-mi300 resnet-ckpt-mi300 gpu-only-mi210 ddp-ncclmeta-a100 samfast-graphs-a100; do
    trace=$shared/traces/$name.json.gz
    if [ -n "$shared" ] && [ -f "$trace" ]; then
        site "$name" "$(cd "$(dirname "$trace")" && pwd)/$name.json.gz"
    else
        echo "skipped - the site of $name: no such trace here"
    fi
done

# Of comparisons there is no trace.
comparison() { # NAME REFERENCE CANDIDATE
    echo "site $1"
    "$program" compare "$2" "$3" -o "$work/sites/$1" -q
    sites="$sites $1="
}
comparison comparison "$work/traces/hostile.json.gz" "$work/traces/llm.json.gz"

# shellcheck disable=SC2086  # names of ours, parted by spaces
node "$here/site_tests.mjs" --tools "$tools" --program "$program" --work "$work" $sites
