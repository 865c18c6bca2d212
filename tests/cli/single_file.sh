#!/bin/bash
# The one-file form: whole, alone, the same bytes every time, and never half written.
#
#   tests/cli/single_file.sh BUILD      TAP on standard output
set -u
. "$(dirname "$0")/../tap.sh"
build=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

tf=$build/tracefolio
single() { status 0 "$tf" analyze "$1" -p MI300X -q -o "$2" --single-file "$3" "${@:4}"; }

# Reads the file as a browser's parser would see it: FILE FOLDER, prints what is wrong.
cat >look.py <<'PY'
import base64, glob, hashlib, os, re, sys
from html.parser import HTMLParser

class Page(HTMLParser):
    VOID = {'meta', 'link', 'br', 'hr', 'img', 'input', 'wbr'}
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.ids, self.refs, self.links, self.wrong = [], [], [], []
        self.policy, self.raw, self.open, self.text = None, {}, [], []
        self.heads, self.level, self.embedded = [], 0, []
    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            self.open.append(tag)
        if tag in ('link', 'iframe', 'object', 'embed', 'base', 'form'):
            self.wrong.append('element ' + tag)
        if tag in ('style', 'script'):
            self.raw.setdefault(tag, []).append('')
        if re.fullmatch('h[1-6]', tag):
            self.heads.append(int(tag[1]))
        for name, value in attrs:
            value = value or ''
            if name == 'id':
                self.ids.append(value)
            elif name in ('aria-labelledby', 'aria-describedby', 'for', 'headers'):
                self.refs += value.split()
            elif name == 'href' and value.startswith('data:application/zip;base64,'):
                self.embedded.append((dict(attrs).get('download'), base64.b64decode(value.split(',')[1])))
            elif name in ('href', 'xlink:href'):
                self.links.append(value)
            elif name in ('src', 'style', 'srcset', 'data-rows') or name.startswith('on'):
                self.wrong.append('attribute %s="%s"' % (name, value[:40]))
            self.refs += re.findall(r'url\(#([^)]*)\)', value)
            if name == 'content' and 'default-src' in value:
                self.policy = value
    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if self.open and self.open[-1] == tag:
            self.open.pop()
    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.wrong.append('</%s> closes %s' % (tag, self.open[-1:]))
        else:
            self.open.pop()
    def handle_data(self, data):
        if self.open and self.open[-1] in ('style', 'script'):
            self.raw[self.open[-1]][-1] += data
        else:
            self.text.append(data)

def read(path):
    page = Page()
    page.feed(open(path, encoding='utf-8', newline='').read())
    page.close()
    return page

def words(page):
    return ' '.join(' '.join(page.text).split())

one, folder = read(sys.argv[1]), sys.argv[2]
wrong = list(one.wrong)
if one.open:
    wrong.append('not closed: %s' % one.open)
ids = set(one.ids)
wrong += ['twice: ' + i for i in ids if one.ids.count(i) > 1]
wrong += ['bad id: ' + i for i in ids if not re.fullmatch('[a-zA-Z0-9-]+', i)]
wrong += ['no such id: ' + r for r in one.refs if r not in ids]
wrong += ['link: ' + l for l in one.links if not l.startswith('#') or l[1:] not in ids]
packages = [(os.path.basename(p), open(p, 'rb').read()) for p in glob.glob(folder + '/replay_packages/*.zip')]
if sorted(one.embedded) != (sorted(packages) if 'packages' in sys.argv[3:] else []):
    wrong.append('embedded: %s, not %s' % ([n for n, _ in one.embedded], [n for n, _ in packages]))
if one.heads.count(1) != 1 or one.heads[0] != 1:
    wrong.append('headings of the first level: %d' % one.heads.count(1))
wrong += ['heading skips from %d to %d' % (a, b)
          for a, b in zip(one.heads, one.heads[1:]) if b > a + 1]
# One ends each page for the parser, and is empty (single_sheet.html).
ends = [text for text in one.raw['script'] if not text]
one.raw['script'] = [text for text in one.raw['script'] if text]
if len(ends) != sum(i.startswith('page-') and i + '-h' in ids for i in ids):
    wrong.append('%d empty scripts' % len(ends))
for tag in ('style', 'script'):
    if len(one.raw.get(tag, [])) != 1:
        wrong.append('%s elements: %d' % (tag, len(one.raw.get(tag, []))))
        continue
    digest = hashlib.sha256(one.raw[tag][0].encode()).digest()
    named = "%s-src 'sha256-%s'" % (tag, base64.b64encode(digest).decode())
    if named not in (one.policy or ''):
        wrong.append('the policy does not name the %s' % tag)
if re.search(r'url\(|@import|http', one.raw['style'][0]):
    wrong.append('the style fetches')

# The same content and the same ids as the folder form, page by page.
text, have = words(one), 0
for path in sorted(glob.glob(folder + '/*.html')):
    if path.endswith('-by-count.html'): # rows of another page in another order
        continue
    page, stem = read(path), os.path.basename(path)[:-5]
    if 'page-' + stem not in ids:
        wrong.append('no section for ' + stem)
    for i in page.ids:
        have += 1
        if i not in ids and stem + '--' + i not in ids:
            wrong.append('id of %s is gone: %s' % (stem, i))
    source = open(path, encoding='utf-8').read()
    main = Page()
    main.feed(source[source.index('<main'):source.index('</main>')])
    if words(main) not in text:
        wrong.append('text of %s differs' % stem)
    for link in page.links:
        target = link.split('#')[0]
        if target and not target.endswith(('.html', '.css')) and not target.startswith('assets/icon.') and os.path.basename(target) not in text:
            wrong.append('neither here nor listed: ' + link)
if have < 50:
    wrong.append('the folder has only %d ids' % have)
print('\n'.join(sorted(set(wrong))[:20]))
sys.exit(bool(wrong))
PY

"$build/tracefolio-sample" --kind llm-prefill --layers 2 --steps 2 --defect unfused-attention \
    --defect item-sync -o t.json.gz || exit 1
"$build/tracefolio-sample" --empty -o empty.json.gz || exit 1
"$build/tracefolio-sample" --hostile -o hostile.json.gz 2>/dev/null || rm -f hostile.json.gz

check 'writes the folder and the file' eval 'single t.json.gz a a.html && [ -s a/index.html ] && [ -s a.html ]'
check 'whole, alone, with the ids of the folder' python3 look.py a.html a
check 'the folder is what it is without' \
    eval 'status 0 "$tf" analyze t.json.gz -p MI300X -q -o b && diff -r a b'
check 'verify agrees' status 0 "$tf" verify a
check 'another folder, locale, time zone and one thread: the same bytes' \
    eval 'mkdir deep && (cd deep && TZ=Asia/Tokyo LC_ALL=C "$tf" analyze ../t.json.gz -p MI300X -q -j1 \
        -o d --single-file other.html) && cmp a.html deep/other.html'
check 'without -o' \
    eval 'mkdir there && cp t.json.gz there && status 0 "$tf" analyze there/t.json.gz -p MI300X -q --single-file c.html &&
        [ -s there/analysis_output/index.html ] && cmp a.html c.html'
check 'without pages in the folder' \
    eval 'single t.json.gz e e.html --formats csv && [ ! -e e/index.html ] && [ -d e/perf_report_csvs ] &&
        python3 look.py e.html e 2>&1 | grep -qx "the folder has only 0 ids"'
check 'a trace without device work' eval 'single empty.json.gz f f.html && python3 look.py f.html f'
[ -s hostile.json.gz ] &&
    check 'a trace with hostile names' eval 'single hostile.json.gz h h.html && python3 look.py h.html h'
for theme in high-contrast mono; do
    check "theme $theme" eval "single t.json.gz g g.html --theme $theme && python3 look.py g.html g"
done

check 'packages are left out' \
    eval 'single t.json.gz k k.html --replay aten::mm,aten::mul && [ "$(ls k/replay_packages | wc -l)" = 2 ] &&
        python3 look.py k.html k'
check 'or put in, each once, byte for byte' \
    eval 'single t.json.gz k k.html --replay aten::mm,aten::mul --embed-replay && python3 look.py k.html k packages &&
        ! grep -q "left-out\">aten_mm" k.html'
check 'into one file only, and none that are not made' \
    eval 'status 2 "$tf" analyze t.json.gz -p none -q -o n --embed-replay && grep -q "requires --single-file" err &&
        status 2 "$tf" analyze t.json.gz -p none -q -o n --single-file n.html --formats site --embed-replay && [ ! -e n ]'

check 'an old report is replaced' eval 'sed -i "s/<main/<old/" a.html && single t.json.gz a a.html && cmp a.html c.html'
check 'with the rights of any new file' eval '(umask 022; single t.json.gz a a.html) && [ "$(stat -c %a a.html)" = 644 ]'
check 'nothing half made stays behind' eval '[ -z "$(ls -A | grep "^\.")" ]'

# Many operations with long names of their own: pages of several MB.
python3 - <<'PY'
import json
events, at = [], 0
for i in range(1400):
    name, kernel = 'lib::op_%05d_%s' % (i, 'x' * 4200), 'kernel_%05d_%s' % (i, 'y' * 4200)
    events += [{'ph': 'X', 'cat': 'cpu_op', 'name': name, 'pid': 1, 'tid': 1, 'ts': at, 'dur': 8,
                'args': {'External id': i}},
               {'ph': 'X', 'cat': 'cuda_runtime', 'name': 'hipLaunchKernel', 'pid': 1, 'tid': 1, 'ts': at + 1,
                'dur': 2, 'args': {'correlation': i}},
               {'ph': 'X', 'cat': 'kernel', 'name': kernel, 'pid': 0, 'tid': 7, 'ts': at + 4, 'dur': 9,
                'args': {'correlation': i, 'External id': i, 'device': 0, 'stream': 7}}]
    at += 10
json.dump({'traceEvents': events}, open('large.json', 'w'))
PY
check 'above 8 MB it warns, and writes' \
    eval 'single large.json l l.html && [ "$(stat -c %s l.html)" -gt 8000000 ] && grep -q -- "--single-file is [0-9.]* MB" err'
check 'below it does not' eval 'single t.json.gz a a.html && [ ! -s err ]'
check 'above the limit it refuses, names three parts, and the folder is there' \
    eval 'cp a.html l.html && status 4 "$tf" analyze large.json -p none -q -o l --single-file l.html --single-file-limit 2 &&
        [ "$(wc -l <err)" = 1 ] && [ "$(grep -o "[a-z0-9-]*\.html [0-9.]* MB" err | wc -l)" = 3 ] &&
        grep -q "folder is written" err && grep -q "single-file-limit" err && cmp a.html l.html && "$tf" verify l'
check 'a limit that is none' status 2 "$tf" analyze t.json.gz -p none --single-file x.html --single-file-limit 0
check 'a folder that does not exist is reported before the analysis' \
    eval 'status 4 "$tf" analyze t.json.gz -p none -q -o n --single-file no/where.html && [ ! -e n ]'
check 'nor may it lie in the folder' \
    eval 'status 2 "$tf" analyze t.json.gz -p none -q -o a --single-file a/one.html && grep -q "outside it" err && [ -s a/index.html ]'
check 'a folder instead of a file' eval 'status 4 "$tf" analyze t.json.gz -p none -q -o n --single-file there && [ ! -e n ]'

echo "1..$count"
exit $failed
