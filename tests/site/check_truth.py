#!/usr/bin/env python3
"""One truth in numbers: every share adds up to 100 % of its whole, and what occurs on several
pages is the same on each (one_truth.py: and in markdown, CSV, workbook, JSON and what is printed).

    check_truth.py PROGRAM SHARED [TRACE]...

Writes the site of every shared trace and reads its tables and sentences. Shares are summed to
the precision that the cells have; a table that names a rest in its foot counts it.
"""
import glob
import html.parser
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile

import one_truth
import pair_truth


class Tables(html.parser.HTMLParser):
    """tables: {caption, head: [text], rows: [[(text, value)]], foot: text}"""

    def __init__(self, path):
        super().__init__()
        self.tables, self.now, self.part, self.cell, self.row = [], None, '', None, []
        with open(path, encoding='utf-8') as f:
            self.feed(f.read())

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == 'table':
            self.now = {'caption': '', 'head': [], 'rows': [], 'foot': ''}
        elif self.now is not None:
            if tag in ('thead', 'tbody', 'tfoot'):
                self.part = tag
            elif tag == 'tr':
                self.row = []
            elif tag in ('td', 'th', 'caption'):
                self.cell = ['', attrs.get('data-v'), int(attrs.get('colspan', 1))]

    def handle_data(self, data):
        if self.cell:
            self.cell[0] += data

    def handle_endtag(self, tag):
        if self.now is None:
            return
        if tag in ('td', 'th') and self.cell:
            self.row += [(self.cell[0].strip(), self.cell[1])] * self.cell[2]
            self.cell = None
        elif tag == 'caption' and self.cell:
            self.now['caption'], self.cell = self.cell[0].strip(), None
        elif tag == 'tr':
            if self.part == 'thead':
                self.now['head'] = [text for text, _ in self.row]
            elif self.part == 'tfoot':
                self.now['foot'] += ' '.join(text for text, _ in self.row[:1])
            else:
                self.now['rows'].append(self.row)
        elif tag == 'table':
            self.tables.append(self.now)
            self.now = None


def number(cell):
    """(value, how far rounding may be off) of a cell, or None"""
    text, value = cell
    if value not in (None, ''):
        return float(value), 0.0051
    found = re.search(r'\d+(?:\.(\d+))?', text)
    return (float(found[0]), 0.51 * 10 ** -len(found[1] or '')) if found else None


def summed(table, column):
    """(sum, slack) of a column, with the rest that the foot names"""
    at = table['head'].index(column)
    cells = [number(row[at]) for row in table['rows'] if len(row) > at]
    rest = re.search(r'([\d.]+) ?% of', table['foot'])
    if rest:
        cells.append(number((rest[1], None)))
    known = [c for c in cells if c]
    return sum(c[0] for c in known), sum(c[1] for c in known)


def label(cell):
    """"GEMM" of "G GEMM": a cell begins with the mark of its category."""
    return cell.split(' ', 1)[-1].strip()


class Site:
    def __init__(self, folder):
        self.folder, self.wrong, self.pages = folder, [], {}
        for path in sorted(glob.glob(os.path.join(folder, '*.html'))):
            self.pages[os.path.basename(path)] = Tables(path).tables

    def fail(self, text):
        self.wrong.append(text)

    def near(self, what, x, y, slack):
        if abs(x - y) > slack + 1e-9:
            self.fail(f'{what}: {x:.4f}, {y:.4f}')

    def table(self, page, caption):
        for t in self.pages.get(page, []):
            if t['caption'].startswith(caption):
                return t
        return None

    def whole(self, page, caption, column, want=100.0):
        t = self.table(page, caption)
        if t and t['rows']:
            have, slack = summed(t, column)
            self.near(f'{page}: {caption}: {column}', have, want, slack)

    def series(self, first):
        """pages of one long table: NAME.html, NAME-2.html ..."""
        stem = first[:-5]
        return [p for p in self.pages if p == first or re.fullmatch(stem + r'-\d+\.html', p)]

    def shares(self):
        for first, caption in (('kernels.html', 'Kernels, by total time'),
                               ('operations.html', 'Operations and their arguments, by total')):
            tables = [self.table(p, caption) for p in self.series(first)]
            tables = [t for t in tables if t and t['rows']]
            if tables:
                sums = [summed(dict(t, foot=''), 'Share, %') for t in tables]
                self.near(f'{first}: Share, %', sum(s for s, _ in sums), 100, sum(s for _, s in sums))
        self.whole('index.html', 'The operations with the largest', 'Share of kernel time, %')
        parts = self.table('system.html', 'Wall time, part by part')
        if parts and parts['rows']:
            values = {row[0][0]: float(row[2][1]) for row in parts['rows']}
            self.near('system.html: parts of the wall time',
                      sum(v for k, v in values.items() if k != 'Total'), 100, 1e-4)

    def categories(self):
        table = self.table('about.html', 'Categories of this trace')
        if not table or not table['rows']:
            return
        column = 'Of kernel time, %'
        self.near('about.html: categories', *[summed(table, column)[0], 100, summed(table, column)[1]])
        at = table['head'].index('Time, ms')
        time = {label(row[0][0]): number(row[at]) for row in table['rows']}
        for page, title in self.titles():
            self.whole(page, 'Kernels by time', 'Share of the category, %')
            self.whole(page, 'Modules by time', 'Share of the category, %')
            ops = self.table(page, 'Operations and their arguments')
            if not ops or ops['foot'] or len(self.series(page)) > 1:
                continue
            self.whole(page, 'Operations and their arguments', 'Share, %')
            if title in time:
                have, slack = summed(ops, 'Total, ms')
                self.near(f'{page}: time of its operations, and about.html', have, time[title][0],
                          slack + time[title][1])

    def titles(self):
        """(page, category) of the first page of each category."""
        for page in self.pages:
            if page.startswith('category-') and not re.search(r'-\d+\.html$', page):
                with open(os.path.join(self.folder, page), encoding='utf-8') as f:
                    yield page, re.search(r'<h1[^>]*>([^<]*)', f.read())[1].strip()

    def one_category(self):
        """A row of the tables of operations has the category on whose page it stands."""
        category = {}
        for page in self.series('operations.html'):
            t = self.table(page, 'Operations and their arguments')
            for row in t['rows'] if t else []:
                category[row[0][0]] = label(row[1][0])
        for page, title in self.titles():
            t = self.table(page, 'Operations and their arguments')
            for row in t['rows'] if t else []:
                if category.get(row[0][0], title) != title:
                    self.fail(f'{page}: {row[0][0][:60]} is {category[row[0][0]]} elsewhere')

    def several_pages(self):
        with open(os.path.join(self.folder, 'report.json'), encoding='utf-8') as f:
            report = json.load(f)
        with open(os.path.join(self.folder, 'standalone_analysis_fair.md'), encoding='utf-8') as f:
            fair = f.read()
        parts = self.table('system.html', 'Wall time, part by part')
        idle = re.search(r'\| Idle Time \| ([\d.]+)%', fair)
        if parts and parts['rows'] and idle:
            values = {row[0][0]: float(row[2][1]) for row in parts['rows']}
            self.near('idle time on system.html and in the fair report', values['Idle'],
                      float(idle[1]), 0.51 * 10 ** -len(idle[1].partition('.')[2]))
        total = sum(c['share_pct'] for c in report['categories'] if 'share_pct' in c)
        if any('share_pct' in c for c in report['categories']):
            self.near('report.json: categories', total, 100, 0.006 * len(report['categories']))
        known = {o['id']: o['share_pct'] for o in report['operations']}
        t = self.table('index.html', 'The operations with the largest')
        rows = t['rows'] if t else []
        for op, row in zip(report['operations'], rows):
            shown = number(row[t['head'].index('Share of kernel time, %')])
            self.near(f'index.html and report.json: {op["name"][:60]}', shown[0], known[op['id']],
                      shown[1] + 0.0051)


    def markdown(self):
        """Shares of compute are of one whole: no list of them adds up to more."""
        texts = {}
        for name in ('standalone_analysis.md', 'standalone_analysis_fair.md',
                     'standalone_analysis_rough.md'):
            path = os.path.join(self.folder, name)
            if os.path.exists(path):
                with open(path, encoding='utf-8') as f:
                    texts[name] = f.read()
        fair = re.findall(r'^### \d+\. .*\(([\d.]+)% of compute\)$',
                          texts.get('standalone_analysis_fair.md', ''), re.M)
        self.at_most('fair report: categories, % of compute', fair)
        for name, text in texts.items():
            for column, rows in md_tables(text):
                if column in ('% of Total Compute', '% of Kernel Time', '% of Compute'):
                    self.at_most(f'{name}: {column}', rows)

    def at_most(self, what, cells):
        total = sum(float(c) for c in cells)
        slack = sum(0.51 * 10 ** -len(c.partition('.')[2]) for c in cells)
        if total > 100 + slack + 1e-9:
            self.fail(f'{what}: {total:.2f}% of one whole')

    def copies(self):
        """A copy computes nothing: it has no share of kernel time and no category there."""
        with open(os.path.join(self.folder, 'report.json'), encoding='utf-8') as f:
            report = json.load(f)
        for op in report['operations']:
            kernels = op.get('kernels') or []
            if kernels and all(re.match(r'Mem(cpy|set) ', k) for k in kernels) and \
                    (op['category'] != 'copy' or op['share_pct']):
                self.fail(f'report.json: {op["name"][:60]} copies, but is {op["category"]}'
                          f' with {op["share_pct"]}% of kernel time')


def md_tables(text):
    """(head, cells) of each column of each table in which every row has a percentage."""
    for table in re.findall(r'(?:^\|.*\n)+', text, re.M):
        lines = [re.split(r'(?<!\\)\|', line)[1:-1] for line in table.splitlines()]
        if len(lines) < 3:
            continue
        for at, head in enumerate(lines[0]):
            cells = [re.fullmatch(r'\s*([\d.]+)%\s*', line[at]) for line in lines[2:] if len(line) > at]
            if cells:
                yield head.strip(), [c[1] for c in cells if c]


def faults(program, trace):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, 'site')
        analyze = [program, 'analyze', trace, '-p', 'MI300X', '-q']
        run = subprocess.run([*analyze, '-o', out], capture_output=True, text=True)
        if run.returncode:
            return [run.stderr.strip()]
        printed = {how: subprocess.run([*analyze, f'--print={how}'], capture_output=True, text=True).stdout
                   for how in ('text', 'json', 'md')}
        site = Site(out)
        site.shares()
        site.categories()
        site.one_category()
        site.several_pages()
        site.markdown()
        site.copies()
        wrong, several = one_truth.faults(out, printed)
        if several < 10:
            wrong.append(f'only {several} quantities are found in several places')
        return site.wrong + wrong


# Of each kind of difference: hardware, another run, other work, and a job against one of its ranks.
PAIRS = (('qwen-0.5b-h100', 'qwen-0.5b-mi300'), ('sglang-qwen3moe-b300', 'sglang-qwen3moe-mi300'),
         ('bert-small-h100', 'bert-small-mi300'), ('dlrm8-v100-r0', 'dlrm8-v100-r7'), ('dlrm8-v100-r1', 'bert-small-h100'))


def faults_of_several(program, command, inputs, judge, least):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, 'site')
        run = subprocess.run([program, command, *inputs, '-q', '-o', out], capture_output=True, text=True)
        if run.returncode:
            return [run.stderr.strip()]
        wrong, several = judge(out)
        return wrong + ([f'only {several} quantities are found in several places'] if several < least else [])


def several(program, shared):
    """(what, faults) of comparisons and of a job."""
    def at(name):
        return os.path.join(shared, 'traces', name + '.json.gz')
    for pair in PAIRS:
        yield ' and '.join(pair), faults_of_several(program, 'compare', [at(n) for n in pair], pair_truth.faults_of_comparison, 20)
    ranks = sorted(glob.glob(at('dlrm8-v100-r*')))
    yield 'a job of eight ranks', faults_of_several(program, 'job', ranks, pair_truth.faults_of_job, 80)


def main():
    program, shared, *wanted = sys.argv[1:]
    traces = wanted or sorted(glob.glob(os.path.join(shared, 'traces', '*.json.gz')) +
                              glob.glob(os.path.join(shared, 'unseen', '*.json.gz')) +
                              glob.glob(os.path.join(shared, 'other', '*.gz')))
    if not traces:
        print(f'check-truth: skipped, {shared}/traces is not there')
        print('0 passed, 0 failed, 1 skipped')
        return 0
    total = failed = 0
    results = ((os.path.basename(trace), faults(program, trace)) for trace in traces)
    for name, wrong in results if wanted else itertools.chain(results, several(program, shared)):
        total += 1
        failed += bool(wrong)
        print(f'{"not ok" if wrong else "ok"} - {name}', flush=True)
        for line in wrong[:10]:
            print(f'    {line}')
    print(f'{total - failed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
