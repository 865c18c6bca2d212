"""What `job` says of made jobs: who or what holds them up, and what that costs.

  job_accuracy.py PROGRAM [SEEDS]     prints the tables of the README, and fails if in any
                                      seed another rank, node, link or cause is named than
                                      the one that was planted, if the median cost of a
                                      fault is further than its limit from what it was, or
                                      if of jobs in which nobody is late a noise has more
                                      than one in 20 with a rank named
"""
import concurrent.futures
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile

import faulty_job

NOISE = {"host": 0.10, "kernel": 0.01}
QUIET = {"calls of the host by 10%, kernels by 1%": NOISE,
         "calls of the host by 40%, kernels by 3%": {"host": 0.4, "kernel": 0.03, "link": 0.1},
         "the same, and one call in 50 takes four times as long": {"host": 0.4, "kernel": 0.05, "link": 0.1,
                                                                   "tail": 0.02}}
FALSE_RUNS = 20


def fault(**of):
    return type("Planted", (faulty_job.Fault,), {k: staticmethod(f) for k, f in of.items()})()


def pause(rank, step, where):
    """None before the first kernel of a recording: it would be taken for a profiler that began later."""
    r = random.Random(f"{rank} {step}")
    return (20000 + 30000 * r.random()) * (where == "forward" and step > 0 and r.random() < 0.06)


# name, kind, ranks, steps, fault, how it is written, what the first sentence says, limit in %
CASES = [
    ("the host of rank 5 is 30% slower", "data", 8, 12, fault(host=lambda r, s: 1.3 if r == 5 else 1), {},
     r"Rank 5 holds.*host takes \d+% longer", 10),
    ("the GPU of rank 3 is 15% slower", "data", 8, 12, fault(kernel=lambda r, s, p: 1.15 if r == 3 else 1), {},
     r"Rank 3 holds.*all kernels take", 10),
    ("ranks 2 and 6 take turns in computing 20% longer", "data", 8, 12,
     fault(kernel=lambda r, s, p: 1.2 if r == (6 if s % 2 else 2) else 1), {}, r"Ranks (2 and 6|6 and 2) hold", 10),
    ("the GPU of rank 3 is 15% slower in half of the steps", "data", 8, 20,
     fault(kernel=lambda r, s, p: 1.15 if r == 3 and s < 10 else 1), {}, r"Rank 3 holds.* until step 1[01] ", 10),
    ("rank 6 waits 25 ms for its loader in every 5th step", "data", 8, 20,
     fault(stall=lambda r, s, w: 25000 * (w == "load" and r == 6 and s % 5 == 4)), {},
     r"Rank 6 holds.*every 5th step.*waits for its input", 10),
    ("rank 0 writes a checkpoint in every 10th step", "data", 8, 30,
     fault(stall=lambda r, s, w: 60000 * (w == "save" and r == 0 and s % 10 == 8)), {},
     r"Rank 0 holds.*copies to the host", 10),
    ("hosts pause at random", "data", 8, 20, fault(stall=pause), {},
     r"Ranks take turns.*rare pauses.*no rank in particular", 10),
    ("hosts of one node of two are 30% slower", "data", 16, 10, fault(host=lambda r, s: 1.3 if r >= 8 else 1), {},
     r"8 ranks of node 1 .*host takes \d+% longer", 10),
    ("the link of ranks 4 and 5 is 4 times as slow", "tensor", 8, 12,
     fault(link=lambda g: 4 if g == [4, 5] else 1), {}, r"ranks 4 and 5 take [34]\.\d times.*link is slow", 10),
    ("the GPUs of ranks 4 and 5, which share layers, are 15% slower", "tensor", 8, 12,
     fault(kernel=lambda r, s, p: 1.15 if r in (4, 5) else 1), {}, r"Ranks (4 and 5|5 and 4) hold.*all kernels", 10),
    ("the third stage of four is 30% slower", "pipeline", 8, 8,
     fault(kernel=lambda r, s, p: 1.3 if r in (4, 5) else 1), {}, r"(4 and 5|5 and 4), stage 3 of 4 .*all kernels", 20),
    ("rank 5 is 25% slower in backward alone", "data", 8, 12,
     fault(kernel=lambda r, s, p: 1.25 if r == 5 and p == "backward" else 1), {}, r"Rank 5 holds", 20),
    ("the host of rank 5 is twice as slow, layers are sharded", "sharded", 8, 10,
     fault(host=lambda r, s: 2 if r == 5 else 1), {}, r"Rank 5 holds.*host takes \d+% longer", 20),
    ("the GPU of rank 3 is 15% slower, recorded from the fourth step on", "data", 8, 12,
     fault(kernel=lambda r, s, p: 1.15 if r == 3 else 1), {"late": {3: 3}}, r"Rank 3 holds", 10),
    ("rank 3 computes 20% longer and has no trace; it shares layers with rank 2", "tensor", 8, 12,
     fault(kernel=lambda r, s, p: 1.2 if r == 3 else 1), {"left_out": (3,)}, r"Rank 3, which has no trace, may hold", 10),
]

# The same of rank 3 without a trace, and no collective of ranks that all have one: how
# long transfers take without waiting is seen nowhere.
OPEN = [
    ("waits 4 ms for its loader in each step", fault(stall=lambda r, s, w: 4000 * (w == "load" and r == 3))),
    ("its host is 40% slower", fault(host=lambda r, s: 1.4 if r == 3 else 1)),
    ("its GPU is 15% slower", fault(kernel=lambda r, s, p: 1.15 if r == 3 else 1)),
]
RANGE = r"[Rr]ank 3, which has no trace, (?:may hold.* \((\d+\.\d)% to|at most) (\d+\.\d)%"


def first_sentence(program, traces, folder):
    captures, site = f"{folder}/captures", f"{folder}/site"
    subprocess.run([program, "summarize", "-q", "-o", captures, *traces], check=True, capture_output=True)
    run = subprocess.run([program, "job", captures, "-o", site], check=True, capture_output=True, text=True)
    return run.stdout.split("\n")[0]


def try_once(job):
    """The cost that was planted, and the first sentence."""
    program, kind, n, steps, noise, case, seed = job
    planted, how = (CASES[case][4], CASES[case][5]) if case is not None else (faulty_job.Fault(), {})
    ranks = faulty_job.play(kind, n, steps, seed, noise, planted)
    us = faulty_job.run_us(ranks)
    without = faulty_job.run_us(faulty_job.play(kind, n, steps, seed, noise, faulty_job.Fault()))
    with tempfile.TemporaryDirectory() as d:
        faulty_job.write(ranks, f"{d}/traces", seed, **how)
        traces = sorted(f"{d}/traces/{f}" for f in os.listdir(f"{d}/traces"))
        return 100 * (us - without) / us, first_sentence(program, traces, d)


def costs(program, pool, seeds):
    jobs = [(program, kind, n, steps, NOISE, i, 100 * i + s + 1)
            for i, (_, kind, n, steps, *_) in enumerate(CASES) for s in range(seeds)]
    results, bad = list(pool.map(try_once, jobs)), 0
    print("\n**One planted fault**\n")
    print("| fault | cost | estimate | error of the median | named right |\n|---|---:|---:|---:|---:|")
    for i, (name, _, _, _, _, _, says, limit) in enumerate(CASES):
        mine = results[i * seeds:(i + 1) * seeds]
        cost = statistics.median(pct for pct, _ in mine)
        found = [re.search(r"\((\d+\.\d)%, estimate\)", said) for _, said in mine]
        told = statistics.median(float(m.group(1)) if m else 0 for m in found)
        right = sum(bool(re.search(says, said)) for _, said in mine)
        error = 100 * (told / cost - 1)
        print(f"| {name} | {cost:.1f}% | {told:.1f}% | {error:+.0f}% | {right} of {seeds} |")
        for pct, said in mine:
            if not re.search(says, said):
                print(f"not named: {name}: {said}", file=sys.stderr)
        if right < seeds or abs(error) > limit:
            bad += 1
            print(f"not as planted: {name}: {right} of {seeds}, {error:+.1f} %", file=sys.stderr)
    return bad


def shortest_stay_us(ranks, absent):
    """Of all collectives, how long the last of the other ranks stays: transfers take no longer, but for noise."""
    of = {id(c): c for r in ranks for c, *_ in r.sums}
    stays = [c.end - max(us for rank, us in c.arrived.items() if rank != absent) for c in of.values()]
    return statistics.mean(us for us in stays if us <= 1.1 * min(stays))


def try_open(job):
    """The range that is told; what was planted; and what the fault costs in two other jobs that leave the
    same traces of all ranks but the absent one: there data moves for the shortest stay, or for no time."""
    program, case, seed = job
    ranks = faulty_job.play("data", 8, 12, seed, NOISE, OPEN[case][1])
    us, costs = faulty_job.run_us(ranks), []
    for moves_us in (None, shortest_stay_us(ranks, 3), 0):
        link = {} if moves_us is None else {"moves": lambda self, group, ranks, us, m=moves_us: m}
        other = type("Otherwise", (faulty_job.Fault,), link)()
        costs.append(100 * (us - faulty_job.run_us(faulty_job.play("data", 8, 12, seed, NOISE, other))) / us)
    with tempfile.TemporaryDirectory() as d:
        faulty_job.write(ranks, f"{d}/traces", seed, left_out=(3,))
        return costs, first_sentence(program, sorted(f"{d}/traces/{f}" for f in os.listdir(f"{d}/traces")), d)


def ranges(program, pool, seeds):
    """A range holds the planted cost, and ends where jobs that leave the same traces do."""
    results, bad = list(pool.map(try_open, [(program, i, 5000 + 100 * i + s) for i in range(len(OPEN)) for s in range(seeds)])), 0
    print("\n**A rank without a trace, all collectives of which lack it**\n")
    print("| fault of rank 3 | cost | least it can be | most it can be | estimate | cost in the range |")
    print("|---|---:|---:|---:|---:|---:|")
    for i, (name, _) in enumerate(OPEN):
        mine = results[i * seeds:(i + 1) * seeds]
        found = [re.search(RANGE, said) for _, said in mine]
        told = [[float(m.group(k) or 0) if m else 0 for m in found] for k in (1, 2)]
        held = sum(lo * 0.97 <= c[0] <= hi * 1.03 for (c, _), lo, hi in zip(mine, *told))
        planted, least, most = (statistics.median(c[k] for c, _ in mine) for k in range(3))
        low, high = (statistics.median(t) for t in told)
        print(f"| {name} | {planted:.1f}% | {least:.1f}% | {most:.1f}% | {low:.1f}% to {high:.1f}% | {held} of {seeds} |")
        if held < seeds or (low and abs(low / least - 1) > 0.1) or abs(high / most - 1) > 0.1:
            bad += 1
            print(f"not as planted: {name}: {mine}", file=sys.stderr)
    return bad


def alarms(program, pool, runs):
    jobs = [(program, "data", 8, 12, noise, None, 10000 + s) for noise in QUIET.values() for s in range(runs)]
    results, bad = list(pool.map(try_once, jobs)), 0
    print("\n**No rank is late**\n")
    print("| noise | a rank is named |\n|---|---:|")
    for i, noise in enumerate(QUIET):
        said = [s for _, s in results[i * runs:(i + 1) * runs]]
        named = [s for s in said if " hold" in s and "no rank in particular" not in s]
        print(f"| {noise} | {len(named)} of {runs} |")
        if len(named) > max(runs // 20, 1):
            bad += 1
            print("\n".join(["named of chance:"] + named), file=sys.stderr)
    return bad


def main():
    program, seeds = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 3
    with concurrent.futures.ProcessPoolExecutor() as pool:
        bad = costs(program, pool, seeds)
        bad += ranges(program, pool, seeds)
        bad += alarms(program, pool, FALSE_RUNS if seeds > 1 else 2)
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
