#!/bin/bash
# `tracefolio job` on made-up jobs: who is named and why, and that no split changes a byte.
#
#   tests/cli/job.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
here=$(realpath "$(dirname "$0")")
build=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
PATH=$build:$PATH

plant() { # OPTION...: traces/ and truth.json
    rm -rf traces site truth.json
    tracefolio-sample --no-python "$@" -o traces --truth truth.json
}
of_schema() { # a job.json, and the summary.json beside it
    python3 "$here/../schema_check.py" "$here/../../assets/schemas/job.schema.json" "$1" &&
        python3 "$here/../schema_check.py" "$here/../../assets/schemas/job_summary.schema.json" "${1%job.json}summary.json"
}
found() { # NAMED CAUSE OPTION...
    local named=$1 cause=$2
    shift 2
    plant "$@" && tracefolio job traces -o site --force >said &&
        of_schema site/job.json >>said &&
        python3 "$here/job.py" site truth.json "$named" ${cause:+"$cause"} || { cat said; return 1; }
}
check 'a rank whose kernels are slow' found 5 compute --job 8 --plant late-compute:5=20
check 'a rank whose input is slow' found 3 idle --job 8 --plant late-input:3=4000
check 'a rank whose host is slow' found 6 idle --job 8 --plant late-host:6=4000
check 'a rank that copies for long' found 1 copy --job 8 --plant late-copy:1=4000
check 'a rank among groups' found 6 idle --job 16 --tensor 4 --plant late-input:6=4000
check 'a slow input where most communication is hidden' found 1 idle --job 4 --tensor 2 --plant late-input:1=5000
check 'a slow host where most communication is hidden' found 6 idle --job 8 --tensor 2 --plant late-host:6=4000
check 'a long copy where most communication is hidden' found 2 copy --job 8 --tensor 2 --plant late-copy:2=4000
check 'a slow node none of whose ranks costs anything alone' found 4,5,6,7 compute --job 8 --tensor 2 --gpus-per-node 4 --plant slow-node:1=15
check 'one of two ranks' found 1 idle --job 2 --plant late-input:1=4000
check 'two ranks that are equally guilty' found 1,5 compute --job 8 --plant late-compute:1=15 --plant late-compute:5=15
check 'a slow node' found 4,5,6,7 compute --job 12 --gpus-per-node 4 --plant slow-node:1=15
node_row() { # of the table of nodes, the row of the slow one is the only dark one
    sed -n '/id="nodes"/,/<\/table>/p' site/groups.html | grep '<tr><th scope="row"' >rows && [ "$(wc -l <rows)" = 3 ] &&
        [ "$(sed -n 2p rows | grep -o 'class="n h[34]"' | wc -l)" = 4 ] && ! sed '2d' rows | grep -q ' h[1-4]"'
}
check 'and its row is dark in the table of nodes' node_row
check 'experts with more tokens' found 3 compute --job 8 --experts --plant hot-expert:3=60
check 'experts with more tokens, of groups of two' found 3 compute --job 4 --tensor 2 --experts --plant hot-expert:3=60
check 'experts with more tokens, of which others wait behind hidden transfers' found 6 compute --job 16 --tensor 2 --experts --plant hot-expert:6=60
check 'clocks milliseconds apart' found 2 compute --job 8 --gpus-per-node 2 --clock-spread 5000 \
    --plant clock:3=-4000 --plant late-compute:2=20
check 'clocks that drift' found 2 compute --job 8 --drift-spread 50 --plant late-compute:2=20
check 'a missing rank' found 5 compute --job 8 --plant dropped:2 --plant late-compute:5=20
check 'a trace that begins late' found 5 compute --job 8 --plant late-start:2=2 --plant late-compute:5=20
check 'no sequence numbers' found 5 compute --job 8 --metadata plain --plant late-start:2=2 --plant late-compute:5=20
check 'metadata on calls alone' found 5 compute --job 8 --metadata call --plant late-compute:5=20
check 'no metadata at all' found 5 compute --job 8 --metadata none --plant late-compute:5=20
check 'a slow link makes nobody late' found none '' --job 8 --gpus-per-node 2 --tensor 2 --plant slow-link:1=50
check 'a slow link that some groups use and others do not' found none link --job 8 --gpus-per-node 2 --tensor 4 --plant slow-link:1=50
hosts() { # of ranks and of a node with a slow link, in job.json
    printf 'rank,host\n0,a\n1,a\n2,b\n3,b\n4,c\n5,c\n6,d\n7,d\n' >places && tracefolio job traces -o site --force -q --topology places && of_schema site/job.json &&
        python3 -c 'import json; d = json.load(open("site/job.json")); assert [s["host"] for s in d["slow_nodes"]] == ["b"], d["slow_nodes"]; assert [r["host"] for r in d["ranks"]] == list("aabbccdd")'
}
check 'and the node has a name' hosts
summary() { # what builds need of a job, with its gates
    plant --job 4 --plant late-compute:2=20 && ! tracefolio job traces -o site --force -q --fail-on 'slowdown>1.01' --fail-on 'missing>0' --fail-on 'busbw(broadcast)<1' 2>said &&
        of_schema site/job.json && python3 - site <<'END'
import json, sys
s, j = (json.load(open('%s/%s.json' % (sys.argv[1], name))) for name in ('summary', 'job'))
assert s['kind'] == 'job' and s['report_id'] == j['id'] and s['verdict'] == j['verdict'][0], s
assert [r['rank'] for r in s['late_ranks']] == j['late_ranks'] == [2] and s['late_ranks'][0]['cause'] == 'compute', s
assert s['slowdown'] == j['what_if']['slowdown'] and s['step_ns'] == j['step_ns'], s
assert sum(s['checks'].values()) == len(j['checks']), s
assert [g['status'] for g in s['gates']] == ['failed', 'passed', 'not-evaluated'] and s['gates'][0]['value'] == s['slowdown'], s
END
        tracefolio publish site runs -q && grep -q '"kind": "job"' runs/runs.json && rm -r runs
}
check 'summary.json' summary
many() { # 1,100 ranks: the page of ranks has 18 bins of them, which lead to pages of 512
    python3 - "$here/../bench" "$build" <<'END' && tracefolio job many.captures.gz -o site -q --force &&
import sys
sys.path.insert(0, sys.argv[1])
import job_scale
captures = job_scale.captures_of(sys.argv[2] + '/tracefolio', sys.argv[2] + '/tracefolio-sample', '.', 50)
job_scale.write_pack('many.captures.gz', captures, 1100)
END
        [ "$(grep -c '<tr><th scope="row"' site/ranks-0.html)" = 512 ] && [ "$(grep -c '<tr><th scope="row"' site/ranks-1024.html)" = 76 ] &&
        [ "$(grep -c '<a href="ranks-0.html">' site/ranks.html)" = 8 ] && [ "$(grep -c '<a href="ranks-[0-9]*.html">' site/ranks.html)" = 18 ] &&
        grep -q '<a href="ranks-0.html">.*448-511.*</th><td class="n">471</td>' site/ranks.html && [ "$(cat site/*.html | wc -c)" -lt 1500000 ] &&
        grep -q 'rank 471, last' site/worst.html && grep -q '\.\.\. [0-9]* ranks' site/worst.html && ! grep -q 'ranks-512' site/index.html
}
check 'thousands of ranks' many
pages_of() { # RANK OPTION...: what pages show of a job with that rank late: tests/cli/job_pages.py
    local rank=$1
    shift
    rm -rf cuts && mkdir cuts && plant "$@" && tracefolio job traces -o site --force -q --link-peak intra=400,inter=50 && python3 "$here/job_pages.py" site traces cuts "$rank"
}
check 'the worst waits: who came when, what the last one did, windows cut by the printed commands' pages_of 5 --job 8 --plant late-input:5=4000
check 'and where clocks are apart and drift, and times are of several nodes' pages_of 2 --job 8 --gpus-per-node 2 --clock-spread 5000 --drift-spread 50 --plant late-compute:2=20
check 'a clock that is ahead by less than collectives differ' found 5 compute --job 8 --plant clock:3=20 --plant late-compute:5=20
uneven() { # two groups of experts, the second of which does not begin with rank 0
    plant --experts "$@" && tracefolio job traces -o site --force -q && python3 "$here/job_uneven.py" traces site
}
check 'tables of all-to-all-v as the reference has them' uneven --job 8 --gpus-per-node 4 --plant hot-expert:5=60
check 'and of more ranks than a table has columns' uneven --job 36 --steps 1 --gpus-per-node 4 --plant hot-expert:5=60
cut_splits() { # lists that the trace cuts: who sends how much in all, not to whom
    plant --job 4 --steps 2 --experts --plant hot-expert:2=60 && for f in traces/*; do
        zcat "$f" | sed -E 's/("(In|Out) split size": *"?)\[[^]]*\]/\1[1, 2, ..., 4]/g' | gzip -1 >one && mv one "$f" || return 1
    done
    tracefolio job traces -o site --force -q && grep -q 'The traces say how much each rank sends and receives in all, not how much goes to whom' site/groups.html &&
        [ "$(sed -n '/id="t-exchange"/,/<\/table>/p' site/groups.html | grep '<tr><th scope="row"' | sed 's/<[^>]*>/ /g' | awk '$2 <= 0 || $3 != $2 { exit } { print $1 ($4 > 1.05 ? "!" : "") }' | tr '\n' ' ')" = '0 1 2! 3 ' ]
}
check 'all-to-all-v whose lists are cut' cut_splits
told_names() { # kernels of nobody's library: told on the command line, and in a file
    plant --job 4 --metadata none --plant late-compute:2=20 && for f in traces/*; do
        zcat "$f" | sed 's/nccl/mine/g; s/[Aa]ll_*[Rr]educe/sum/g' | gzip -1 >one && mv one "$f" || return 1
    done
    ! tracefolio job traces -o site --force 2>said && grep -q 'no collective is known' said || return 1
    printf '# ours\nall-reduce = ^mineDev\n' >names
    for list in names all-reduce=mineDev; do
        tracefolio job traces -o site --force --names $list >said && grep -q '^Rank 2 arrives late' said || { cat said; return 1; }
    done
    tracefolio summarize traces/* -o sum --names names -q && tracefolio job sum -o site --force >said && grep -q '^Rank 2 arrives late' said
    rm -rf sum
}
check 'collectives by names that the user tells' told_names
placed() { # nodes as a table says, whatever the ranks' numbers
    plant --job 4 && printf 'switch,host,rank\na,left,0\nb,right,1\nb,left,2\na,right,3\n' >places &&
        tracefolio job traces -o site --force -q --topology places && cut -d, -f1-3 site/job_csvs/job_ranks.csv | tr '\n' ' ' | grep -q '0,0,left 1,1,right 2,0,left 3,1,right' &&
        tracefolio job traces -o site --force -q --topology places --share public && ! grep -rq 'right"' site/job.json
}
check 'nodes by a table of places' placed
by_folder() { # nodes by the folders of their traces, also of captures that are packed; one for all tells nothing
    plant --job 4 --plant slow-node:0=15 --gpus-per-node 2 && mkdir -p nodes/left nodes/right && mv traces/rank[02]* nodes/left && mv traces/rank[13]* nodes/right &&
        tracefolio job nodes -o site --force -q && cut -d, -f1-3 site/job_csvs/job_ranks.csv | tr '\n' ' ' | grep -q '0,0,left 1,1,right 2,0,left 3,1,right' &&
        grep -q '^node,0,left,' site/job_csvs/job_whatif.csv && grep -q 'id="together"' site/late.html && tracefolio summarize nodes/*/* -o sum -q && cat sum/* >pack.captures.gz &&
        tracefolio job pack.captures.gz -o again --force -q && diff -r site again >diff && rm -r sum nodes || { head -n 5 diff; return 1; }
}
check 'nodes by the folders of traces' by_folder
missing_late() { # WORDS OPTION...: what is said of rank 5, which has no trace
    local words=$1
    shift
    plant --plant dropped:5 "$@" && tracefolio job traces -o site --force >said && grep -Eq "^Rank 5, which has no trace, may (be the late one|hold the others up by .*): $words" said || { cat said; return 1; }
}
check 'a missing rank that is late, told by whole groups' missing_late '119 collectives move' --job 8 --tensor 2 --plant late-compute:5=20
check 'a missing rank that is late, told by the shortest stays' missing_late '[0-9]* collectives move' --job 8 --plant late-input:5=6000
most_lost() { sed -nE '1s/.* \([0-9.]+% to ([0-9.]+)%, estimate\): .*, and none shows how long moving it takes without waiting\.$/\1/p' said; }
missing_range() { # transfers take no time at most, or as long as the peak of links allows
    missing_late '[0-9]* collectives move' --job 8 --plant late-input:5=6000 && local any peak && any=$(most_lost) &&
        tracefolio job traces -o site --force --link-peak intra=150,inter=50 >said && peak=$(most_lost) && [ -n "$any" ] && [ -n "$peak" ] && awk "BEGIN{exit !($peak < $any)}" || { cat said; return 1; }
}
check 'what a missing rank costs where no transfer is seen without waiting' missing_range
check 'a missing rank of which nothing is told' missing_late 'no collective has all' --job 8 --plant late-compute:5=20
missing_in_time() { plant --job 8 --tensor 2 --plant dropped:5 && tracefolio job traces -o site --force >said && ! grep -q 'Rank 5' said || { cat said; return 1; }; }
check 'a missing rank that is in time' missing_in_time

nobody() {
    local seed
    for seed in 1 2 3 4; do
        found none '' --job 8 --seed $seed || return 1
    done
    found none '' --job 8 --tensor 2 --clock-spread 2000 && found none '' --job 8 --experts --device H100
}
check 'nobody is named where nothing is planted' nobody
confidence() { # WANT OPTION...
    local want=$1
    shift
    plant "$@" && tracefolio job traces -o site --force >said && grep -q "confidence $want" said || { cat said; return 1; }
}
check 'six steps of one guilty rank give high confidence' confidence high --job 8 --plant late-compute:5=20
check 'two steps give less' confidence medium --job 8 --steps 2 --plant late-compute:5=20
check 'one step gives little' confidence low --job 8 --steps 1 --plant late-compute:5=20
check 'collectives that are matched by order give little' confidence low --job 8 --metadata none \
    --plant late-start:2=2 --plant late-compute:5=20

headline() { # WORDS OPTION...: the first line says who, how much and why
    local words=$1
    shift
    plant "$@" && tracefolio job traces -o site --force >said && head -n 1 said | grep -Eq "^$words" || { cat said; return 1; }
}
check 'the headline says who, how much and why' headline 'Rank 5 holds the others up by [0-9.]+ ms of each step of [0-9.]+ ms \([0-9.]+%, estimate\) because all kernels take [0-9.]+% longer: clock, power or temperature of the GPU, not the program\.' \
    --job 8 --plant late-compute:5=20
check 'the headline of one step is careful' headline 'Rank 5 may hold the others up' --job 8 --steps 1 --plant late-compute:5=20
check 'the headline of experts with more tokens' headline 'Rank 3 holds the others up by 9\.[0-9]* ms of each step .* because its experts get more than an even share' \
    --job 4 --tensor 2 --experts --plant hot-expert:3=80
check 'the headline of several ranks' headline 'The 4 ranks of node 1 hold the others up by .* because all kernels take [0-9.]+% longer: clock, power or temperature of the GPU' \
    --job 8 --tensor 2 --gpus-per-node 4 --plant slow-node:1=15
passed_on() { # rank 4 waits for rank 5 in their group, and others for both
    plant --job 8 --tensor 2 --plant late-input:5=4000 && tracefolio job traces -o site --force -q &&
        grep -Eq 'Rank 4 is late too, but only [0-9]+.{1,2}% of that is its own' site/index.html &&
        grep -Eq '<tr><th scope="row" class="n">.*5.*</th>.*class="n h4"' site/late.html && ! grep -E '<tr><th scope="row" class="n">[^5]*4[^5]*</th>.*class="n h4"' site/late.html
}
check 'a rank that only passes lateness on is told apart, and steps are coloured' passed_on
same_without() { # OPTION...: the clocks of ranks are of no use, and not needed
    rm -f said && tracefolio job traces -o site --force -q "$@" && python3 "$here/job.py" site truth.json 2 compute
}
no_clock() {
    plant --job 8 --gpus-per-node 2 --clock-spread 5000 --plant late-compute:2=20 && same_without --clock none &&
        grep -q '"clock_method": "lengths of collectives"' site/job.json && grep -q '"what_if": null' site/job.json &&
        grep -q 'confidence medium: blamed most in 5 of 5 steps; arrivals are read off lengths alone' site/index.html
}
check 'without clocks, arrivals are told by lengths' no_clock
jumps() { # of one rank, in the middle of the trace
    plant --job 8 --plant late-compute:2=20 && zcat traces/rank4.json.gz | python3 -c '
import json, sys
t = json.load(sys.stdin)
events = [e for e in t["traceEvents"] if "ts" in e and e.get("ph") == "X"]
middle = sorted(e["ts"] for e in events)[len(events) // 2]
for e in t["traceEvents"]:
    e["ts"] = e["ts"] + 20000 * (e["ts"] > middle) if "ts" in e else 0
json.dump(t, sys.stdout)' | gzip -1 >jumped && mv jumped traces/rank4.json.gz && same_without &&
        grep -q 'arrivals follow from the lengths of collectives instead' site/job.json &&
        ! grep -q 'tracefolio cut' site/worst.html && python3 "$here/job_lasts.py" site
}
check 'a clock that jumps is not believed' jumps
ids() { # equal ids mean equal reports
    plant --job 2 && for o in "" "--clock none" "--steps 6-7" "--count-start" "--theme mono" "-j 1"; do
        tracefolio job traces -o site --force -q $o && grep '"id": "' site/job.json || return 1
    done >said && [ "$(sort said | uniq -c | sort -rn | awk '{ print $1 }' | tr '\n' ' ')" = '2 1 1 1 1 ' ] && [ "$(sed -n 1p said)" = "$(sed -n 6p said)" ]
}
check 'the id of a job depends on what was asked for' ids
fewer_steps() {
    plant --job 4 --steps 4 --plant late-compute:2=20 && mv traces/rank3.json.gz kept && plant --job 4 --plant late-compute:2=20 && mv kept traces/rank3.json.gz &&
        tracefolio job traces -o site --force >said && grep -q '^Rank 2 holds the others up' said &&
        grep -q '1 rank has fewer than the 5 steps of others, the first of them rank 3 with 3' site/job.json
}
check 'a rank with fewer steps' fewer_steps

# The same bytes, whatever the way. The guide's own lines are run.
guide() { # HEADING: the first block of code under it
    awk -v h="## $1" '$0 == h { on = 1; next } on && /^```/ { if (inside) exit; inside = 1; next } inside' guide
}
tracefolio help ranks >guide
plant --job 16 --gpus-per-node 4 --plant late-input:5=4000
tracefolio job traces/ -o want >/dev/null
sites_equal() { # the folder `site` is `want`; what was summarized in between is gone
    diff -r want site >diff || { head -n 5 diff; return 1; }
    rm -rf sum site packed.captures.gz
}
by_xargs() { guide xargs >run && grep -q xargs run && sh -e run && sites_equal; }
check 'the form for xargs' by_xargs
by_parallel() { guide 'GNU parallel' >run && grep -q parallel run && sh -e run 2>/dev/null && sites_equal; }
command -v parallel >/dev/null && check 'the form for GNU parallel' by_parallel
by_slurm() {
    guide Slurm >run && grep -q SBATCH run && for task in 0 1; do SLURM_ARRAY_TASK_ID=$task bash -e run || return 1; done &&
        tracefolio job sum/ -o site && sites_equal
}
check 'the form for Slurm, a task at a time' by_slurm
by_kubernetes() {
    guide Kubernetes | sed -n '/^        - |$/,/^        volume/p' | sed '1d;$d' >run && grep -q JOB_COMPLETION_INDEX run &&
        for pod in 1 0; do JOB_COMPLETION_INDEX=$pod sh -e run || return 1; done && tracefolio job sum/ -o site && sites_equal
}
check 'the form for Kubernetes, a pod at a time' by_kubernetes
mkdir stubs
cat >stubs/ray.py <<'END'
def init():
    pass
def remote(**options):
    def around(task):
        task.remote = lambda *arguments: (lambda: task(*arguments))
        return task
    return around
def get(tasks):
    return [task() for task in reversed(tasks)]
END
cat >stubs/pyspark.py <<'END'
class SparkContext:
    def __init__(self, appName):
        pass
    def parallelize(self, rows, parts):
        self.rows = rows
        return self
    def foreach(self, task):
        for row in reversed(self.rows):
            task(row)
END
by_python() { guide "$1" >run.py && grep -q summarize run.py && PYTHONPATH=stubs python3 run.py && sites_equal; }
check 'the form for Ray, with a stand-in for it' by_python Ray
mkdir stubs/dask && touch stubs/dask/__init__.py && cat >stubs/dask/distributed.py <<'END'
class Client:
    def map(self, task, rows):
        return [task(row) for row in reversed(rows)]
    def gather(self, tasks):
        pass
END
check 'the form for Dask, with a stand-in for it' by_python Dask
check 'the form for Spark, with a stand-in for it' by_python Spark
packed() { # captures joined by cat, in the reverse order, as two files
    tracefolio summarize traces/*.json.gz -o sum && mkdir packs &&
        cat $(ls -r sum/* | head -n 9) >packs/b.captures.gz && cat $(ls -r sum/* | tail -n 7) >packs/a.captures.gz &&
        tracefolio job packs/b.captures.gz packs/a.captures.gz -o site && sites_equal
}
check 'captures packed by cat' packed
listed() {
    ls traces/*.json.gz | sort -r >list && tracefolio job @list -o site && sites_equal &&
        tracefolio job -j 1 $(sort -R --random-source=guide list) -o site && sites_equal
}
check 'any order, and one thread' listed
threaded() { # a pack that threads share, files that they share, traces of their own
    local n
    for n in 1 3 7 256; do # each with scratch of its own
        tracefolio summarize traces/*.json.gz -o sum -j $n >said.$n && cmp said.1 said.$n && cat sum/* >packed.captures.gz &&
            tracefolio job packed.captures.gz -o site -j $n -q && diff -r want site && tracefolio job sum -o site -j $n -q -f && diff -r want site &&
            tracefolio job traces -o site -j $n -q -f && sites_equal || return 1
    done
}
check 'any number of threads' threaded
resumed() { # what is there is kept: nothing is written again
    tracefolio summarize traces/*.json.gz -o sum && touch -d @1 sum/* && tracefolio summarize traces/*.json.gz -o sum --resume &&
        [ -z "$(find sum -type f -newermt @2)" ] && rm sum/rank-00003* && tracefolio summarize traces/*.json.gz -o sum --resume &&
        [ "$(find sum -type f -newermt @2)" = sum/rank-00003.capture.json.gz ] && tracefolio job sum -o site && sites_equal
}
check 'a task that is started again' resumed
one_clock() { # whose clock is ahead is as late as without that, within the noise of the ends
    found 5 idle --job 8 --plant late-input:5=4000 && mv site true &&
        found 5 '' --job 8 --plant late-input:5=4000 --plant clock:3=7000 && python3 - true site <<'END'
import csv, sys
read = lambda site, table: list(csv.DictReader(open(site + '/job_csvs/' + table + '.csv', newline='')))
for a, b in zip(*(read(site, 'job_blame') for site in sys.argv[1:])):
    assert abs(int(a['blame_ns']) - int(b['blame_ns'])) <= 30 * 2000, (a, b)
for a, b in zip(*(read(site, 'job_ranks') for site in sys.argv[1:])):
    assert a['compute_ns'] == b['compute_ns'] and a['window_ns'] == b['window_ns'], (a, b)
offsets = [int(r['offset_ns']) for r in read(sys.argv[2], 'job_clock')]
assert abs(offsets[3] - 7000000) < 2000 and all(abs(o) < 2000 for i, o in enumerate(offsets) if i != 3), offsets
END
}
check 'a clock that is ahead is put right' one_clock
linked() { # from wherever the site is to the report of each rank
    local page
    rm -rf reports && mkdir reports deep && for r in 0 1; do tracefolio analyze traces/*rank$r*.json.gz -p none --formats site -q -o reports/r$r || return 1; done
    for site in flat deep/site reports/site; do
        tracefolio job reports/r0/capture.json.gz reports/r1/capture.json.gz -o $site -q -f || return 1
        for page in $(grep -o 'href="[^"]*r[01]/index.html"' $site/ranks.html | cut -d'"' -f2); do
            [ -e $site/$page ] && echo $page || return 1
        done >pages
        [ "$(wc -l <pages)" = 2 ] && of_schema $site/job.json && grep -q '"page": "[^"]*r1/index.html"' $site/job.json || return 1
    done
}
check "links lead to each rank's own report" linked
echo "1..$count"
exit $failed
