#!/usr/bin/env python3
"""The module of the wheel, with a stand-in for the profiler that exports a made trace.

    module.py BUILD      in an empty folder, with the module on the path
"""
import os
import subprocess
import sys
import time

import tracefolio

SAMPLE = os.path.join(sys.argv[1], 'tracefolio-sample')


class Profiler:
    def __init__(self, *arguments):
        self.arguments = arguments

    def export_chrome_trace(self, path):
        subprocess.run([SAMPLE, '--layers', '2', '--steps', '2', *self.arguments, '-o', path], check=True)


def wait_for(children):
    for child in children:
        child.wait(60)


def main():
    Profiler('--defect', 'item-sync').export_chrome_trace('slow.json.gz')
    Profiler().export_chrome_trace('fast.json.gz')
    before = set(os.listdir())
    report = tracefolio.analyze('slow.json.gz')
    assert set(os.listdir()) == before, 'nothing is written unless asked for'
    assert report.path is None and report.passed
    assert report.verdict and report.verdict == report['verdict']['text']
    assert 0 < report['window']['idle_pct'] < 100
    assert any('update_statistics' in f['title'] for f in report.findings)
    shown = report._repr_html_()
    assert 'update_statistics' in shown and '<script' not in shown and shown.count('<li>') <= 3
    assert repr(report).startswith(report.verdict)

    report = tracefolio.analyze('slow.json.gz', 'out', platform='MI300X', formats='site,json', fail_on=['critical', 'high'])
    assert os.path.exists('out/index.html') and report.path == 'out' and not report.passed
    assert 'out/index.html' in report._repr_html_()
    try:
        tracefolio.analyze('nowhere.json.gz')
        raise AssertionError('a file that is not there')
    except tracefolio.Error as problem:
        assert problem.status == 3 and 'nowhere.json.gz' in str(problem), problem
    try:
        tracefolio.analyze('slow.json.gz', formats='nonsense')
        raise AssertionError('a format that is none')
    except tracefolio.Error as problem:
        assert problem.status == 2 and 'nonsense' in str(problem), problem

    difference = tracefolio.compare('fast.json.gz', 'slow.json.gz', 'difference', force=True)
    assert os.path.exists('difference/index.html') and difference.text and difference._repr_html_()
    made = tracefolio.compare('fast.json.gz', 'slow.json.gz')
    assert os.path.exists(os.path.join(made.path, 'index.html'))
    subprocess.run([SAMPLE, '--job', '2', '--gpus-per-node', '2', '-o', 'ranks'], check=True, stdout=subprocess.DEVNULL)
    job = tracefolio.job('ranks', 'job')
    assert os.path.exists('job/index.html') and job.text

    ready = tracefolio.handler('runs/today')
    ready(Profiler())
    ready(Profiler())
    wait_for(ready.children)
    assert os.path.exists('runs/today/trace-1/index.html') and os.path.exists('runs/today/trace-2/index.html')
    os.environ['RANK'] = '3'
    begun = time.monotonic()
    ready = tracefolio.handler('runs/ranked')
    ready(Profiler())
    took = time.monotonic() - begun
    assert os.path.exists('runs/ranked/rank3-1.json.gz')
    wait_for(ready.children)
    assert os.path.exists('runs/ranked/rank3-1/index.html') and took < 30
    tracefolio.handler('slow.json.gz/below')(Profiler())  # no folder can be there: one line, no exception
    tracefolio.handler('runs/broken')(Profiler('--nonsense'))


main()
