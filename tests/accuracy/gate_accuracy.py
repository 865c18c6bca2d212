"""How often gates of a comparison fail: of nothing, and of what was planted.

  gate_accuracy.py PROGRAM [RUNS]     prints the tables of the README, and fails if a gate
                                      fails more than once in 100 of the same program twice,
                                      over all noises, or if one operation or a wait of 10 %
                                      is found in fewer than nine of ten where kernels
                                      scatter, or a gate finds fewer with more captures a
                                      side, over all noises
"""
import concurrent.futures
import os
import subprocess
import sys
import tempfile

import noisy_trace

NOISES = ("call", "name", "clock", "host")
GATES = {"regression>5%": "device work, 5%", "regression(wall)>5%": "step, 5%",
         "regression(category:GEMM)>5%": "category, 5%", "regression(row)>10%": "row, 10%"}
# What of each plant a gate can see. Where the host decides, kernels do not lengthen a step.
FOUND = {"operator": ("regression>5%", "regression(wall)>5%", "regression(category:GEMM)>5%",
                           "regression(row)>10%"),
         "waiting": ("regression(wall)>5%",), "clock": ("regression>5%", "regression(wall)>5%")}
WHERE = {"operator": "in one operator", "waiting": "waiting for the loader", "clock": "in all kernels"}
SIZES = (1, 2, 4)


def failed(program, folder, refs, cands):
    """The gates that failed."""
    command = [program, "compare", "-p", "none", "-q", "-f", "--formats", "csv", "-o", folder]
    for path in refs:
        command += ["--ref", path]
    for path in cands:
        command += ["--cand", path]
    for gate in GATES:
        command += ["--fail-on", gate]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode not in (0, 10):
        raise SystemExit(f"{' '.join(command)}: status {run.returncode}\n{run.stderr}")
    return [gate for gate in GATES if f"--fail-on '{gate}' failed" in run.stderr]


def try_once(job):
    """Of one seed: which gates fail with one, two and four captures a side."""
    program, noise, plant, pct, seed = job
    with tempfile.TemporaryDirectory() as d:
        sides = [[f"{d}/{side}{i}.json.gz" for i in range(SIZES[-1])] for side in "rc"]
        for k, side in enumerate(sides):
            for i, path in enumerate(side):
                noisy_trace.write(path, noise, 1000 * seed + 10 * k + i, plant if k else "", pct)
        return noise, plant, pct, {n: failed(program, f"{d}/out", sides[0][:n], sides[1][:n]) for n in SIZES}


def table(title, results, wanted, runs):
    print(f"\n**{title}**\n")
    print("| noise | gate | 1 a side | 2 a side | 4 a side |\n|---|---|---:|---:|---:|")
    rows = []
    for noise in dict.fromkeys(r[0] for r in results):
        for gate in wanted:
            counts = [sum(gate in by_size[n] for of, _, _, by_size in results if of == noise) for n in SIZES]
            rows.append((noise, gate, counts))
            print(f"| {noise} | {GATES[gate]} | " + " | ".join(f"{c} of {runs}" for c in counts) + " |")
    return rows


def main():
    program, runs = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 100
    few = max(runs // 5, 1)
    plants = [("", 0, runs), ("operator", 10, few), ("waiting", 10, few), ("clock", 10, few)]
    jobs = [(program, noise, plant, pct, 1000 * k + i + 1) for k, (plant, pct, n) in enumerate(plants)
            for noise in NOISES if noise != "host" or plant in ("", "waiting") for i in range(n)]
    with concurrent.futures.ProcessPoolExecutor() as pool:
        results = list(pool.map(try_once, jobs, chunksize=4))
    bad = 0
    for plant, pct, n in plants:
        mine = [r for r in results if r[1] == plant]
        wanted = FOUND[plant] if plant else tuple(GATES)
        title = f"{pct} % more of a step, {WHERE[plant]}" if plant else "The same program twice"
        rows = table(title, mine, wanted, n)
        for gate in wanted:
            alarms = [sum(c[k] for _, of, c in rows if of == gate) for k in range(len(SIZES))]
            if not plant and max(alarms) > max(len(NOISES) * n // 100, 1):
                bad += 1
                print(f"too many false alarms: {gate}: {alarms}", file=sys.stderr)
        for gate in wanted:
            found = [sum(c[k] for _, of, c in rows if of == gate) for k in range(len(SIZES))]
            if plant and found != sorted(found):
                bad += 1
                print(f"fewer found with more captures: {gate}: {found}", file=sys.stderr)
        for noise, gate, counts in rows:
            if plant in ("operator", "waiting") and noise != "host" and min(counts) < 0.9 * n:
                bad += 1
                print(f"too few found: {noise}, {gate}: {counts}", file=sys.stderr)
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
