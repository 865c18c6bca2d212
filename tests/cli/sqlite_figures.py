"""sqlite_figures.py FILE.gz REPORT...: do reports have the figures of the tables that they were made from?

The figures come from SQL here, without the product. A report for each process, in the order of devices."""
import csv
import gzip
import sqlite3
import sys
import tempfile


csv.field_size_limit(1 << 24)


def union(spans):
    total, end = 0, None
    for start, stop in sorted(spans):
        begin = start if end is None else max(start, end)
        total += max(0, stop - begin)
        end = stop if end is None else max(end, stop)
    return total


def works_of(db):
    """For each process: kernels, copies and fills as (start, end)."""
    tables = {name for name, in db.execute('select name from sqlite_master')}
    if 'rocpd_op' in tables:
        kind = 'select string from rocpd_string where id = opType_id'
        return [[db.execute(f'select start, end from rocpd_op where ({kind}) {like}').fetchall()
                 for like in ("in ('KernelExecution', 'Task')", "like 'Copy%'", "like 'Fill%'")]]
    pids = [p for p, in db.execute('select globalPid from CUPTI_ACTIVITY_KIND_KERNEL group by 1 order by min(deviceId)')]
    return [[db.execute(f'select start, end from CUPTI_ACTIVITY_KIND_{t} where globalPid = ?', (p,)).fetchall()
             for t in ('KERNEL', 'MEMCPY', 'MEMSET')] for p in pids]


def check(report, works):
    spans = [s for work in works for s in work]
    window = max(e for _, e in spans) - min(s for s, _ in spans)
    with open(report + '/perf_report_csvs/gpu_timeline.csv', encoding='utf-8') as f:
        got = {row.split(',')[0]: float(row.split(',')[1]) for row in f.read().splitlines()[1:]}
    want = {'total_time': window / 1e6, 'busy_time': union(spans) / 1e6,
            'idle_time': (window - union(spans)) / 1e6, 'total_memcpy_time': union(works[1]) / 1e6}
    for key, value in want.items():
        if abs(got[key] - value) > 1e-6:
            sys.exit(f'{report}: {key}: {got[key]} ms, and by the tables {value} ms')
    with open(report + '/perf_report_csvs/kernel_summary.csv', encoding='utf-8', newline='') as f:
        count = sum(int(row['Kernel duration (µs)_count']) for row in csv.DictReader(f))
    if count != len(works[0]):
        sys.exit(f'{report}: {count} kernels, and by the tables {len(works[0])}')


def main():
    with tempfile.NamedTemporaryFile() as f:
        f.write(gzip.open(sys.argv[1]).read())
        f.flush()
        works = works_of(sqlite3.connect(f.name))
    if len(works) != len(sys.argv) - 2:
        sys.exit(f'{len(works)} processes')
    for report, of in zip(sys.argv[2:], works):
        check(report, of)


if __name__ == '__main__':
    main()
