#!/usr/bin/env python3
"""A workbook of the tables of a folder, as pandas writes one with openpyxl: TraceLens' default output.

    workbook.py FOLDER OUT.xlsx [VARIANT]

VARIANT: `excel`, as a spreadsheet program saves it again (the types first, relative places of
sheets, no places of cells, texts in runs); a damage: `bomb` (a sheet that unpacks to 300 MB), `entity` (a
document type that defines texts), `string` (a text that is not there), `wide` (a cell beyond the header),
`nosheet` (a sheet that is listed and missing), `cut` (half of the file), `other` (sheets that no report has).
"""
import csv
import glob
import os
import re
import sys
import zipfile
from xml.sax.saxutils import escape

MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships'
HEAD = '<?xml version="1.0"?>\n'


def letters(column):
    name = ''
    while column >= 0:
        name, column = chr(65 + column % 26) + name, column // 26 - 1
    return name


def cell(text, place, strings, excel):
    at = '' if excel else ' r="%s"' % place
    if text == '':
        return '' if not excel else '<c/>'
    if text in ('True', 'False'):
        return '<c%s t="b"><v>%d</v></c>' % (at, text == 'True')
    if re.fullmatch(r'-?\d+(\.\d+)?(e[-+]?\d+)?', text):
        return '<c%s%s><v>%s</v></c>' % (at, '' if excel else ' t="n"', text)
    return '<c%s t="s"><v>%d</v></c>' % (at, strings.setdefault(text, len(strings)))


def sheet(rows, strings, excel):
    out = []
    for y, row in enumerate(rows):
        cells = ''.join(cell(text, letters(x) + str(y + 1), strings, excel) for x, text in enumerate(row))
        out.append('<row%s>%s</row>' % ('' if excel else ' r="%d"' % (y + 1), cells))
    return HEAD + '<worksheet xmlns="%s"><sheetData>%s</sheetData></worksheet>' % (MAIN, ''.join(out))


def shared(strings, excel):
    def item(text):
        if not excel:
            return '<si><t xml:space="preserve">%s</t></si>' % escape(text)
        half = len(text) // 2
        return '<si>%s<rPh sb="0"><t>x</t></rPh></si>' % ''.join(
            '<r><rPr><b/></rPr><t>%s</t></r>' % escape(part) for part in (text[:half], text[half:]) if part)
    return HEAD + '<sst xmlns="%s">%s</sst>' % (MAIN, ''.join(map(item, strings)))


def parts_of(folder, variant):
    excel, strings = variant == 'excel', {}
    names = [os.path.basename(p)[:-4] for p in sorted(glob.glob(folder + '/*.csv'))]
    sheets, listed, related = [], '', ''
    for i, name in enumerate(names, 1):
        with open('%s/%s.csv' % (folder, name), newline='') as f:
            sheets.append(('xl/worksheets/sheet%d.xml' % i, sheet(list(csv.reader(f)), strings, excel)))
        listed += '<sheet name="%s" sheetId="%d" state="visible" r:id="rId%d"/>' % (
            'Budget %d' % i if variant == 'other' else name, i, i)
        related += '<Relationship Type="%s/worksheet" Target="%sworksheets/sheet%d.xml" Id="rId%d"/>' % (
            OFFICE, '' if excel else '/xl/', i, i)
    at = names.index('gpu_timeline')
    if variant == 'bomb':
        sheets[at] = (sheets[at][0], HEAD + '<worksheet><sheetData>' + '<row/>' * 50000000)
    elif variant == 'entity':
        sheets[at] = (sheets[at][0], sheets[at][1].replace(HEAD, HEAD + '<!DOCTYPE a [<!ENTITY b "bb">]>'))
    elif variant == 'string':
        sheets[at] = (sheets[at][0], re.sub(r't="s"><v>\d+', 't="s"><v>99999999', sheets[at][1], count=1))
    elif variant == 'wide':
        sheets[at] = (sheets[at][0], sheets[at][1].replace(' r="A2"', ' r="ZZ2"'))
    elif variant == 'nosheet':
        del sheets[at]
    book = HEAD + '<workbook xmlns="%s" xmlns:r="%s"><sheets>%s</sheets></workbook>' % (MAIN, OFFICE, listed)
    rels = HEAD + '<Relationships xmlns="%s">%s</Relationships>' % (PACKAGE, related)
    types = ('[Content_Types].xml', HEAD + '<Types/>')
    rest = [*sheets, ('xl/sharedStrings.xml', shared(strings, excel)), ('xl/workbook.xml', book),
            ('xl/_rels/workbook.xml.rels', rels)]
    return [types, *rest] if excel else [('docProps/app.xml', HEAD + '<Properties/>'), *rest, types]


def main():
    folder, path, variant = sys.argv[1], sys.argv[2], (sys.argv[3:] + [''])[0]
    with zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED) as z:
        for name, text in parts_of(folder, variant):
            z.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)
    if variant == 'cut':
        os.truncate(path, os.path.getsize(path) // 2)


if __name__ == '__main__':
    sys.exit(main())
