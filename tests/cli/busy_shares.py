#!/usr/bin/env python3
"""Busy time is one figure and computation another, in data, on the site and in markdown.

    busy_shares.py FOLDER    of an analysis in all formats, where the two differ; exit 1
                             with what is said wrongly
"""
import json
import os
import re
import sys


def main():
    def read(name):
        with open(os.path.join(sys.argv[1], name), encoding='utf-8') as f:
            return f.read()

    window = json.loads(read('report.json'))['window']
    want = {of: window[of]['total_pct'] for of in ('busy', 'computation')}
    if abs(want['busy'] - want['computation']) < 0.2:
        sys.exit('busy time and computation are too near to be told apart')
    said = [('busy', 'index.html', figure) for figure in
            re.findall(r'GPU is busy (?:for )?([\d.]+)%', read('index.html'))]
    if not said:
        sys.exit('index.html does not say how busy the GPU is')
    rows = {'busy': r'GPU Busy \| ([\d.]+)% in any device work',
            'computation': r'GPU Utilization \| ([\d.]+)% in computation'}
    for name in ('standalone_analysis.md', 'standalone_analysis_fair.md'):
        said += [(of, name, re.search(row, read(name))[1]) for of, row in rows.items()]
    for of, where, figure in said:
        if abs(float(figure) - want[of]) > 0.051:
            sys.exit(f'{where} says {figure}% of {of}, which is {want[of]}%')


if __name__ == '__main__':
    main()
