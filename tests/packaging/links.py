#!/usr/bin/env python3
"""links.py FOLDER - every link, picture and style sheet of the pages at the top of FOLDER is there, and
so is the heading that a link names."""
import glob
import html
import os
import re
import sys

folder, bad, n = sys.argv[1], 0, 0
pages = {os.path.basename(p): open(p, encoding='utf-8').read() for p in glob.glob(os.path.join(folder, '*.html'))}
for name, text in sorted(pages.items()):
    for at in re.findall(r'(?:href|src)="([^"]*)"', text):
        path, _, part = html.unescape(at).partition('#')
        if re.match(r'[a-z]+:', path):
            continue
        n += 1
        there = not path or os.path.isfile(os.path.join(folder, path))
        if there and part:
            there = f'id="{part}"' in pages.get(path or name, '')
        if not there:
            print(f'{name}: {at} leads nowhere')
            bad += 1
if n < 200:
    print(f'{n} links in {len(pages)} pages: too few')
sys.exit(bad > 0 or n < 200)
