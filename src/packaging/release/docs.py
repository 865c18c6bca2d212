#!/usr/bin/env python3
"""docs.py PROGRAM SAMPLE VERSION DATE FOLDER - the documentation as a website that opens from disk, in
FOLDER: README and guides, help, schemas, and a gallery of ten reports of made-up traces, whose style
sheet all pages have. Needs cmark-gfm. The same repository gives the same bytes.

A link of a guide leads to its page, or to a copy of the file; a link to a folder, of which only a
checkout has the content, becomes text. A link that leads nowhere is an error.
"""
import glob
import html
import json
import os
import posixpath
import re
import shutil
import string
import subprocess
import sys
import tempfile

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../..'))
HERE = os.path.join('src', 'packaging', 'release')
GUIDES = [('README.md', 'index', 'tracefolio'), ('assets/inputs/README.md', 'inputs', None),
          ('assets/job/README.md', 'ranks', None), ('assets/agents/README.md', 'agents', None),
          ('assets/patterns/README.md', 'writing-patterns', None), ('assets/replay/README.md', 'replay', 'Replay packages'),
          *((f'assets/coming-from/{name}.md', f'from-{name}', None)
            for name in ('tensorboard', 'tracelens', 'hta', 'nsys', 'chrome')),
          ('samples/README.md', 'samples', None), ('CONTRIBUTING.md', 'contributing', None),
          ('SECURITY.md', 'security', None), ('CHANGELOG.md', 'changes', None)]
PAGE_OF = {path: f'{name}.html' for path, name, _ in GUIDES}
PAGE_OF['assets/schemas'] = 'schemas.html'
# Name, title, arguments of the sample: what is planted is what the report should say first.
REPORTS = [
    ('serving', 'Serving a language model', ['--kind', 'serving']),
    ('prefill', 'Prefill with three mistakes', ['--layers', '4', '--defect', 'unfused-attention', '--defect',
                                                'skinny-gemm', '--defect', 'item-sync']),
    ('decode', 'Decode whose layers are one GPU graph', ['--kind', 'llm-decode', '--defect', 'gpu-graph']),
    ('experts', 'A mixture of experts with few tokens each', ['--kind', 'moe', '--defect', 'moe-few-tokens']),
    ('allreduce', 'Training whose gradients are reduced too late', ['--kind', 'cnn-training', '--defect',
                                                                    'exposed-allreduce']),
    ('input', 'Training that waits for its images', ['--kind', 'cnn-training', '--defect', 'cpu-preprocessing']),
    ('host', 'A host that launches more slowly than the GPU runs', ['--defect', 'host-bound']),
    ('healthy', 'A run with little to gain', ['--kind', 'healthy'])]


def run(*command, text=True, status=(0,)):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=text, check=False,
                          stdin=subprocess.DEVNULL, env={'PATH': os.environ['PATH'], 'LC_ALL': 'C'})
    if done.returncode not in status:
        sys.exit(f'docs: {" ".join(command)}: status {done.returncode}\n{done.stderr}')
    return done.stdout


def slug(text):
    """The address of a heading, as pages of repositories have it."""
    text = html.unescape(re.sub(r'<[^>]+>', '', text)).lower()
    return re.sub(r'[^\w\- ]', '', text).replace(' ', '-')


def code(text):
    return re.sub('`([^`]*)`', r'<code>\1</code>', html.escape(text))


class Site:
    def __init__(self, program, sample, version, date, folder):
        self.program, self.sample, self.folder = program, sample, folder
        self.shell = string.Template(self.source(f'{HERE}/page.html'))
        self.always = {'version': version, 'date': date}
        self.nav = [('index.html', 'tracefolio'), ('gallery.html', 'Gallery'), ('help.html', 'Help'),
                    ('schemas.html', 'Schemas')]
        self.ids, self.wanted = {}, []

    @staticmethod
    def source(path):
        with open(os.path.join(ROOT, path), encoding='utf-8') as f:
            return f.read()

    def heading(self, path):
        return re.match(r'#+ (.*)', self.source(path))[1].replace('`', '')

    def write(self, name, title, body):
        """A page, with an address for each heading."""
        ids = self.ids[name] = []

        def heading(m):
            address, n = slug(m[2]), 1
            while address in ids:
                address, n = f'{slug(m[2])}-{n}', n + 1
            ids.append(address)
            return f'<h{m[1]} id="{address}">{m[2]}</h{m[1]}>'
        body = re.sub(r'<h([2-6])>(.*?)</h\1>', heading, body, flags=re.S)
        over = re.findall(r'<h2 id="([^"]*)">(.*?)</h2>', body, flags=re.S)
        toc = ''.join(f'<a href="#{a}">{re.sub("<[^>]+>", "", t)}</a>\n' for a, t in over)
        if len(over) > 2:
            toc = f'<nav class="toc" aria-label="On this page"><p>On this page</p>\n{toc}</nav>'
        else:
            toc = ''
        nav = '\n'.join(f'<li><a href="{href}"{" aria-current=" + chr(34) + "page" + chr(34) if href == name else ""}>'
                        f'{html.escape(text)}</a></li>' for href, text in self.nav)
        with open(os.path.join(self.folder, name), 'w', encoding='utf-8') as f:
            f.write(self.shell.substitute(self.always, title=html.escape(title), nav=nav, toc=toc, body=body))

    def lead(self, page, path, href):
        """Where a link of the guide at path goes from its page, or None: to a folder."""
        if re.match(r'[a-z]+:', href):
            return href
        target, _, part = html.unescape(href).partition('#')
        if not target:
            self.wanted.append((page, page, part))
            return href
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        there = os.path.join(ROOT, target)
        if target in PAGE_OF:
            self.wanted.append((page, PAGE_OF[target], part))
            return PAGE_OF[target] + ('#' + part if part else '')
        if os.path.isdir(there):
            return None
        name = 'files/' + target.replace('/', '-').lstrip('.') + ('' if target.endswith('.png') else '.txt')
        try:
            shutil.copyfile(there, os.path.join(self.folder, name))
        except FileNotFoundError:
            sys.exit(f'docs: {path}: {href}: no such file')
        return name

    def guide(self, path, name, title):
        body = run('cmark-gfm', '-e', 'table', '-e', 'strikethrough', os.path.join(ROOT, path))
        body = re.sub(r'\A\s*<h1>.*?</h1>', '', body, flags=re.S)
        page = f'{name}.html'

        def link(m):
            to = self.lead(page, path, m[1])
            return m[2] if to is None else f'<a href="{html.escape(to)}">{m[2]}</a>'
        body = re.sub(r'<a href="([^"]*)">(.*?)</a>', link, body, flags=re.S)
        body = re.sub(r'<img src="([^"]*)"', lambda m: f'<img src="{self.lead(page, path, m[1])}"', body)
        body = body.replace('<table>', '<div class="table"><div class="scroll" role="region" tabindex="0" aria-label="Table"><table>')
        self.write(page, title or self.heading(path), body.replace('</table>', '</table></div></div>'))

    def helps(self):
        """What the program says of each command, of all options, and of its devices."""
        overview = run(self.program, 'help')
        names = list(dict.fromkeys(re.findall(r'^  tracefolio ([a-z][a-z-]+)', overview, flags=re.M)))
        body = f'<pre>{html.escape(overview)}</pre>'
        for name in [n for n in names if n != 'help'] + ['options']:
            text = run(self.program, 'help', name)
            body += f'<h2>{"All options" if name == "options" else name}</h2>\n<pre>{html.escape(text)}</pre>\n'
        body += f'<h2>Devices</h2>\n<pre>{html.escape(run(self.program, "platforms"))}</pre>\n'
        self.write('help.html', 'Help', body)

    def schemas(self):
        body = '<p>A document keeps what its schema says: a new member raises the minor of <code>schema</code>, anything else its major.</p>\n'
        for path in sorted(glob.glob(os.path.join(ROOT, 'assets/schemas/*.json'))):
            name = os.path.basename(path)
            shutil.copyfile(path, os.path.join(self.folder, 'files', name))
            with open(path, encoding='utf-8') as f:
                schema = json.load(f)
            rows = ''.join(f'<tr><th scope="row"><code>{html.escape(where)}</code></th><td>{html.escape(kind)}</td>'
                           f'<td>{html.escape(said)}</td></tr>\n' for where, kind, said in members(schema, schema, ''))
            body += (f'<h2>{html.escape(name.replace(".schema", ""))}</h2>\n<p>{html.escape(schema.get("description", schema.get("title", "")))} '
                     f'<a href="files/{name}">{name}</a></p>\n<div class="table"><div class="scroll" role="region" tabindex="0" aria-label="Members">'
                     f'<table><thead><tr><th scope="col">Member</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>\n<tbody>{rows}</tbody></table></div></div>\n')
        self.write('schemas.html', 'Schemas', body)

    def gallery(self, scratch):
        """Reports of made-up traces; the style sheet of the first becomes that of the documentation."""
        def made(name, *arguments):
            path = f'{scratch}/{name}.json.gz'
            run(self.sample, *arguments, '-o', path)
            return path

        def said(name, title, *command):
            first = run(self.program, *command, '-o', f'{self.folder}/gallery/{name}', '--formats', 'site').split('\n', 1)[0]
            if command[0] == 'analyze':
                with open(f'{self.folder}/gallery/{name}/index.html', encoding='utf-8') as f:
                    first = html.unescape(re.search(r'<meta name="description" content="([^"]*)"', f.read())[1])
            return name, title, first

        os.makedirs(f'{self.folder}/gallery')
        cards = [said(name, title, 'analyze', made(name, *arguments)) for name, title, arguments in REPORTS]
        cards.append(said('comparison', 'What a change made slower', 'compare',
                          made('before', '--layers', '2', '--steps', '4', '--defect', 'slow-softmax', '--fix', 'slow-softmax'),
                          made('after', '--layers', '2', '--steps', '4', '--defect', 'slow-softmax')))
        run(self.sample, '--no-python', '--job', '8', '--plant', 'late-compute:2=20', '-o', f'{scratch}/ranks')
        cards.append(said('job', 'Eight ranks, one of them slow', 'job', f'{scratch}/ranks'))
        items = ''
        for name, title, first in cards:
            items += f'<li><a href="gallery/{name}/index.html"><b>{title}</b></a><p>{code(first)}</p></li>\n'
        self.write('gallery.html', 'Gallery', '<p>Reports of traces that <code>tracefolio-sample</code> makes, each with what was planted in it.</p>\n'
                   f'<ul class="gallery">\n{items}</ul>')
        first = f'{self.folder}/gallery/{cards[0][0]}/assets'
        shutil.copyfile(glob.glob(f'{first}/site.*.css')[0], f'{self.folder}/assets/site.css')

    def make(self):
        for sub in ('files', 'assets'):
            os.makedirs(os.path.join(self.folder, sub))
        for path, name, title in GUIDES[1:]:
            self.nav.append((f'{name}.html', title or self.heading(path)))
        for path, name in (('assets/icon.svg', 'icon.svg'), (f'{HERE}/docs.css', 'docs.css')):
            shutil.copyfile(os.path.join(ROOT, path), f'{self.folder}/assets/{name}')
        with tempfile.TemporaryDirectory() as scratch:
            self.gallery(scratch)
        for guide in GUIDES:
            self.guide(*guide)
        self.helps()
        self.schemas()
        for page, target, part in self.wanted:
            if part and part not in self.ids[target]:
                sys.exit(f'docs: {page}: {target} has no heading #{part}')


def members(node, schema, at):
    """(place, type, meaning) of every member of a schema, in order of the document."""
    if '$ref' in node:
        node = {**schema[node['$ref'].split('/')[1]][node['$ref'].split('/')[2]], **{k: v for k, v in node.items() if k != '$ref'}}
    for name, member in node.get('properties', {}).items():
        where = f'{at}.{name}' if at else name
        full = member
        if '$ref' in member:
            _, group, key = member['$ref'].split('/')
            full = {**schema[group][key], **member}
        kind = full.get('type') or (' | '.join(map(json.dumps, full['enum'])) if 'enum' in full else 'any')
        yield where, kind if isinstance(kind, str) else ' or '.join(kind), full.get('description', '')
        if at.count('.') < 6:
            yield from members(full, schema, where)
            if isinstance(full.get('items'), dict):
                yield from members(full['items'], schema, where + '[]')


def main():
    program, sample, version, date, folder = sys.argv[1:]
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    Site(os.path.realpath(program), os.path.realpath(sample), version, date, os.path.realpath(folder)).make()
    print(folder)


if __name__ == '__main__':
    main()
