"""Each quantity has one value, wherever it is written: pages, markdown, CSV, workbook and JSON of a
report, and what `--print` prints.

What is written is a range: "40.4" is anything from 40.35 to 40.45, "1,195" from 1194.5 to
1195.5. All ranges of one quantity have to overlap.
"""
import csv
import html
import json
import os
import re
import zipfile

MARKDOWN = ('standalone_analysis.md', 'standalone_analysis_fair.md', 'standalone_analysis_rough.md', 'comment.md')
NUMBER = r'(\d[\d,]*(?:\.\d+)?)'
PARTS = {'computation': 'Computation', 'exposed_communication': 'Exposed communication',
         'exposed_copies': 'Exposed copies', 'idle': 'Idle'}


def bare(markup):
    """What people read of a part of a page."""
    text = html.unescape(re.sub(r'<[^>]*>', '', markup)).replace('\u00a0', ' ')
    return re.sub(r'\s+', ' ', text).strip()


def spread(text, digits=None):
    """(lowest, highest) that text may stand for; digits: how many of it count, of a rounded range."""
    text = text.replace(',', '')
    places, value = len(text.partition('.')[2]), float(text)
    half = 0.5 * 10 ** -places
    if digits and not places and value >= 10 ** digits:
        half = 0.5 * 10 ** (len(text) - digits)
    return value - half, value + half


def sheets_of(path):
    """{sheet: rows of texts} of a workbook, numbers as they are written; none without one."""
    if not os.path.exists(path):
        return {}
    with zipfile.ZipFile(path) as book:
        def part(name):
            return book.read('xl/' + name).decode()
        strings = [html.unescape(''.join(re.findall(r'<t[^>]*>(.*?)</t>', item, re.S)))
                   for item in re.findall(r'<si>(.*?)</si>', part('sharedStrings.xml'), re.S)]
        found = {}
        for k, name in enumerate(re.findall(r'<sheet name="([^"]*)"', part('workbook.xml'))):
            rows = []
            for row in re.findall(r'<row [^>]*>(.*?)</row>', part(f'worksheets/sheet{k + 1}.xml'), re.S):
                cells = {}
                for at, kind, value in re.findall(r'<c r="([A-Z]+)\d+"[^>]*?(?: t="(\w+)")?><v>(.*?)</v></c>', row, re.S):
                    column = 0
                    for letter in at:
                        column = 26 * column + ord(letter) - 64
                    cells[column - 1] = strings[int(value)] if kind == 's' else 'FT'[int(value)] if kind == 'b' else value
                rows.append([cells.get(i, '') for i in range(max(cells, default=-1) + 1)])
            found[html.unescape(name)] = rows
    return found


def alike(cell, text):
    """A cell of a workbook, and of the CSV file."""
    if cell == text or cell in 'FT' and cell == text[:1]:
        return True
    try:
        x, y = float(cell), float(text)
    except ValueError:
        return len(text) > 32000 and text.startswith(cell[:30000])
    return abs(x - y) <= 1e-12 * max(abs(x), abs(y))


class Told:
    """What the files of a folder tell of each quantity."""

    spread = staticmethod(spread)

    def __init__(self, folder):
        self.folder, self.told = folder, {}

    def read(self, name):
        path = os.path.join(self.folder, name)
        if not os.path.exists(path):
            return ''
        with open(path, encoding='utf-8', newline='') as f:
            return f.read()

    def tell(self, quantity, place, value, half=0.0, digits=None):
        """value: a number, exact to `half`, or the text of one; None: that place has none."""
        if value is None:
            return
        low, high = spread(value, digits) if isinstance(value, str) else (value - half, value + half)
        self.told.setdefault(quantity, []).append((low, high, place, value))

    def workbook(self, name, folders):
        """Each sheet has the rows of a CSV file, cell by cell."""
        files = {file[:-4]: os.path.join(folder, file) for folder in folders if os.path.isdir(os.path.join(self.folder, folder))
                 for file in os.listdir(os.path.join(self.folder, folder)) if file.endswith('.csv')}
        for sheet, rows in sheets_of(os.path.join(self.folder, name)).items():
            file = next((f for f in sorted(files) if f[:31] == sheet), None)
            if not file:
                continue
            csv.field_size_limit(1 << 30)
            text = list(csv.reader(self.read(files[file]).splitlines(keepends=True)))
            self.tell(f'rows of {sheet}', name, float(len(rows)))
            self.tell(f'rows of {sheet}', files[file], float(len(text)))
            for number, (row, line) in enumerate(zip(rows, text)):
                row += [''] * (len(line) - len(row))
                for column, (cell, value) in enumerate(zip(row, line)):
                    if not alike(cell, value):
                        self.told[f'{sheet}, row {number + 1}, {text[0][column]}'] = [
                            (0, 0, name, cell[:60]), (1, 1, files[file], value[:60])]

    def wrong(self):
        """"quantity: place says a, place says b" of what does not overlap."""
        found = []
        for quantity, told in self.told.items():
            lowest, highest = max(told), min(told, key=lambda t: t[1])
            if lowest[0] > highest[1] + 1e-6:
                found.append(f'{quantity}: {lowest[2]} says {lowest[3]}, {highest[2]} says {highest[3]}')
        return found


class Truth(Told):
    def __init__(self, folder, printed=None):
        """printed: {how: what --print=how prints} of the same trace."""
        super().__init__(folder)
        self.printed = printed or {}
        self.report = json.loads(self.read('report.json'))
        self.summary = json.loads(self.read('summary.json'))
        self.priority = json.loads(self.read('priority_data.json') or '{}')
        self.index, self.cards = self.read('index.html'), self.read('recommendations.html')
        self.md = {name: self.read(name) for name in MARKDOWN}

    def cells(self, page, caption):
        """{first cell: [text of the others]} of a table."""
        at = page.find(f'>{caption}')
        body = re.search(r'<tbody>(.*?)</tbody>', page[at:], re.S) if at >= 0 else None
        rows = [[bare(c) for c in re.findall(r'<t[hd][^>]*>(.*?)</t[hd]>', row, re.S)]
                for row in re.findall(r'<tr[^>]*>(.*?)</tr>', body[1], re.S)] if body else []
        return {row[0]: row[1:] for row in rows if row}

    # What is compared.

    def window(self):
        w, s = self.report['window'], self.summary['window']
        self.tell('total, ms', 'report.json', w['total']['time_ms'], 0.0006)
        self.tell('total, ms', 'summary.json', s['total_ns'] / 1e6)
        self.tell('total, ms', 'priority_data.json', self.priority.get('baseline_ms'), 0.0006)
        short = {'exposed_communication': 'exposed_comm', 'exposed_copies': 'exposed_copy'}
        parts = self.cells(self.read('system.html'), 'Wall time, part by part')
        for name, title in PARTS.items():
            key = short.get(name, name)
            self.tell(f'{name}, ms', 'report.json', w[name]['time_ms'], 0.0006)
            self.tell(f'{name}, %', 'report.json', w[name]['total_pct'], 0.0051)
            self.tell(f'{name}, %', 'summary.json', s.get(f'{key}_pct'), 0.0051)
            if s.get(f'{key}_ns') is not None:
                self.tell(f'{name}, ms', 'summary.json', s[f'{key}_ns'] / 1e6)
            if title in parts:
                self.tell(f'{name}, ms', 'system.html', parts[title][0])
                self.tell(f'{name}, %', 'system.html', parts[title][1])
        self.tell('busy, %', 'report.json', w['busy']['total_pct'], 0.0051)
        self.tell('busy, %', 'summary.json', s['busy_pct'], 0.0051)
        for row in csv.DictReader(self.read('perf_report_csvs/gpu_timeline.csv').splitlines()):
            name = {'computation_time': 'computation', 'exposed_comm_time': 'exposed_communication',
                    'exposed_memcpy_time': 'exposed_copies'}.get(row['type'])
            if name:
                # The reference counts the wait of the first collective for ranks that record later.
                skew_ms = w['start_skew_ms'] if name == 'exposed_communication' else 0
                self.tell(f'{name}, ms', 'gpu_timeline.csv', float(row['time ms']) - skew_ms, 0.0016)
        self.wall_bar()
        self.rows_of_markdown()
        self.in_words('verdict of report.json', self.report['verdict'])
        self.in_words('verdict of summary.json', self.summary['verdict']['text'])

    def prints(self):
        """What --print says: the window, the findings with what they save; as JSON it is summary.json."""
        text = self.printed.get('text', '')
        for quantity, title, unit in (('total', 'Total time', 'ms'), ('busy', 'GPU busy', '%'), ('idle', 'Idle', '%'),
                                      ('exposed_communication', 'Exposed communication', '%'), ('exposed_copies', 'Exposed copies', '%')):
            found = re.search(rf'^{title} +{NUMBER} ?{unit}$', text, re.M)
            self.tell(f'{quantity}, {unit}', '--print', found and found[1])
        flat = re.sub(r'\s+', ' ', text)
        self.in_words('--print', flat)
        for f in self.report['findings']:
            found = re.search(rf'\((\w+), worth ([^;()]*?)(?:; [^()]*)?; {f["id"]}\)', flat)
            if found:
                who = f['rank'] + ' ' + f['id']
                self.same(f'{who}: priority as printed', {'--print': found[1], 'report.json': f['priority']})
                self.saves(who, '--print', found[2], f['impact'] or {}, f.get('impact_then') or {}, 2)
        for quantity, column, unit in (('total, ms', 0, ' ms'), ('busy, %', 1, '%'), ('idle, %', 2, '%'),
                                       ('exposed_communication, %', 3, '%'), ('exposed_copies, %', 4, '%')):
            row = re.search(r'^\|[-|]+\|\n\| (.* ms) \|.*$', self.printed.get('md', ''), re.M)
            cells = row[0].split('\n')[1].strip('| ').split(' | ') if row else []
            value = re.fullmatch(NUMBER + unit, cells[column]) if len(cells) > column else None
            self.tell(quantity, '--print=md', value and value[1])
        if 'json' in self.printed:
            mine, its = self.summary, json.loads(self.printed['json'])
            for key in sorted(set(mine) | set(its)):
                if mine.get(key) != its.get(key):
                    self.told[f'{key} of summary.json'] = [(0, 0, 'summary.json', str(mine.get(key))[:80]), (1, 1, '--print=json', str(its.get(key))[:80])]
        if self.printed:
            self.tell('ways to print', 'asked for', float(len(self.printed)))
            self.tell('ways to print', 'that say something', float(sum(bool(x.strip()) for x in self.printed.values())))

    def in_words(self, place, text):
        """The verdict tells a share of the window; of several GPUs that of one."""
        for name, pattern in (('computation, %', rf'[Tt]he GPU computes for {NUMBER}% of'), ('idle, %', rf'[Tt]he GPU is idle for {NUMBER}% of')):
            found = re.search(pattern, text.split('What to do first')[0])
            if found and not self.report.get('gpus'):
                self.tell(name, place, found[1])

    def wall_bar(self):
        """The bar of the first page: its parts, and idle time as their sum."""
        at = self.index.find('id="chart-wall-time"')
        idle_low = idle_high = 0.0
        for title, (value, *_) in self.cells(self.index[at:], 'The GPU is busy').items():
            found = re.fullmatch(NUMBER + r' ms, [\d.]+%', value)
            name = {v: k for k, v in PARTS.items()}.get(title)
            if found and name and name != 'idle':
                self.tell(f'{name}, ms', 'index.html', found[1])
            elif found:
                low, high = spread(found[1])
                idle_low, idle_high = idle_low + low, idle_high + high
        if idle_high:
            self.told.setdefault('idle, ms', []).append(
                (idle_low, idle_high, 'index.html', f'{idle_low:.3f} to {idle_high:.3f}'))

    def rows_of_markdown(self):
        rows = (('total, ms', rf'\| Total Time \| {NUMBER} ms'), ('total, ms', rf'\(of {NUMBER} ms total\)'),
                ('computation, ms', rf'\| Total Compute Time \| {NUMBER} ms'),
                ('computation, %', rf'\| GPU Utilization \| {NUMBER}%'), ('busy, %', rf'\| GPU Busy \| {NUMBER}%'),
                ('idle, %', rf'\| Idle (?:Time|%) \| {NUMBER}%'), ('idle, ms', rf'\| Idle time \| {NUMBER} ms'),
                ('exposed_communication, %', rf'\| Exposed Communication(?: %)? \| {NUMBER}%'),
                ('after the first, ms', rf'becomes about {NUMBER} ms'))
        for name, text in self.md.items():
            for quantity, pattern in rows:
                for value in re.findall(pattern, text):
                    self.tell(quantity, name, value)

    def stages(self):
        """The run as it is and with the first findings fixed: the headline, its bars, the JSON."""
        stages = self.report.get('stages') or []
        self.tell('after the first, ms', 'report.json', self.report.get('after_first_ms'), 0.0006)
        after_ns, first = self.summary['window'].get('after_first_ns'), self.summary.get('first') or {}
        total_ns = self.summary['window']['total_ns']
        if after_ns is not None:
            self.tell('after the first, ms', 'summary.json', after_ns / 1e6)
        if first.get('gain_ns') is not None:
            self.tell('after the first, ms', 'first of summary.json', (total_ns - first['gain_ns']) / 1e6, 0.001)
        hero = re.search(r'<p class="verdict">(.*?)</p>', self.index, re.S)
        said = re.match(NUMBER + r' (m?s) → about ' + NUMBER + r' \2', bare(hero[1])) if hero else None
        if said and said[2] == 'ms':
            self.tell('total, ms', 'headline of index.html', said[1])
            self.tell('after the first, ms', 'headline of index.html', said[3])
        if stages and said:
            shown = re.findall(r'<span class="n">(.*?)</span>', self.index)[1:]
            if len(shown) != len(stages):
                self.told['stages'] = [(len(shown), len(shown), 'index.html', len(shown)),
                                       (len(stages), len(stages), 'report.json', len(stages))]
            for stage, text in zip(stages, shown):
                value = re.fullmatch(NUMBER + ' ms', bare(text))
                self.tell(f'stage {stage["rank"]}, ms', 'report.json', stage['after_ms'], 0.0006)
                self.tell(f'stage {stage["rank"]}, ms', 'index.html', value and value[1])

    def categories(self):
        short = {c['label']: c for c in self.summary['categories']}
        about = self.cells(self.read('about.html'), 'Categories of this trace')
        about = {k.split(' ', 1)[-1]: v for k, v in about.items()}
        bars = self.cells(self.index[self.index.find('id="chart-categories"'):], '')
        for c in self.report['categories']:
            label = c['label']
            time, share = f'{label}, ms', f'{label}, % of kernel time'
            self.tell(time, 'report.json', c['time_ms'], 0.0006)
            self.tell(share, 'report.json', c.get('share_pct'), 0.0051)
            if label in short:
                self.tell(time, 'summary.json', short[label]['kernel_sum_ns'] / 1e6)
                self.tell(share, 'summary.json', short[label]['kernel_sum_pct'], 0.0051)
                self.tell(f'launches of {label}', 'report.json', c['launches'])
                self.tell(f'launches of {label}', 'summary.json', short[label]['launches'])
                self.tell(f'efficiency of {label}', 'report.json', c['efficiency_pct'], 0.0051)
                self.tell(f'efficiency of {label}', 'summary.json', short[label]['efficiency_pct'], 0.0051)
            for cells in (about.get(label), bars.get(label)):
                found = re.search(NUMBER + r' ms, ' + NUMBER + '%', ' '.join(cells or []))
                if found:
                    self.tell(time, 'a chart of index.html', found[1])
                    self.tell(share, 'a chart of index.html', found[2])
            page = re.search(r'<p class="verdict">(.*?)</p>', self.read(c['href']), re.S) if c.get('href') else None
            found = re.search(rf'takes {NUMBER} ms, {NUMBER}% of kernel time', bare(page[1])) if page else None
            if found:
                self.tell(time, c['href'], found[1])
                self.tell(share, c['href'], found[2])
            for name, text in self.md.items():
                for value in re.findall(rf'(?:Most|The largest part of) kernel time is {re.escape(label)} \({NUMBER}%\)', text):
                    self.tell(share, name, value)
                for value in re.findall(rf'(?:most computation is|Top Bottleneck Category \|) {re.escape(label)} \({NUMBER}%\)', text):
                    self.tell(f'{label}, % of compute', name, value)
            self.tell(f'{label}, % of compute', 'report.json', c.get('compute_pct'), 0.0051)

    def findings(self):
        short = {f['id']: f for f in self.summary['findings']}
        raw = {f['id']: f for f in self.priority.get('findings', [])}
        for f in self.report['findings']:
            who, gain = f['rank'] + ' ' + f['id'], f['impact'] or {}
            for end in ('low', 'high'):
                for unit, half in (('ms', 0.0006), ('pct', 0.0051)):
                    name = f'{who}: saves, {end}, {unit}'
                    self.tell(name, 'report.json', gain.get(f'{end}_{unit}'), half)
                    own = (raw.get(f['key']) or {}).get('impact') or {}
                    if [x['key'] for x in self.report['findings']].count(f['key']) == 1:
                        self.tell(name, 'priority_data.json', own.get(f'{end}_{unit}'), half)
                x = short.get(f['id'], {})
                if gain.get(f'{end}_ms') is not None and x.get(f'gain_{end}_ns') is not None:
                    self.tell(f'{who}: saves, {end}, ms', 'summary.json', x[f'gain_{end}_ns'] / 1e6)
                    self.tell(f'{who}: saves, {end}, pct', 'summary.json', x[f'gain_{end}_pct'], 0.0051)
            self.same(f'{who}: priority', {
                'report.json': 'note' if f['informational'] else f['priority'],
                'summary.json': 'note' if f['informational'] else short.get(f['id'], {}).get('severity'),
                'recommendations.html': self.severity(f)})
            self.same(f'{who}: title', {'report.json': f['title'], 'summary.json': short.get(f['id'], {}).get('title')})
            self.same(f'{who}: issue', {'report.json': f['issue'], 'summary.json': short.get(f['id'], {}).get('issue')})
            self.row_of(f, who)
            self.within(f, who)
        count = re.search(r'All (\d+) findings', self.index)
        if count:
            shown = [f for f in self.report['findings'] if not f['informational']]
            self.tell('findings', 'index.html', float(count[1]))
            self.tell('findings', 'report.json', float(len(shown)))

    def within(self, f, who):
        """No more is saved than the time that a finding is about, but by what also takes calls of the host away, which says so."""
        if f.get('time_ms') is None or 'delay what follows by more' in f['issue']:
            return
        for name in ('impact', 'impact_then'):
            high = (f.get(name) or {}).get('high_ms')
            if high is not None and high > f['time_ms'] * 1.011 + 0.0006:
                self.told[f'{who}: {name}'] = [(high, high, 'its saving', high), (0, f['time_ms'], 'its time', f['time_ms'])]

    def severity(self, f):
        row = re.search(rf'<tr><th scope="row">{f["rank"]}</th>.*?</tr>', self.cards, re.S)
        word = re.search(r'class="sev sev-([a-z]+)"', row[0]) if row else None
        return word and word[1]

    def row_of(self, f, who):
        """A saving in two digits, now and once the host keeps up: the first page, the table of findings, markdown."""
        now, then = f['impact'] or {}, f.get('impact_then') or {}
        at = self.index.find(f'<h3><a href="recommendations.html#{f["id"]}">')
        row = self.index[at:self.index.find('</li>', at)] if at >= 0 else ''
        row = re.search(r'class="value">(.*?)<', row)
        self.saves(who, 'a row of index.html', (bare(row[1]) if row else '') + (' once the host keeps up' if then else ''), now, then, 2)
        hero = re.search(rf'<b class="rank">{f["rank"]}</b>.*?<span>saves (.*?)</span>', self.index, re.S)
        self.saves(who, 'headline of index.html', bare(hero[1]) if hero else '', now, {}, 2)
        line = re.search(rf'`{f["id"]}` \| [a-z]+ \| ([^|]*)\|', self.md['comment.md'])
        self.saves(who, 'comment.md', line[1] if line else '', now, then, 2)
        row = re.search(rf'<tr><th scope="row">{f["rank"]}</th>.*?</tr>', self.cards, re.S)
        cells = [bare(c) for c in re.findall(r'<td[^>]*>(.*?)</td>', row[0], re.S)] if row else []
        cell = cells[5] if len(cells) > 5 else ''
        late = re.match(r'(.*?) ?once (?:[SKF]\d+ is fixed|the host keeps up)(?:; alone (.*))?$', cell)
        told = f'{late[1]} ms once the host keeps up' + (f'; {late[2]} ms' if late[2] else '') if late else cell + ' ms'
        self.saves(who, 'recommendations.html', told if cell else '', now, then, None)
        title = re.escape(f['title'])
        for name, key in (('standalone_analysis_fair.md', 'Worth'), ('standalone_analysis.md', 'Impact')):
            text = re.sub(r'`', '', self.md[name])
            card = re.search(rf'^### [^\n]*: {title}\n(.*?)(?=^###|\Z)', text, re.M | re.S)
            worth = re.search(rf'^\*\*{key}\*\*: (.*)$', card[1], re.M) if card else None
            if worth and [x['title'] for x in self.report['findings']].count(f['title']) == 1:
                self.saves(who, name, worth[1], now, then, 2)

    def saves(self, who, place, text, now, then, digits):
        """The ranges of text: what is saved now, and behind "then" or before "once" what is saved then.

        What is left of it behind others is another figure."""
        for found in re.finditer(NUMBER + r'(?: to ' + NUMBER + r')? ms(?! total)', text):
            if text[:found.start()].endswith(' of ') or text[found.end():].startswith(' after those above'):
                continue
            late = text[:found.start()].endswith(('then ', 'keeps up: ')) or text[found.end():].startswith(' once')
            name, of = ('then', then) if late else ('now', now)
            for end, value in (('low', found[1]), ('high', found[2] or found[1])):
                if of and of.get(f'{end}_ms') is not None:
                    self.tell(f'{who}: saves {name}, {end}, ms', 'report.json', of[f'{end}_ms'], 0.0006)
                    self.tell(f'{who}: saves {name}, {end}, ms', place, value, digits=digits)

    def same(self, what, said):
        """Words: each place that has them has the same."""
        known = {place: words for place, words in said.items() if words}
        if len(set(known.values())) > 1:
            self.told[what] = [(i, i, place, words) for i, (place, words) in enumerate(known.items())]

    def counts(self):
        checks = self.summary['checks']
        said = re.search(r'(\d+) of (\d+) checks? passed', bare(self.index))
        by = {k: sum(c['result'] == k for c in self.report['checks']['list']) for k in ('passed', 'warning', 'failed')}
        for k, n in by.items():
            self.tell(f'checks {k}', 'report.json', float(n))
            self.tell(f'checks {k}', 'summary.json', float(checks[k]))
        if said:
            self.tell('checks passed', 'index.html', float(said[1]))
            self.tell('checks', 'index.html', float(said[2]))
            self.tell('checks', 'report.json', float(len(self.report['checks']['list'])))
        self.tell('events', 'summary.json', float(self.summary['input']['events']))
        for name in ('index.html', 'about.html'):
            for value in re.findall(r'(?:one trace of|Events</dt><dd>|uncompressed.*?bytes,) ?([\d,]+)', self.read(name)):
                self.tell('events', name, value)
        steps = self.report['steps']
        self.tell('median step, ms', 'report.json', steps['median_ms'], 0.0006)
        if self.summary['steps'].get('median_ns'):
            self.tell('median step, ms', 'summary.json', self.summary['steps']['median_ns'] / 1e6)
        mfu = self.summary.get('mfu') or {}
        said = re.search(rf'\bMFU (?:at least )?{NUMBER}%', bare(self.index))
        if said and mfu.get('mfu_pct') is not None:
            self.tell('MFU, %', 'index.html', said[1])
            self.tell('MFU, %', 'summary.json', mfu['mfu_pct'], 0.0051)

    def operations(self):
        """Each operation by its address: the tables of all pages, and the JSON."""
        known = {o['id']: o for o in self.report['operations']}
        keys = {'Launches': ('launches', 0), 'Time, ms': ('time_ms', 0.0006), 'Total, ms': ('time_ms', 0.0006),
                'Share of kernel time, %': ('share_pct', 0.0051), 'Efficiency, % of roof': ('efficiency_pct', 0.0051)}
        pages = sorted(n for n in os.listdir(self.folder) if re.match(r'(index|operations|category-).*\.html$', n))
        for page, table in ((p, t) for p in pages for t in re.findall(r'<table>.*?</table>', self.read(p), re.S)):
            heads = []
            for attributes, title in re.findall(r'<th scope="col"([^>]*)>(.*?)</th>', table, re.S):
                heads += [bare(title)] * int((re.findall(r'colspan="(\d)"', attributes) or [1])[0])
            for row in re.findall(r'<tr[^>]*>.*?</tr>', table, re.S) if heads[:1] == ['Operation'] else []:
                oid = re.search(r'operations(?:-\d+)?\.html#(op-[0-9a-f-]+)"', row)
                op = known.get(oid[1]) if oid else None
                cells = [bare(c) for c in re.findall(r'<t[hd][^>]*>(.*?)</t[hd]>', row, re.S)] if op else []
                for title, cell in zip(heads, cells):
                    if title in keys and re.fullmatch(NUMBER, cell) and op[keys[title][0]] is not None:
                        name = f'{keys[title][0]} of {op["id"]}'
                        self.tell(name, 'report.json', float(op[keys[title][0]]), keys[title][1])
                        self.tell(name, page, cell)

    def first(self):
        """What to do first: the site and the markdown name the same finding."""
        lead = self.report['lead']
        if lead.startswith('First, '):
            said = {name: re.search(r'Start with \*([^*]+)\*', text) for name, text in self.md.items()}
            titles = {name: m[1].replace('`', '') for name, m in said.items() if m}
            self.same('what to do first', {'report.json': lead, **{
                name: lead if title.lower() in lead.lower() else title for name, title in titles.items()}})

    def units(self):
        for name, text in (*self.md.items(), ('index.html', bare(self.index)), ('recommendations.html', bare(self.cards))):
            for found in re.findall(r'.{0,30}\d us\b', text):
                self.told[f'µs in {name}'] = [(0, 0, name, found), (1, 1, 'people', 'µs')]


def faults(folder, printed=None):
    """What a report says in two ways; and how many quantities are written in several places."""
    truth = Truth(folder, printed)
    truth.window()
    truth.workbook('perf_report.xlsx', ['perf_report_csvs'])
    truth.prints()
    truth.stages()
    truth.categories()
    truth.findings()
    truth.counts()
    truth.operations()
    truth.first()
    truth.units()
    return truth.wrong(), sum(len({t[2] for t in told}) > 1 for told in truth.told.values())
