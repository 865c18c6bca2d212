"""The same as one_truth.py of comparisons and of jobs: each quantity has one value, in pages,
markdown, CSV and JSON."""
import csv
import json
import re

from one_truth import NUMBER, Told, bare

UNITS = {'ns': 1e-6, 'µs': 1e-3, 'ms': 1.0, 's': 1e3}
LENGTH = NUMBER + r' (ns|µs|ms|s)\b'


class Pages(Told):
    """What pages and tables of a folder tell; lengths in ms."""

    def length(self, quantity, place, number, unit):
        low, high = (x * UNITS[unit] for x in self.spread(number))
        self.tell(quantity, place, (low + high) / 2, (high - low) / 2)

    def rows(self, page, caption):
        """(cells, column by title) of each row of a table."""
        for table in re.findall(r'<table>.*?</table>', page, re.S):
            if caption not in bare(re.search(r'<caption.*?</caption>', table, re.S)[0]):
                continue
            titles = [bare(t) for t in re.findall(r'<th scope="col"[^>]*>(.*?)</th>', table, re.S)]
            for row in re.findall(r'<tr[^>]*>.*?</tr>', table.split('<tbody>')[1], re.S):
                cells = [bare(c) for c in re.findall(r'<t[hd][^>]*>(.*?)</t[hd]>', row, re.S)]
                yield cells, dict(zip(titles, cells))

    def table(self, name):
        return list(csv.DictReader(self.read(name).splitlines()))

    def said(self, names):
        """(file, its words) of texts that people read."""
        for name in names:
            yield name, (bare(self.read(name)) if name.endswith('.html') else self.read(name).replace('`', ''))


def signed(text):
    """"-5.279" as the text of a number and its sign."""
    return text.lstrip('+-'), -1 if text.startswith('-') else 1


class Comparison(Pages):
    def __init__(self, folder):
        super().__init__(folder)
        self.of = json.loads(self.read('comparison_data.json'))
        self.labels = [self.of[side]['label'] for side in ('reference', 'target')]

    def sides(self, quantity, place, ref_ms, cand_ms, half=0.0):
        self.tell(f'{quantity}, reference, ms', place, ref_ms, half)
        self.tell(f'{quantity}, candidate, ms', place, cand_ms, half)

    def signed(self, quantity, place, text):
        """A difference: its amount and its sign are told apart, as ranges are of positive numbers."""
        number, sign = signed(text)
        self.tell(f'{quantity}, amount', place, number)
        if float(number.replace(',', '')):
            self.tell(f'{quantity}, sign', place, float(sign))

    def exactly(self, quantity, place, value, half=0.0):
        self.tell(f'{quantity}, amount', place, abs(value), half)
        if abs(value) > 2 * half + 0.05:
            self.tell(f'{quantity}, sign', place, 1.0 if value > 0 else -1.0)

    def whole(self):
        for quantity, key in (('run', 'wall'), ('device work', 'device')):
            x = self.of[key]
            self.sides(quantity, 'comparison_data.json', x['reference_ns'] / 1e6, x['candidate_ns'] / 1e6)
            self.exactly(f'{quantity}, change, %', 'comparison_data.json', x['diff_pct_of_reference'], 0.0051)
        ref, cand = (re.escape(label) for label in self.labels)
        verbs = {'shorter': -1.0, 'less': -1.0, 'longer': 1.0, 'more': 1.0}
        for name, text in self.said(('index.html', 'comment.md', 'comparative_analysis_fair.md')):
            for quantity, pattern in (
                    ('run', rf'In {cand} the (?:recording|run) takes {LENGTH}, {NUMBER}% (shorter|longer) than the {LENGTH} of {ref}'),
                    ('device work', rf'Device work is {LENGTH}, {NUMBER}% (less|more) than the {LENGTH} of {ref}')):
                for m in re.findall(pattern, text):
                    self.length(f'{quantity}, candidate, ms', name, m[0], m[1])
                    self.tell(f'{quantity}, change, %, amount', name, m[2])
                    self.tell(f'{quantity}, change, %, sign', name, verbs[m[3]])
                    self.length(f'{quantity}, reference, ms', name, m[4], m[5])
            for title, quantity in (('Total Time', 'run'), ('Idle Time', 'idle')):
                for a, b in re.findall(rf'\| {title} \| {NUMBER} ms \| {NUMBER} ms \|', text):
                    self.tell(f'{quantity}, reference, ms', name, a)
                    self.tell(f'{quantity}, candidate, ms', name, b)
            for b, a in re.findall(rf'In {cand} idle time is {NUMBER} ms against {NUMBER} ms', text):
                self.tell('idle, reference, ms', name, a)
                self.tell('idle, candidate, ms', name, b)
        self.sides('idle', 'comparison_data.json', *(self.of[s]['idle_ns'] / 1e6 for s in ('reference', 'target')))

    def parts(self):
        """The parts of both sides: they add up to them, in each place."""
        page = self.read('index.html')
        sums = [0.0, 0.0]
        for x in self.of['waterfall']:
            who = f'part {x["part"]}'
            self.sides(who, 'comparison_data.json', x['ref_ns'] / 1e6, x['tgt_ns'] / 1e6)
            self.exactly(f'{who}, difference, ms', 'comparison_data.json', x['diff_ns'] / 1e6)
            sums = [sums[0] + x['ref_ns'] / 1e6, sums[1] + x['tgt_ns'] / 1e6]
        if self.of['waterfall'] and not self.of['steps_compared']:
            self.sides('run', 'the sum of its parts', *sums, half=0.0006)
        for x in self.table('compare_csvs/compare_waterfall.csv'):
            who = f'part {x["part"]}'
            self.sides(who, 'compare_waterfall.csv', float(x['reference_ns']) / 1e6, float(x['candidate_ns']) / 1e6)
            self.exactly(f'{who}, difference, ms', 'compare_waterfall.csv', float(x['diff_ns']) / 1e6)
        for cells, _ in self.rows(page, 'Exclusive parts'):
            who = f'part {cells[0]}'
            self.tell(f'{who}, reference, ms', 'index.html', cells[1])
            self.tell(f'{who}, candidate, ms', 'index.html', cells[2])
            self.signed(f'{who}, difference, ms', 'index.html', cells[3])
        for cells, _ in self.rows(page, 'bars to the right took longer'):
            found = re.match(r'([+-]?[\d.,]+) ms', cells[1])
            if found:
                self.signed(f'part {cells[0]}, difference, ms', 'the chart', found[1])

    def operations(self):
        page = self.read('index.html')
        listed = list(self.rows(page, 'Matched work, by the size'))
        of_csv = self.table('compare_csvs/compare_rows.csv')
        matched = [x for x in of_csv if x['level'] and float(x['calls_reference']) and float(x['calls_candidate'])]
        for k, x in enumerate(self.of['ops']):
            who = f'operation {k + 1}, {x["name"]}'
            self.sides(f'{who}, a call', 'comparison_data.json', x['per_call_ref_us'] / 1e3, x['per_call_tgt_us'] / 1e3)
            self.exactly(f'{who}, difference, ms', 'comparison_data.json', x['diff_ns'] / 1e6)
            if k < len(matched) and matched[k]['name'] == x['name']:
                self.exactly(f'{who}, difference, ms', 'compare_rows.csv', float(matched[k]['diff_ns']) / 1e6)
                self.sides(f'{who}, a call', 'compare_rows.csv', float(matched[k]['total_reference_ns']) / 1e6 / x['n_ref'],
                           float(matched[k]['total_candidate_ns']) / 1e6 / x['n_tgt'], 1e-6)
            if k < len(listed):
                cells, of = listed[k]
                for label, side in zip(self.labels, ('reference', 'candidate')):
                    self.length(f'{who}, a call, {side}, ms', 'index.html', of[f'{label}, µs per call'], 'µs')
                self.signed(f'{who}, difference, ms', 'index.html', of['Difference, ms'])


class Job(Pages):
    def __init__(self, folder):
        super().__init__(folder)
        self.of, self.summary = json.loads(self.read('job.json')), json.loads(self.read('summary.json'))

    def run(self):
        w, s = self.of['what_if'], self.summary
        self.tell('run, ms', 'job.json', self.of['run_ns'] / 1e6)
        self.tell('replay, ms', 'job.json', w['recorded_ns'] / 1e6)
        self.tell('run, ms', 'summary.json', s['run_ns'] / 1e6)
        self.tell('replay, ms', 'summary.json', s['replayed_ns'] / 1e6)
        for key, quantity in (('no_late_ranks_ns', 'no late ranks, ms'), ('late_ranks_fixed_ns', 'late ranks fixed, ms')):
            self.tell(quantity, 'job.json', w[key] and w[key] / 1e6)
            self.tell(quantity, 'summary.json', s[key] and s[key] / 1e6)
        names = {'recorded': 'replay, ms', 'no late ranks': 'no late ranks, ms', 'late ranks fixed': 'late ranks fixed, ms'}
        for x in self.table('job_csvs/job_whatif.csv'):
            if x['change'] in names:
                self.tell(names[x['change']], 'job_whatif.csv', float(x['total_ns']) / 1e6)
        for name, text in self.said(('index.html', 'job_report.md', 'job_fair.md')):
            for m in re.findall(rf'The run takes {LENGTH} on (\d+) ranks(?:; if all ranks arrived at the median time, it would take {LENGTH})?', text):
                self.length('run, ms', name, m[0], m[1])
                self.tell('ranks', name, m[2])
                if m[3]:
                    self.length('no late ranks, ms', name, m[3], m[4])
        self.tell('ranks', 'job.json', float(self.of['ranks_present']))
        self.tell('ranks', 'summary.json', float(s['ranks_present']))
        self.verdict()

    def verdict(self):
        """The first sentence: no more than what the replay saves, and the share of the run that it is."""
        first = self.of['verdict'][0]
        for name, text in self.said(('index.html', 'job_report.md', 'job_fair.md')):
            if first not in text:
                self.told[f'verdict in {name}'] = [(0, 0, name, 'something else'), (1, 1, 'job.json', first)]
        m = re.search(rf'by {LENGTH} of the run of {LENGTH} \({NUMBER}%', first)
        if not m:
            return
        self.length('run, ms', 'the verdict', m[3], m[4])
        low, high = (x * UNITS[m[2]] for x in self.spread(m[1]))
        self.tell('verdict, % of the run', 'its length', 100e6 * low / self.of['run_ns'], 100e6 * (high - low) / self.of['run_ns'])
        self.tell('verdict, % of the run', 'its text', m[5])
        fixed = self.of['what_if']['late_ranks_fixed_ns']
        saves_ms = (self.of['what_if']['recorded_ns'] - fixed) / 1e6 if fixed else None
        if saves_ms is not None and not self.of['steps'] and low > saves_ms + 1e-6:
            self.told['verdict, ms'] = [(low, high, 'the verdict', m[0]), (saves_ms, saves_ms, 'the replay', saves_ms)]

    def ranks(self):
        page, late = self.read('index.html'), {x['rank']: x for x in self.summary['late_ranks']}
        keys = {'Window, ms': 'window_ns', 'Computing, %': 'compute_ns', 'Moving data, %': 'transfer_ns', 'Waiting, %': 'wait_ns',
                'Copies, %': 'copy_ns', 'Idle, %': 'idle_ns'}
        by_rank = {}
        for x in self.of['ranks']:
            who = f'rank {x["rank"]}'
            by_rank[str(x['rank'])] = x
            self.tell(f'{who}: causes, ms', 'job.json', x['blame_ns'] / 1e6)
            self.tell(f'{who}: causes, %', 'job.json', 100 * x['blame_share'])
            if x['rank'] in late:
                self.tell(f'{who}: causes, %', 'summary.json', late[x['rank']]['blame_pct'], 0.0051)
                self.tell(f'{who}: alone saves, ms', 'summary.json', late[x['rank']]['save_ns'] / 1e6)
                self.tell(f'{who}: alone saves, ms', 'job.json', x['save_ns'] / 1e6)
        for x in self.table('job_csvs/job_blame.csv'):
            self.tell(f'rank {x["rank"]}: causes, ms', 'job_blame.csv', float(x['blame_ns']) / 1e6)
            self.tell(f'rank {x["rank"]}: causes, %', 'job_blame.csv', 100 * float(x['blame_share']))
        for x in self.table('job_csvs/job_ranks.csv'):
            for key in keys.values():
                self.tell(f'rank {x["rank"]}: {key}', 'job_ranks.csv', float(x[key]))
                self.tell(f'rank {x["rank"]}: {key}', 'job.json', float(by_rank[x['rank']]['balance'][key]))
        for cells, _ in self.rows(page, 'The others wait for'):
            found = re.fullmatch(LENGTH + rf', {NUMBER}%', cells[1])
            if found:
                self.length(f'{cells[0]}: causes, ms', 'the chart', found[1], found[2])
                self.tell(f'{cells[0]}: causes, %', 'the chart', found[3])
        for cells, of in self.rows(self.read('ranks.html'), 'Time of each rank in parts'):
            window_ns = by_rank[cells[0]]['balance']['window_ns']
            for title, key in keys.items():
                part = by_rank[cells[0]]['balance'][key]
                value = part / 1e6 if title.endswith('ms') else 100 * part / window_ns
                self.tell(f'rank {cells[0]}: {title}', 'job.json', value)
                self.tell(f'rank {cells[0]}: {title}', 'ranks.html', of[title])
        for rank, share, _, _, saves in re.findall(r'^\| (\d+) \| ([\d.]+)% \| ([^|]*) \| ([^|]*) \| ([^|]*) \|$', self.read('job_fair.md'), re.M):
            self.tell(f'rank {rank}: causes, %', 'job_fair.md', share)
            found = re.fullmatch(LENGTH, saves)
            if found:
                self.length(f'rank {rank}: alone saves, ms', 'job_fair.md', found[1], found[2])


def answer(truth):
    return truth.wrong(), sum(len({t[2] for t in told}) > 1 for told in truth.told.values())


def faults_of_comparison(folder):
    truth = Comparison(folder)
    truth.whole()
    truth.parts()
    truth.operations()
    truth.workbook('comparison.xlsx', ['compare_csvs'])
    return answer(truth)


def faults_of_job(folder):
    truth = Job(folder)
    truth.run()
    truth.ranks()
    return answer(truth)
