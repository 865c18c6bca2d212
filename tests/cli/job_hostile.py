"""job_hostile.py PROGRAM CAPTURES - jobs of damaged and of hostile captures.

Each case changes good captures. A job of them is refused in one line that has the words given (what
is damaged alone only with --strict: without, it is left out with that line), or made; it never crashes, takes long, or lets text of a capture command a terminal or a page.
"""
import copy
import glob
import gzip
import json
import os
import subprocess
import sys
import tempfile

program, folder = sys.argv[1:]
good = []
for path in sorted(glob.glob(folder + '/*.capture.json.gz')):
    with gzip.open(path, 'rt') as f:
        good.append(json.load(f))
BIG = 1 << 61
CODE = '<script>alert(1)</script>\x1b[31m\u202e"\'&{{x}}\x00'
cases = []


def case(name, words=None, ranks=(1,)):
    """Changes the captures of `ranks`; `words`: of the line that refuses, else it is made."""
    def add(change):
        cases.append((name, words, ranks, change))
    return add


def column(table, key, at, value):
    def change(c):
        n = len(next(iter(c[table].values())))
        c[table].setdefault(key, [0] * n)[at] = value
    return change


def meta(**values):
    def change(c):
        for key, value in values.items():
            of = c['meta']['recording'] if key in c['meta']['recording'] else c['meta']
            of[key] = value
    return change


def repeated(c, n):
    """n collectives of no number, all at one time, as long as the recording."""
    start, end = c['meta']['recording']['start_ns'], c['meta']['recording']['end_ns']
    for key, values in c['collectives'].items():
        values[:] = [values[0] if key in ('signature', 'stream') else 0] * n
    c['collectives']['start_ns_delta'][0] = start
    c['collectives']['dur_ns'] = [end - start] * n


case('a time before the one before', 'not by start')(column('collectives', 'start_ns_delta', 3, -10**12))
case('a time that overflows', 'start_ns_delta')(column('collectives', 'start_ns_delta', 3, BIG * 3))
case('a collective longer than its recording', 'outside the recording')(column('collectives', 'dur_ns', 2, BIG))
case('a negative part', 'outside the recording')(column('collectives', 'idle_ns', 2, -5))
case('parts longer than the time before', 'outside the recording')(column('collectives', 'compute_ns', 2, 10**14))
case('causes that overflow', 'outside the recording')(column('collectives', 'idle_python_ns', 2, -BIG))
case('a recording that ends before it begins', 'recording')(meta(end_ns=-BIG))
case('a recording of years', 'not that of a job')(meta(end_ns=BIG // 2))
case('a clock beyond all time', 'base_ns|not that of a job')(meta(base_ns=(1 << 63) - 1))
case('a clock of another year')(meta(base_ns=5, trace_base_ns=5))
case('clocks of four years', ranks=(0, 1, 2, 3))(lambda c: c['meta'].update(base_ns=c['meta']['rank'] << 57))
case('more ranks than there can be', 'more ranks')(meta(rank=(1 << 31) - 1))
case('a world that cannot be', 'more ranks', ranks=(0, 1, 2, 3))(meta(world_size=(1 << 31) - 1))
case('a world of a million', ranks=(0, 1, 2, 3))(meta(world_size=1 << 20))
case('devices without number', 'more ranks')(meta(n_devices=1 << 30))
case('two captures of one rank', 'give one trace of a rank')(meta(rank=0, sha256='f' * 64))
case('a group of less than none', 'a size that cannot be')(column('groups', 'size', 0, -1))
case('a group of too many', 'a size that cannot be')(column('groups', 'size', 0, (1 << 31) - 1))
case('lists of ranks that grow', 'ranks')(column('groups', 'ranks', 0, [[0, 0, 1 << 20]] * 17))
case('ranks beyond all', 'ranks')(column('groups', 'ranks', 0, [[1 << 20, 1 << 20, 1 << 20]]))
case('a group that others say is of other ranks')(column('groups', 'ranks', 0, [[0, 2, 4]]))
case('a group of nobody')(column('groups', 'ranks', 0, []))
case('a number of 2^61', ranks=(0, 1, 2, 3))(column('collectives', 'sequence', 1, BIG))
case('a signature that is not there', 'a signature that is not there')(column('collectives', 'signature', 0, -1))
case('a signature of no group')(column('signatures', 'group', 0, -1))
case('a message of 2^61 elements', 'a size that cannot be')(column('signatures', 'in_elements', 0, BIG))
case('a text that is not there', 'kind')(column('signatures', 'kind', 0, 10**6))
case('a column that is too short', 'several lengths')(lambda c: c['collectives']['dur_ns'].pop())
case('a column of words', 'dur_ns')(column('collectives', 'dur_ns', 0, 'long'))
case('a real that is none')(column('steps', 'new_tokens', 0, 1e308))
case('covers that lie on each other', 'covers')(column('covers', 'start_ns_delta', 1, -1))
case('a block outside', 'blocks')(column('blocks', 'dur_ns', 0, 10**15))
case('a step within another', 'steps')(column('steps', 'start_ns_delta', 1, -10**7))
case('parts of steps that overflow', 'parts')(lambda c: c['parts']['window'].__setitem__(slice(0, 3), [BIG] * 3))
case('no tables', 'no collective|none has', ranks=(0, 1, 2, 3))(
    lambda c: [c[k].clear() for k in ('blocks', 'collectives', 'covers', 'groups', 'p2p', 'signatures') if k in c])
case('no meta', 'in the recording')(lambda c: c.pop('meta'))
case('a meta of depth', 'capture')(lambda c: c.__setitem__('meta', '[' * 100000))
case('a table that is a list')(lambda c: c.__setitem__('covers', []))
case('one number for all steps')(lambda c: c['steps'].__setitem__('number', [7] * len(c['steps']['number'])))
case('collectives all at once', ranks=(0, 1, 2, 3))(lambda c: repeated(c, 20000 + c['meta']['rank']))
case('transfers to nobody', 'a rank that cannot be')(column('collectives', 'peer', 0, -7))


@case('names that are code', ranks=(0, 1, 2, 3))
def _(c):
    for name in ('name', 'description'):
        c['groups'][name] = [len(c['strings'])] * len(c['groups'][name])
    for name in ('dtype', 'name', 'in_split'):
        c['signatures'][name] = [len(c['strings'])] * len(c['signatures'][name])
    c['strings'].append(CODE)
    c['meta'].update(host=CODE, file=CODE, library=CODE, device=CODE, sha256=CODE + str(c['meta']['rank']))


def text_of(c):
    text = json.dumps(c, separators=(',', ':'))
    return text.replace('"' + '[' * 100000 + '"', '[' * 100000)


def run(captures, work, *options):
    into = os.path.join(work, 'in')
    os.makedirs(into, exist_ok=True)
    for old in glob.glob(into + '/*'):
        os.remove(old)
    for i, line in enumerate(captures):
        with open('%s/%d.capture.json' % (into, i), 'w', encoding='utf-8', errors='surrogatepass') as f:
            f.write(line + '\n')
    return subprocess.run([program, 'job', into, '-o', os.path.join(work, 'site'), '--force', *options],
                          capture_output=True, timeout=60)


def told(done):
    return (done.stdout + done.stderr).decode('utf-8', 'replace')


def check(name, words, ranks, change, work):
    captures = copy.deepcopy(good)
    for r in ranks:
        change(captures[r])
    lines = [text_of(c) for c in captures]
    done = run(lines, work, *(['--strict'] if words else []))
    said = told(done)
    assert 'runtime error' not in said and 'Sanitizer' not in said, said[:2000]
    assert not any(c in said for c in '\x1b\u202e\0'), repr(said[:300])
    if words:
        assert done.returncode == 3, (done.returncode, said[:500])
        last = done.stderr.decode('utf-8', 'replace').rstrip('\n').split('\n')[-1]
        assert any(w in last for w in words.split('|')), last
        lenient = run(lines, work)
        said = told(lenient)
        assert any(w in said for w in words.split('|')) and '\x1b' not in said, said[:500]
        assert lenient.returncode == 3 or (lenient.returncode == 0 and 'left out: ' in said), (lenient.returncode, said[:500])
        return
    assert done.returncode == 0, (done.returncode, said[:500])
    site = os.path.join(work, 'site')
    with open(site + '/job.json', encoding='utf-8') as f:
        first = f.read()
    json.loads(first)
    for page in glob.glob(site + '/*.html'):
        with open(page, encoding='utf-8') as f:
            text = f.read()
        assert '<script>alert' not in text and '\x1b' not in text and '\u202e' not in text, page
    again = run(list(reversed(lines)), work, '-j', '1')
    with open(site + '/job.json', encoding='utf-8') as f:
        assert again.returncode == 0 and f.read() == first, 'another order, another job'


failed = 0
with tempfile.TemporaryDirectory() as work:
    for i, (name, *rest) in enumerate(cases):
        try:
            check(name, *rest, work)
            print('ok %d - %s' % (i + 1, name))
        except (AssertionError, subprocess.TimeoutExpired, ValueError) as e:
            failed = 1
            print('not ok %d - %s\n# %s' % (i + 1, name, str(e)[:600].replace('\n', '\n# ')))
print('1..%d' % len(cases))
sys.exit(failed)
