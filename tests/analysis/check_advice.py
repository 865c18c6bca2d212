"""No report of a shared trace gives advice that the trace contradicts (advice.tsv)."""
import csv
import glob
import json
import os
import subprocess

import advice

HERE = os.path.dirname(os.path.abspath(__file__))
PLATFORMS = {'h100': 'H100', 'a100': 'A100', 'v100': 'V100', 'mi210': 'MI210', 'b300': 'B300'}


def platform_of(program, trace):
    """The device's built-in platform if there is one, else MI300X."""
    wanted = PLATFORMS.get(trace.split('-')[-1], 'MI300X')
    if trace.startswith('dlrm8'):
        wanted = 'V100'
    said = subprocess.run([program, 'analyze', '/nowhere.json', '-p', wanted], capture_output=True, text=True, check=False)
    return 'MI300X' if 'unknown device' in said.stderr else wanted


def report_of(program, path, platform, folder):
    """report.json, and the metrics of idle time if there are any."""
    subprocess.run([program, 'analyze', path, '-p', platform, '--formats', 'json', '-q', '-f', '-o', folder],
                   check=True, stderr=subprocess.PIPE)
    with open(os.path.join(folder, 'report.json'), encoding='utf-8') as f:
        report = json.load(f)
    metrics = glob.glob(os.path.join(folder, '**', 'cpu_idle_metrics.json'), recursive=True)
    if not metrics:
        return report, None
    with open(metrics[0], encoding='utf-8') as f:
        return report, json.load(f)


def rows():
    with open(os.path.join(HERE, 'advice.tsv'), encoding='utf-8', newline='') as f:
        yield from csv.DictReader((line for line in f if not line.startswith('#')), delimiter='\t')


def check(tell, reports):
    """tell(name, wrong, pending) for each line of the table whose trace is in reports."""
    known = set()
    for row in rows():
        known.add(row['trace'])
        if not advice.is_kind(row['advice']):
            tell(f"{row['trace']}: {row['advice']}", 'no such kind of advice', '')
        elif row['trace'] in reports:
            keys = advice.given(reports[row['trace']], row['advice'])
            tell(f"{row['trace']}: no advice {row['advice']}",
                 f"given by {keys[0]}, although {row['fact']}" if keys else '', row['pending'] or '')
    for trace in sorted(set(reports) - known):
        tell(f'{trace}: advice.tsv', 'has no line for it', '')


def traces(shared):
    return {os.path.basename(p)[:-len('.json.gz')]: p
            for p in sorted(glob.glob(os.path.join(shared, 'traces', '*.json.gz')))}
