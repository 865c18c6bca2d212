#include "export/xlsx_file.h"

#include "base/digit_pairs.h"
#include "base/plain_run.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <time.h>

#define XML         "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
#define SPREADSHEET "\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\""
#define PACKAGE     "http://schemas.openxmlformats.org/package/2006/"
#define OFFICE      "http://schemas.openxmlformats.org/officeDocument/2006/"

#define MARKUP "&<>\""

enum { PART_BYTES = 1 << 18 };

static void escape(struct out *o, struct str s)
{
    while (s.n > 0) {
        ptrdiff_t plain = plain_run(s, MARKUP);
        out_bytes(o, s.p, plain);
        s = str_skip(s, plain);
        if (s.n == 0)
            return;
        switch (s.p[0]) {
        case '&':
            out_lit(o, "&amp;");
            break;
        case '<':
            out_lit(o, "&lt;");
            break;
        case '>':
            out_lit(o, "&gt;");
            break;
        case '"':
            out_lit(o, "&quot;");
            break;
        default:
            out_char(o, s.p[0]);
        }
        s = str_skip(s, 1);
    }
}

static void flush(struct xlsx_file *f)
{
    zip_put(&f->zip, out_view(&f->xml));
    f->xml.n = 0;
}

static bool end_part(struct xlsx_file *f, struct err *e)
{
    flush(f);
    return zip_end(&f->zip, e);
}

/* "A", "Z", "AA": column 0, 25, 26. */
static int column_letters(char letters[3], int column)
{
    int n = column < 26 ? 1 : column < 26 + 26 * 26 ? 2 : 3;
    for (int k = n; k-- > 0; column = column / 26 - 1)
        letters[k] = (char)('A' + column % 26);
    return n;
}

static void put_place(struct out *o, const char *dollar, int column, int64_t row)
{
    char letters[3];
    out_c(o, dollar);
    out_bytes(o, letters, column_letters(letters, column));
    out_c(o, dollar);
    out_i64(o, row);
}

static void put_range(struct out *o, const char *dollar, const struct xlsx_sheet *s)
{
    put_place(o, dollar, 0, 1);
    if (s->n_rows > 1 || s->n_columns > 1) {
        out_char(o, ':');
        put_place(o, dollar, s->n_columns ? s->n_columns - 1 : 0, s->n_rows);
    }
}

static void put_font(struct out *o, const char *bold)
{
    out_printf(o,
               "<font>%s<sz val=\"11\"/><name val=\"Calibri\"/><family val=\"2\"/>"
               "</font>",
               bold);
}

static bool put_styles(struct xlsx_file *f, const char *const *formats, int n,
                       struct err *e)
{
    enum { FIRST_OF_OURS = 164 };
    struct out *o = &f->xml;
    zip_begin(&f->zip, "xl/styles.xml");
    out_lit(o, XML "<styleSheet xmlns=" SPREADSHEET ">");
    out_printf(o, "<numFmts count=\"%d\">", n);
    for (int i = 0; i < n; i++) {
        out_printf(o, "<numFmt numFmtId=\"%d\" formatCode=\"", FIRST_OF_OURS + i);
        escape(o, str_of(formats[i]));
        out_lit(o, "\"/>");
    }
    out_lit(o, "</numFmts><fonts count=\"2\">");
    put_font(o, "");
    put_font(o, "<b/>");
    out_lit(o, "</fonts>"
               "<fills count=\"2\"><fill><patternFill patternType=\"none\"/></fill>"
               "<fill><patternFill patternType=\"gray125\"/></fill></fills>"
               "<borders count=\"2\">"
               "<border><left/><right/><top/><bottom/><diagonal/></border>"
               "<border><left/><right/><top/><bottom style=\"thin\">"
               "<color auto=\"1\"/></bottom><diagonal/></border></borders>"
               "<cellStyleXfs count=\"1\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" "
               "borderId=\"0\"/></cellStyleXfs>");
    out_printf(o, "<cellXfs count=\"%d\">", XLSX_FORMATS + n);
    out_lit(o,
            "<xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\"/>"
            "<xf numFmtId=\"0\" fontId=\"1\" fillId=\"0\" borderId=\"1\" xfId=\"0\" "
            "applyFont=\"1\" applyBorder=\"1\" applyAlignment=\"1\">"
            "<alignment vertical=\"top\" wrapText=\"1\"/></xf>"
            "<xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\" "
            "applyAlignment=\"1\"><alignment wrapText=\"1\"/></xf>");
    for (int i = 0; i < n; i++)
        out_printf(o,
                   "<xf numFmtId=\"%d\" fontId=\"0\" fillId=\"0\" borderId=\"0\" "
                   "xfId=\"0\" applyNumberFormat=\"1\"/>",
                   FIRST_OF_OURS + i);
    out_lit(o, "</cellXfs><cellStyles count=\"1\">"
               "<cellStyle name=\"Normal\" xfId=\"0\" builtinId=\"0\"/></cellStyles>"
               "</styleSheet>");
    return end_part(f, e);
}

void xlsx_begin_sheet(struct xlsx_file *f, const struct xlsx_sheet *s,
                      const double *width)
{
    struct out *o = &f->xml;
    char name[64];
    snprintf(name, sizeof name, "xl/worksheets/sheet%d.xml", ++f->n_sheets);
    zip_begin(&f->zip, name);
    f->row = 0;
    out_lit(o, XML "<worksheet xmlns=" SPREADSHEET "><dimension ref=\"");
    put_range(o, "", s);
    out_lit(o, "\"/><sheetViews><sheetView");
    if (f->n_sheets == 1)
        out_lit(o, " tabSelected=\"1\"");
    out_lit(o, " workbookViewId=\"0\"><pane ySplit=\"1\" topLeftCell=\"A2\" "
               "activePane=\"bottomLeft\" state=\"frozen\"/>"
               "<selection pane=\"bottomLeft\"/></sheetView></sheetViews>"
               "<sheetFormatPr defaultRowHeight=\"15\"/>");
    if (s->n_columns)
        out_lit(o, "<cols>");
    for (int k = 0; k < s->n_columns; k++) {
        out_printf(o, "<col min=\"%d\" max=\"%d\" width=\"", k + 1, k + 1);
        out_real(o, width[k] + 182.0 / 256); /* five pixels of seven are the margin */
        out_lit(o, "\" customWidth=\"1\"/>");
    }
    if (s->n_columns)
        out_lit(o, "</cols>");
    out_lit(o, "<sheetData>");
}

void xlsx_begin_row(struct xlsx_file *f)
{
    out_lit(&f->xml, "<row r=\"");
    out_i64(&f->xml, ++f->row);
    out_lit(&f->xml, "\">");
    f->n_row_digits = digit_count((uint64_t)f->row);
    assert(f->n_row_digits <= (int)sizeof f->row_digits);
    digits_before(f->row_digits + f->n_row_digits, (uint64_t)f->row, f->n_row_digits);
}

void xlsx_end_row(struct xlsx_file *f)
{
    out_lit(&f->xml, "</row>");
    if (f->xml.n >= PART_BYTES)
        flush(f);
}

/* Up to what says which kind it is. */
static void begin_cell(struct xlsx_file *f, int column, int style)
{
    struct out *o = &f->xml;
    out_lit(o, "<c r=\"");
    char *place = out_room(o);
    int n = column_letters(place, column);
    memcpy(place + n, f->row_digits, sizeof f->row_digits);
    o->n += n + f->n_row_digits;
    if (style != XLSX_PLAIN) {
        out_lit(o, "\" s=\"");
        out_i64(o, style);
    }
    out_char(o, '"');
}

/* What most texts are, needs no escape: it is not copied. */
static struct str escaped(struct xlsx_file *f, struct str text)
{
    if (plain_run(text, MARKUP) == text.n)
        return text;
    f->escaped.n = 0;
    escape(&f->escaped, text);
    return out_view(&f->escaped);
}

void xlsx_text(struct xlsx_file *f, int column, struct str text, int style)
{
    f->n_uses++;
    begin_cell(f, column, style);
    out_lit(&f->xml, " t=\"s\"><v>");
    out_i64(&f->xml, pool_add(&f->strings, escaped(f, text)));
    out_lit(&f->xml, "</v></c>");
}

void xlsx_number(struct xlsx_file *f, int column, double v, int style)
{
    begin_cell(f, column, style);
    out_lit(&f->xml, "><v>");
    if (v > -1e15 && v < 1e15 && v == (double)(int64_t)v)
        out_i64(&f->xml, (int64_t)v);
    else
        out_real(&f->xml, v);
    out_lit(&f->xml, "</v></c>");
}

void xlsx_bool(struct xlsx_file *f, int column, bool v)
{
    begin_cell(f, column, XLSX_PLAIN);
    out_lit(&f->xml, " t=\"b\"><v>");
    out_char(&f->xml, v ? '1' : '0');
    out_lit(&f->xml, "</v></c>");
}

bool xlsx_end_sheet(struct xlsx_file *f, const struct xlsx_sheet *s, struct err *e)
{
    out_lit(&f->xml, "</sheetData>");
    if (s->n_columns) {
        out_lit(&f->xml, "<autoFilter ref=\"");
        put_range(&f->xml, "", s);
        out_lit(&f->xml, "\"/>");
    }
    out_lit(&f->xml, "<pageMargins left=\"0.7\" right=\"0.7\" top=\"0.75\" "
                     "bottom=\"0.75\" header=\"0.3\" footer=\"0.3\"/></worksheet>");
    return end_part(f, e);
}

static bool is_outer_space(struct str s)
{
    return s.n &&
           (isspace((unsigned char)s.p[0]) || isspace((unsigned char)s.p[s.n - 1]));
}

static bool put_strings(struct xlsx_file *f, struct err *e)
{
    struct out *o = &f->xml;
    zip_begin(&f->zip, "xl/sharedStrings.xml");
    out_printf(o, XML "<sst xmlns=" SPREADSHEET " count=\"%lld\" uniqueCount=\"%d\">",
               (long long)f->n_uses, f->strings.n);
    for (int32_t i = 0; i < f->strings.n; i++) {
        struct str text = pool_text(&f->strings, i);
        out_c(o, is_outer_space(text) ? "<si><t xml:space=\"preserve\">" : "<si><t>");
        out_str(o, text);
        out_lit(o, "</t></si>");
        if (o->n >= PART_BYTES)
            flush(f);
    }
    out_lit(o, "</sst>");
    return end_part(f, e);
}

static bool put_workbook(struct xlsx_file *f, const struct xlsx_sheet *sheets,
                         struct err *e)
{
    struct out *o = &f->xml;
    zip_begin(&f->zip, "xl/workbook.xml");
    out_lit(o,
            XML "<workbook xmlns=" SPREADSHEET " xmlns:r=\"" OFFICE "relationships\">"
                "<workbookPr/><bookViews><workbookView/></bookViews><sheets>");
    for (int i = 0; i < f->n_sheets; i++) {
        out_lit(o, "<sheet name=\"");
        escape(o, str_of(sheets[i].name));
        out_printf(o, "\" sheetId=\"%d\" r:id=\"rId%d\"/>", i + 1, i + 1);
    }
    out_lit(o, "</sheets><definedNames>");
    for (int i = 0; i < f->n_sheets; i++) {
        if (!sheets[i].n_columns)
            continue;
        out_printf(o,
                   "<definedName name=\"_xlnm._FilterDatabase\" localSheetId=\"%d\" "
                   "hidden=\"1\">'",
                   i);
        escape(o, str_of(sheets[i].name)); /* without apostrophe */
        out_lit(o, "'!");
        put_range(o, "$", &sheets[i]);
        out_lit(o, "</definedName>");
    }
    out_lit(o, "</definedNames></workbook>");
    return end_part(f, e);
}

static void put_relation(struct out *o, int id, const char *kind, const char *target)
{
    out_printf(o, "<Relationship Id=\"rId%d\" Type=\"%s\" Target=\"%s\"/>", id, kind,
               target);
}

static bool put_relations(struct xlsx_file *f, int n_sheets, struct err *e)
{
    struct out *o = &f->xml;
    int id = 0;
    zip_begin(&f->zip, "xl/_rels/workbook.xml.rels");
    out_lit(o, XML "<Relationships xmlns=\"" PACKAGE "relationships\">");
    while (id < n_sheets) {
        char target[64];
        snprintf(target, sizeof target, "worksheets/sheet%d.xml", ++id);
        put_relation(o, id, OFFICE "relationships/worksheet", target);
    }
    put_relation(o, ++id, OFFICE "relationships/styles", "styles.xml");
    put_relation(o, ++id, OFFICE "relationships/sharedStrings", "sharedStrings.xml");
    out_lit(o, "</Relationships>");
    if (!end_part(f, e))
        return false;
    zip_begin(&f->zip, "_rels/.rels");
    out_lit(o, XML "<Relationships xmlns=\"" PACKAGE "relationships\">");
    put_relation(o, 1, OFFICE "relationships/officeDocument", "xl/workbook.xml");
    put_relation(o, 2, PACKAGE "relationships/metadata/core-properties",
                 "docProps/core.xml");
    out_lit(o, "</Relationships>");
    return end_part(f, e);
}

static bool put_properties(struct xlsx_file *f, const char *title, struct err *e)
{
    struct out *o = &f->xml;
    time_t when = (time_t)f->zip.date_s;
    struct tm utc;
    char created[64] = "";
    if (gmtime_r(&when, &utc))
        strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", &utc);
    zip_begin(&f->zip, "docProps/core.xml");
    out_lit(o,
            XML "<cp:coreProperties xmlns:cp=\"" PACKAGE "metadata/core-properties\" "
                "xmlns:dc=\"http://purl.org/dc/elements/1.1/\" "
                "xmlns:dcterms=\"http://purl.org/dc/terms/\" "
                "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"><dc:title>");
    escape(o, str_of(title));
    out_printf(o,
               "</dc:title><dc:creator></dc:creator>"
               "<dcterms:created xsi:type=\"dcterms:W3CDTF\">%s</dcterms:created>"
               "<dcterms:modified xsi:type=\"dcterms:W3CDTF\">%s</dcterms:modified>"
               "</cp:coreProperties>",
               created, created);
    return end_part(f, e);
}

static void put_type(struct out *o, const char *part, const char *type)
{
    out_printf(o, "<Override PartName=\"%s\" ContentType=\"application/vnd.%s+xml\"/>",
               part, type);
}

static bool put_types(struct xlsx_file *f, int n_sheets, struct err *e)
{
#define OF_SHEETS "openxmlformats-officedocument.spreadsheetml."
    struct out *o = &f->xml;
    zip_begin(&f->zip, "[Content_Types].xml");
    out_lit(o, XML "<Types xmlns=\"" PACKAGE "content-types\">"
                   "<Default Extension=\"rels\" ContentType=\"application/vnd."
                   "openxmlformats-package.relationships+xml\"/>"
                   "<Default Extension=\"xml\" ContentType=\"application/xml\"/>");
    put_type(o, "/docProps/core.xml", "openxmlformats-package.core-properties");
    put_type(o, "/xl/styles.xml", OF_SHEETS "styles");
    put_type(o, "/xl/workbook.xml", OF_SHEETS "sheet.main");
    for (int i = 1; i <= n_sheets; i++) {
        char part[64];
        snprintf(part, sizeof part, "/xl/worksheets/sheet%d.xml", i);
        put_type(o, part, OF_SHEETS "worksheet");
    }
    put_type(o, "/xl/sharedStrings.xml", OF_SHEETS "sharedStrings");
    out_lit(o, "</Types>");
    return end_part(f, e);
}

bool xlsx_open(struct xlsx_file *f, const char *path, int64_t date_s, int n_sheets,
               const char *const *formats, int n_formats, struct err *e)
{
    *f = (struct xlsx_file){0};
    if (!zip_open(&f->zip, path, date_s, e))
        return false;
    out_memory(&f->xml);
    out_memory(&f->escaped);
    pool_open(&f->strings);
    return put_types(f, n_sheets, e) && put_relations(f, n_sheets, e) &&
           put_styles(f, formats, n_formats, e);
}

static void let_go(struct xlsx_file *f)
{
    pool_close(&f->strings);
    out_free(&f->xml);
    out_free(&f->escaped);
}

bool xlsx_close(struct xlsx_file *f, const struct xlsx_sheet *sheets, const char *title,
                struct err *e)
{
    bool done = put_strings(f, e) && put_workbook(f, sheets, e) &&
                put_properties(f, title, e) && zip_close(&f->zip, e);
    if (done)
        let_go(f);
    return done;
}

void xlsx_discard(struct xlsx_file *f)
{
    zip_discard(&f->zip);
    let_go(f);
}
