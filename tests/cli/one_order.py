#!/usr/bin/env python3
"""Findings have one order and one priority, in data, on the site and in markdown.

    one_order.py FOLDER    of an analysis in all formats; exit 1 with what differs
"""
import json
import os
import re
import sys

ICONS = {'critical': '🔴', 'high': '🟡', 'medium': '🟢', 'low': '⚪'}


def read(folder, name):
    with open(os.path.join(folder, name), encoding='utf-8') as f:
        return f.read()


def plain(title):
    return title.replace('`', '')


def of_headings(headings, findings):
    """The finding of each (icon, title), which may go on behind the finding's own."""
    left = list(findings)
    for icon, title in headings:
        found = [f for f in left if plain(title).startswith(plain(f['title']))]
        if not found:
            sys.exit(f'no finding for the heading "{title}"')
        if icon != ICONS[found[0]['priority']]:
            sys.exit(f'{found[0]["rank"]} is {found[0]["priority"]} and has {icon}')
        left.remove(found[0])
        yield found[0]['id']


def main():
    folder = sys.argv[1]
    findings = json.loads(read(folder, 'report.json'))['findings']
    order = [f['id'] for f in findings]
    levels = [list(ICONS).index(f['priority']) for f in findings if not f['informational']]
    if levels != sorted(levels):
        sys.exit(f'a lower priority stands before a higher one: {levels}')
    page = read(folder, 'recommendations.html')
    table = page[page.index('id="t-findings"'):]
    orders = {'recommendations.html': re.findall(r'href="#(f-[0-9a-f]+)"',
                                                 table[:table.index('</table>')])}
    orders['the cards'] = re.findall(r'<article class="finding" id="(f-[0-9a-f]+)"', page)
    fair = re.findall(r'^### (\S+) \w+ Priority: (.*)$',
                      read(folder, 'standalone_analysis_fair.md'), re.M)
    orders['standalone_analysis_fair.md'] = list(of_headings(fair, findings))
    tiers = read(folder, 'standalone_analysis.md')
    for tier in ('kernel', 'fusion', 'system'):
        of_tier = [f for f in findings if f['tier'] == tier]
        titles = [(i, t) for i, t in re.findall(r'^### (\S+) P\d+: (.*)$', tiers, re.M)
                  if any(plain(t).startswith(plain(f['title'])) for f in of_tier)]
        orders[f'standalone_analysis.md, {tier}'] = list(of_headings(titles, of_tier))
    if len(orders['standalone_analysis_fair.md']) < 2:
        sys.exit('too few findings to tell their order')
    wrong = [f'{name}: {ids}' for name, ids in orders.items()
             if ids != [i for i in order if i in ids]]
    print('\n'.join(wrong), end='')
    return bool(wrong)


if __name__ == '__main__':
    sys.exit(main())
