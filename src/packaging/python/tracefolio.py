"""tracefolio in Python: analyse a trace where it was recorded.

    with profile(..., on_trace_ready=tracefolio.handler('runs/today')) as prof: ...
    report = tracefolio.analyze('trace.json.gz')    # report.verdict, report.findings, report['window']
    tracefolio.compare('before.json.gz', 'after.json.gz')
    tracefolio.job('captures')

The program does the work, in a process of its own; this module starts it and reads what it prints.
Options are those of the command line: analyze(trace, platform='H100', theme='mono', quiet=True).
"""
import html
import itertools
import json
import os
import subprocess
import sys
import tempfile

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), '_tracefolio', 'bin', 'tracefolio')


class Error(RuntimeError):
    """The program failed: its one line of what is wrong, and its exit status."""

    def __init__(self, status, line):
        super().__init__(line)
        self.status = status


def _options(options):
    """{'fail_on': ['critical'], 'quiet': True} as arguments."""
    for name, value in options.items():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is not None and one is not False:
                yield '--' + name.replace('_', '-') + ('' if one is True else f'={one}')


def _run(arguments):
    done = subprocess.run([PROGRAM, *map(os.fspath, arguments)], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode not in (0, 10):  # 10: the report is there, and a gate failed or is open
        lines = done.stderr.decode('utf-8', 'replace').strip().splitlines()
        raise Error(done.returncode, lines[-1] if lines else f'tracefolio: status {done.returncode}')
    return done.returncode, done.stdout.decode('utf-8', 'replace')


class Report(dict):
    """summary.json of a report, as a dictionary. path: its folder, or None; passed: no gate failed."""

    def __init__(self, summary, path=None, status=0):
        super().__init__(summary)
        self.path, self.passed = path, status == 0

    @property
    def verdict(self):
        return self['verdict']['text']

    @property
    def findings(self):
        return self['findings']

    def __repr__(self):
        actions = [f"{k}. {f['title']}" for k, f in enumerate(self.findings[:3], 1)]
        return '\n'.join([self.verdict, *actions] + ([f'Report: {self.path}/index.html'] if self.path else []))

    def _repr_html_(self):
        """The verdict, a bar of where the time goes, and the first three things to do."""
        window = self['window']
        exposed = [window['exposed_comm_pct'], window['exposed_copy_pct']]
        computing = max(0, 100 - window['idle_pct'] - sum(exposed)) if window['total_ns'] else 0
        parts = zip(('#2a6fb0', '#c98a1b', '#8d6bb8', '#d8dce2'),
                    ('computing', 'exposed communication', 'exposed copies', 'idle'),
                    (computing, *exposed, window['idle_pct']))
        bar = ''.join(f'<span title="{name} {pct:.1f} %" style="display:inline-block;height:14px;width:{pct:.2f}%;'
                      f'background:{colour}"></span>' for colour, name, pct in parts if pct > 0)
        actions = ''.join(f"<li>{html.escape(f['title'])}</li>" for f in self.findings[:3])
        link = f'<p><a href="{html.escape(self.path)}/index.html">Report</a></p>' if self.path else ''
        return (f'<div><p><b>{html.escape(self.verdict)}</b></p><p>{html.escape(self["verdict"]["lead"])}</p>'
                f'<div style="width:100%;font-size:0">{bar}</div><ol>{actions}</ol>{link}</div>')


def analyze(trace, output=None, **options):
    """The report of a trace; with `output`, its folder is written too. Raises Error."""
    where = [] if output is None else ['--output', output]
    status, text = _run(['analyze', trace, '--print=json', *where, *_options(options)])
    return Report(json.loads(text), None if output is None else os.fspath(output), status)


class Folder:
    """What compare and job wrote: path, the lines that the program printed, passed."""

    def __init__(self, path, text, status):
        self.path, self.text, self.passed = path, text.strip(), status == 0

    def __repr__(self):
        return self.text

    def _repr_html_(self):
        lines = ''.join(f'<p>{html.escape(line)}</p>' for line in self.text.splitlines())
        return f'<div>{lines}<p><a href="{html.escape(self.path)}/index.html">Report</a></p></div>'


def _folder(command, inputs, output, options):
    path = os.fspath(output) if output is not None else os.path.join(tempfile.mkdtemp(prefix='tracefolio-'), command)
    status, text = _run([command, *inputs, '--output', path, *_options(options)])
    return Folder(path, text, status)


def compare(reference, candidate, output=None, **options):
    """What differs between two captures, and why. Raises Error."""
    return _folder('compare', [reference, candidate], output, options)


def job(inputs, output=None, **options):
    """Which ranks hold a job up: a folder of captures, or a list of them. Raises Error."""
    return _folder('job', [inputs] if isinstance(inputs, (str, os.PathLike)) else list(inputs), output, options)


def handler(folder, **options):
    """For torch.profiler's on_trace_ready: exports each trace into `folder` and analyses it beside the
    training, at low priority; verdict and path are printed when it is done. Whatever fails is one line
    on standard error, and never an exception."""
    recorded = itertools.count(1)
    children = []

    def ready(profiler):
        try:
            os.makedirs(folder, exist_ok=True)
            rank = os.environ.get('RANK')
            name = ('trace' if rank is None else f'rank{int(rank)}') + f'-{next(recorded)}'
            trace = os.path.join(folder, name + '.json.gz')
            profiler.export_chrome_trace(trace)
            children[:] = [c for c in children if c.poll() is None]
            children.append(subprocess.Popen(
                ['nice', '-n', '19', PROGRAM, 'analyze', trace, '--output', os.path.join(folder, name), '--force',
                 '--jobs', '1', *_options(options)], stdin=subprocess.DEVNULL))
        except Exception as problem:  # pylint: disable=broad-except
            print(f'tracefolio: not analysed: {problem}', file=sys.stderr)

    ready.children = children
    return ready


def main():
    """The command `tracefolio`."""
    os.execv(PROGRAM, ['tracefolio', *sys.argv[1:]])


if __name__ == '__main__':
    main()
