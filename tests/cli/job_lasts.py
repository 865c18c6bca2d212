"""job_lasts.py SITE - the page of the worst waits and the table of collectives name the same last ranks."""
import csv
import re
import sys

site = sys.argv[1]
with open(site + '/job_csvs/job_collectives.csv', newline='') as f:
    waits = {int(r['wait_ns']): r['last_rank'] for r in csv.DictReader(f)}
with open(site + '/worst.html', encoding='utf-8') as f:
    text = f.read()
shown = re.findall(r'<th scope="row"[^>]*>rank.(\d+), last</th>', text)
want = [waits[ns] for ns in sorted(waits, reverse=True)[:5]]
assert len(want) == 5 and shown == want, (shown, want)
