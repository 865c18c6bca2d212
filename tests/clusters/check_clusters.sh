#!/bin/bash
# The guide's forms for a cluster, on one: Slurm of one node on this machine, a local Dask, GNU
# parallel and xargs. Eight ranks, one of them damaged and one missing: the job runs, names both, and
# the late rank with its cause. What is not installed is skipped; only root can start Slurm.
#
#   tests/clusters/check_clusters.sh BUILD      TAP on standard output, then the counts
set -u
. "$(dirname "$0")/../tap.sh"
build=$(realpath "$1")
work=$(mktemp -d)
daemons=()
cleanup() {
    for d in "${daemons[@]}"; do kill "$d" 2>/dev/null; done
    wait 2>/dev/null
    rm -rf "$work"
}
trap cleanup EXIT
cd "$work" || exit 1
export PATH=$build:/usr/sbin:$PATH
skipped=0 bad=0
try() { # as check, counted
    check "$@"
    [ $failed = 0 ] || bad=$((bad + 1))
    failed=0
}
skip() {
    echo "ok - $1 # SKIP $2"
    skipped=$((skipped + 1))
}
guide() { # HEADING [NUMBER]: a block of code under it, the first
    awk -v h="## $1" -v n="${2:-1}" '$0 == h { on = 1; next } /^## / { on = 0 }
        on && /^```/ { inside = inside ? 0 : ++k; next } on && inside == n' guide
}
tracefolio help ranks >guide
tracefolio-sample --no-python --job 8 --plant late-compute:2=20 -o traces >/dev/null && rm traces/rank5.json.gz &&
    head -c 9000 traces/rank3.json.gz >cut && mv cut traces/rank3.json.gz && tracefolio summarize traces/*.json.gz -o sum -q 2>/dev/null &&
    tracefolio job sum -o want -q && rm -r sum || exit 1

is_told() { # FILE: what the job says; and its site is that of captures made here
    grep -q '^Rank 2 holds the others up by .* because all kernels take 20.*% longer: ' "$1" &&
        grep -q '6 of 8 ranks are in the data: ranks 3 and 5 are missing' "$1" && diff -r want site >differs || {
        head -n 5 differs
        cat "$1"
        return 1
    }
    rm -r sum site
}

slurm_up() { # a whole cluster of one node, its files in this folder
    local me
    me=$(hostname -s)
    chmod 755 . && mkdir -p slurm/state slurm/spool && mkdir -m 755 munge && head -c 1024 /dev/urandom >munge/key && chmod 400 munge/key &&
        cat >slurm.conf <<END
ClusterName=one
SlurmctldHost=$me(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
ReturnToService=2
SlurmctldPort=26817
SlurmdPort=26818
StateSaveLocation=$work/slurm/state
SlurmdSpoolDir=$work/slurm/spool
SlurmctldPidFile=$work/slurm/ctld.pid
SlurmdPidFile=$work/slurm/d.pid
SlurmctldLogFile=$work/slurm/ctld.log
SlurmdLogFile=$work/slurm/d.log
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
NodeName=$me NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$me Default=YES MaxTime=INFINITE State=UP
END
    export SLURM_CONF=$work/slurm.conf
    munged --force --foreground --socket="$work/munge/socket" --key-file="$work/munge/key" --pid-file="$work/munge/pid" \
        --log-file="$work/munge/log" --seed-file="$work/munge/seed" &
    daemons+=($!)
    for _ in $(seq 100); do
        [ -S munge/socket ] && break
        sleep 0.1
    done
    slurmctld -D &
    daemons+=($!)
    slurmd -D &
    daemons+=($!)
    for _ in $(seq 150); do
        ! sinfo -h -o %T 2>/dev/null | grep -q idle || return 0
        sleep 0.2
    done
    tail -n 5 slurm/*.log munge/log
    return 1
}
by_slurm() { # the guide's two blocks as printed, but for the size of the array and of its tasks
    guide Slurm 1 | sed 's/0-1023/0/; s/--cpus-per-task=2/--cpus-per-task=1/' >summarize.sbatch && guide Slurm 2 >submit && grep -q afterany submit &&
        bash -e submit >submitted || return 1
    id=$(sed -n 's/^Submitted batch job //p' submitted)
    for _ in $(seq 300); do
        case $(scontrol -o show job "$id" | sed 's/.*JobState=\([A-Z]*\).*/\1/') in
        COMPLETED)
            is_told "slurm-$id.out"
            return
            ;;
        FAILED | CANCELLED | TIMEOUT) break ;;
        esac
        sleep 0.2
    done
    squeue
    cat slurm-*.out
    return 1
}
for program in slurmctld slurmd munged sbatch; do
    command -v $program >/dev/null || no_slurm=yes
done
if [ -n "${no_slurm-}" ]; then
    skip 'Slurm' 'not installed: slurmctld, slurmd, slurm-client and munge of Debian'
elif [ "$(id -u)" != 0 ]; then
    skip 'Slurm' 'only root can start it'
else
    try 'a Slurm of one node starts' slurm_up
    try 'Slurm: an array of tasks, and the job after it' by_slurm
fi

by_dask() { guide Dask >run.py && grep -q 'Client()' run.py && "$python" run.py >said 2>err && grep -q 'rank3.json.gz' err && is_told said || { tail -n 5 err; return 1; }; }
python=python3
"$python" -c 'import dask.distributed' 2>/dev/null || python=/usr/bin/python3 # that of Debian
if "$python" -c 'import dask.distributed' 2>/dev/null; then
    try 'a local Dask' by_dask
else
    skip 'Dask' 'not installed: python3-distributed of Debian'
fi

by_shell() { guide "$1" >run && [ -s run ] && { bash run >said 2>err; grep -q 'rank3.json.gz' err && is_told said; }; }
if command -v parallel >/dev/null; then
    try 'GNU parallel' by_shell 'GNU parallel'
else
    skip 'GNU parallel' 'not installed: parallel of Debian'
fi
try 'xargs' by_shell xargs
echo "$((count - bad)) passed, $bad failed$([ $skipped = 0 ] || echo ", $skipped skipped")"
exit $((bad > 0))
