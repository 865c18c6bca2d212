#!/usr/bin/env python3
"""Check the reports of an output folder against a rubric of plain predicates.

    check_rubric.py FOLDER      one line for each failed predicate, then "N passed, N failed"

The predicates are the gates (G), files (F), structure (T), markers (M) and consistency (C)
of section 13 of the analysis specification, as far as they apply to one trace, and MD-3 of
the site's: no name acts on the page. A predicate
may fail in several places; it then counts once and its first places are shown.
"""

import csv
import json
import os
import re
import sys

TIERS = ("system", "compute", "fusion")
SECTIONS = {
    "system": "System-Level Optimizations",
    "compute": "Compute Kernel Optimizations",
    "fusion": "Kernel Fusion Opportunities (Experimental)",
}
INSIGHTS = {
    "system": "System-Level Insights",
    "compute": "Compute Kernel Insights",
    "fusion": "Kernel Fusion Insights",
}
LABELS = ("Identification:", "Data:", "Reasoning for Slowdown:", "Resolution:",
          "Impact estimate:")
UNKNOWN = "Cannot be inferred from trace"
NO_ITEM = re.compile(r"No (system-level bottlenecks|compute kernel optimization "
                     r"opportunities|kernel fusion opportunities|finding about compute "
                     r"kernels: without shapes)")
VENDOR = re.compile(
    r"\b(CUDA|HIP|NCCL|RCCL|cuBLAS\w*|hipBLAS\w*|rocBLAS|CUTLASS|Tensile|cuDNN|MIOpen|"
    r"rocprof\w*|nsight\w*|cudaDeviceSynchronize|hipDeviceSynchronize)\b", re.I)
UNSEEN = re.compile(r"bank conflict|coalesc|occupancy|cache hit|cache miss|register spill|"
                    r"warp divergence", re.I)
PLACEHOLDER = re.compile(r"<Brief Title>|\[\.\.\.\]|\b[XYZW] ms\b|\b[YZW]%|\| *\.\.\. *\|")
KEYWORDS = re.compile(
    r"\b(gpu_kernel_time_ms|percent_of_\w+|efficiency_percent|operation_count|unified_\w+|"
    r"top_operations|impact_\w+|category_specific|bound_type|is_bottleneck|"
    r"has_perf_model|ex_uid|perf_params|no_peak|peak_fallback)\b", re.I)


class Rubric:
    def __init__(self, folder):
        self.folder = folder
        self.results = {}  # predicate: list of failures
        self.text = {}

    def check(self, name, holds, why=""):
        failures = self.results.setdefault(name, [])
        if not holds:
            failures.append(why)

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def read(self, *parts):
        try:
            with open(self.path(*parts), encoding="utf-8") as f:
                return f.read()
        except (OSError, UnicodeDecodeError):
            return ""

    def load(self, *parts):
        text = self.read(*parts)
        try:
            return json.loads(text) if text else None
        except ValueError:
            return None

    def report(self):
        failed = 0
        for name, failures in self.results.items():
            if failures:
                failed += 1
                more = f" (and {len(failures) - 3} more)" if len(failures) > 3 else ""
                print(f"FAILED {name}: {'; '.join(failures[:3])}{more}")
        print(f"{len(self.results) - failed} passed, {failed} failed")
        return failed == 0


# ---- reading markdown ---------------------------------------------------------------------


def section(text, heading):
    """The body under a heading line, to the next heading of its level or above."""
    found = re.search(rf"^{re.escape(heading)}[^\n]*\n", text, re.M)
    if not found:
        return ""
    level = len(heading) - len(heading.lstrip("#"))
    rest = text[found.end():]
    end = re.search(rf"^#{{1,{level}}} ", rest, re.M)
    return rest[:end.start()] if end else rest


def blocks(text, heading):
    """(first line, body) of each part that begins with a heading matching the pattern."""
    at = [m.start() for m in re.finditer(heading, text, re.M)]
    for a, b in zip(at, at[1:] + [len(text)]):
        part = text[a:b]
        first, _, body = part.partition("\n")
        yield first, body


def rows_of(text):
    """Cells of each table row but the head's ruler."""
    for line in text.split("\n"):
        if line.startswith("|") and not re.match(r"^\|[-:| ]+\|$", line):
            yield [c.strip() for c in re.split(r"(?<!\\)\|", line)[1:-1]]


def tables_of(text):
    """Lists of rows; the first row is the head."""
    table = []
    for line in text.split("\n") + [""]:
        if line.startswith("|"):
            table.append(line)
        elif table:
            yield [[c.strip() for c in re.split(r"(?<!\\)\|", row)[1:-1]]
                   for row in table if not re.match(r"^\|[-:| ]+\|$", row)]
            table = []


def without_code(text):
    text = re.sub(r"^(`{3,}).*?^\1", "", text, flags=re.M | re.S)
    text = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", text)
    return re.sub(r"<!--.*?-->", "", text, flags=re.S)


def prose_of(text):
    """What is said in sentences: no code, no comments, no tables, no headings."""
    lines = [line for line in without_code(text).split("\n")
             if not line.startswith(("|", "#"))]
    return "\n".join(lines)


def numbers(text):
    return [float(n) for n in re.findall(r"-?\d+(?:\.\d+)?", text)]


def percents(text):
    return [float(n) for n in re.findall(r"~(\d+(?:\.\d+)?)%", text)]


def markers(text, kind):
    """(attributes, inside) of each pair of impact comments of a kind."""
    pattern = rf"<!-- impact-begin kind={kind}\b([^>]*)-->(.*?)<!-- impact-end -->"
    for m in re.finditer(pattern, text, re.S):
        yield dict(re.findall(r"(\w+)=(\S+)", m.group(1))), m.group(2)


def names_of(text):
    """The identifiers at the start of code spans: `aten::mm`, `Cijk_...`."""
    for span in re.findall(r"`([^`]+)`", text):
        found = re.match(r"[\w:]+", span)
        if found and len(found.group()) > 3:
            yield found.group()


# ---- predicates ------------------------------------------------------------------------------


def gates(r):
    text = r.read("standalone_analysis.md")
    r.check("G1", os.path.isdir(r.folder), "no output folder")
    r.check("G2", len(text.encode()) >= 100, "standalone_analysis.md is missing or short")
    other = sum(ord(c) > 127 for c in text)
    r.check("G3", other * 2 <= max(len(text), 1), f"{other} characters are not ASCII")
    r.check("G4", not text.lstrip().startswith(("{", "[")), "the report is JSON")
    r.check("G5", os.path.isdir(r.path("perf_report_csvs")), "no perf_report_csvs")
    return text


def files(r):
    manifest = r.load("category_data", "category_manifest.json") or {}
    host = (r.load("report.json") or {}).get("host")
    folders = ["metadata", "category_data"]
    if not host:
        folders.append("system_findings")
    if manifest.get("categories_with_data", [""]):
        folders.append("category_findings")
    for folder in folders:
        r.check("F1", os.path.isdir(r.path(folder)), f"no {folder}")
    categories = manifest.get("categories", [])
    r.check("F2", bool(categories), "category_manifest.json has no categories")
    model = r.load("metadata", "model_info.json")
    keys = {"model", "architecture", "scale", "precision"}
    r.check("F3", isinstance(model, dict) and set(model) == keys and all(model.values()),
            f"model_info.json: {model}")
    r.check("F4", os.path.exists(r.path("perf_report_csvs", "unified_perf_summary.csv")) or
            not manifest.get("categories_with_data"), "no unified_perf_summary.csv")
    r.check("F5", True)
    r.check("F6", True)
    tier_of = {}
    for c in categories:
        tier_of[c["name"]] = c["tier"]
        for name, key in (("F2", "metadata_file"), ("F5", "tree_data_file")):
            if c.get(key):
                r.check(name, os.path.exists(r.path(c[key])), f"{c[key]} is missing")
        folder = "system_findings" if c["tier"] == "system" else "category_findings"
        place = os.path.join(folder, c["name"] + "_findings.md")
        r.check("F6", host or os.path.exists(r.path(place)), f"{place} is missing")
    for folder, tier in (("system_findings", "system"), ("category_findings",
                                                          "compute_kernel")):
        r.check("F7", True)
        names = os.listdir(r.path(folder)) if os.path.isdir(r.path(folder)) else []
        for name in names:
            stem = name.removesuffix("_findings.md")
            r.check("F7", tier_of.get(stem, tier) == tier, f"{folder}/{name}")
    r.check("F8", True)  # no plot unless requested
    return manifest, model or {}


def host_structure(r, text, manifest, model):
    """Of a trace without device work: what it is of, where the host's time goes, what was measured."""
    host = r.load("report.json")["host"] or {}
    headings = ["Executive Summary", "Appendix"]
    headings += ["Operators by Self Time"] if host.get("operators") else []
    headings += ["Threads"] if host.get("threads") else []
    for heading in headings:
        r.check("T1", f"\n## {heading}\n" in text, f"no ## {heading}")
    for heading in SECTIONS.values():
        r.check("T1", f"\n## {heading}\n" not in text, f"## {heading} without device work")
    r.check("T2", bool(section(text, "## Executive Summary").strip()), "an empty summary")
    for name in report_names(r)[:3]:
        body = without_code(r.read(name))
        found = PLACEHOLDER.search(body)
        r.check("T7", not found, f"{name}: {found.group() if found else ''}")
        found = re.search(r"efficien|No bottleneck|Peak (?:HBM|MAF)", body, re.I)
        r.check("T8", not found, f"{name}: {found.group() if found else ''} without device work")
    warnings(r, text)


def structure(r, text, manifest, model):
    for heading in ("Executive Summary", "Compute Kernel Optimizations",
                    "Kernel Fusion Opportunities (Experimental)",
                    "System-Level Optimizations", "Detailed Analysis", "Appendix"):
        r.check("T1", f"\n## {heading}\n" in text, f"no ## {heading}")
    summary = section(text, "## Executive Summary")
    rows = {cells[0]: cells[1] for cells in rows_of(summary) if len(cells) == 2}
    r.check("T2", len(rows) > 1, "no table in the Executive Summary")
    for wanted in (("Total Compute Time", "Total Time"), ("Computation", "Compute %"),
                   ("Idle Time", "Idle %"), ("Exposed Communication",), ("Top Bottleneck",)):
        r.check("T3", any(w in label for w in wanted for label in rows), f"no row {wanted}")
    timeline_values(r, rows)
    cards(r, text)
    for name in report_names(r):
        body = without_code(r.read(name))
        found = PLACEHOLDER.search(body)
        r.check("T7", not found, f"{name}: {found.group() if found else ''}")
    appendix = section(text, "## Appendix")
    hardware(r, appendix, manifest)
    plain = appendix.replace("`", "").replace("\\", "").lower()
    for key in ("model", "architecture", "scale", "precision"):
        value = model.get(key, UNKNOWN)
        r.check("T9", value == UNKNOWN or value.lower() in plain,
                f"{key} {value!r} is not in the Appendix")
    warnings(r, text)


def csv_rows(r, *parts):
    try:
        with open(r.path(*parts), encoding="utf-8") as f:
            return list(csv.DictReader(f))
    except OSError:
        return []


def timeline_values(r, rows):
    """Shares of the window: device time, which the table is of, and the host's before and after."""
    times = {line["type"]: float(line["time ms"] or 0)
             for line in csv_rows(r, "perf_report_csvs", "gpu_timeline.csv") if "type" in line}
    window = (r.load("report.json") or {}).get("window") or {}
    host_ms = window.get("lead_ms", 0) + window.get("tail_ms", 0)
    skew_ms = window.get("start_skew_ms", 0)  # in the table, where it is communication
    want = {}
    if times.get("total_time"):
        whole = times["total_time"] + host_ms - skew_ms
        want = {"computation_time": 100 * times["computation_time"] / whole,
                "idle_time": 100 * (times["idle_time"] + host_ms) / whole}
    for label, key in (("Compute %", "computation_time"), ("Idle %", "idle_time")):
        shown = numbers(rows.get(label, ""))
        r.check("T4", key not in want or (shown and abs(shown[0] - want[key]) <= 1),
                f"{label} {shown} is not {want.get(key)}")


def cards(r, text):
    need = {"system": ("Issue", "Action"), "compute": ("Issue", "Action", "Impact"),
            "fusion": ("Issue", "Action", "Impact")}
    r.check("T6", True)
    for tier in TIERS:
        body = section(text, "## " + SECTIONS[tier])
        items = list(blocks(body, r"^### \S+ P\d+: "))
        r.check("T6", items or NO_ITEM.search(body), f"{tier}: neither items nor the sentence")
        for first, item in items:
            for label in need[tier]:
                r.check("T6", f"**{label}**: " in item, f"{first}: no {label}")


def hardware(r, appendix, manifest):
    meta = {}
    for c in manifest.get("categories", []):
        meta = r.load(c.get("metadata_file") or "") or {}
        if meta:
            break
    lines = dict(re.findall(r"^- \*\*(.+?)\*\*: (.+)$", appendix, re.M))
    r.check("T8", "Platform" in lines, "no platform")
    if not meta.get("peak_hbm_bw_tbs"):
        return
    shown = numbers(lines.get("Peak HBM BW", ""))
    r.check("T8", shown and abs(shown[0] - meta["peak_hbm_bw_tbs"]) < 0.01,
            f"Peak HBM BW {shown}, not {meta['peak_hbm_bw_tbs']}")
    peaks = [numbers(v)[0] for k, v in lines.items() if k.startswith("Peak MAF")]
    known = (meta.get("max_achievable_tflops") or {}).values()
    r.check("T8", peaks and all(any(abs(p - k) < 0.5 for k in known) for p in peaks),
            f"Peak MAF {peaks}")


def warnings(r, text):
    shown = "\n## Warnings\n" in text
    failed = [n for n in os.listdir(r.path("category_data"))
              if n.endswith("_metrics.json") and
              (r.load("category_data", n) or {}).get("status") == "ERROR"] \
        if os.path.isdir(r.path("category_data")) else []
    r.check("T10", shown or not failed, f"{failed} failed and there are no Warnings")
    flagged = (r.load("report.json") or {}).get("warnings")
    if flagged is not None:
        r.check("T10", shown or not flagged, "report.json has warnings, the report has none")
    body = section(text, "## Warnings")
    r.check("T10", not shown or "- " in body or "|" in body, "an empty Warnings section")


def compute_findings(r):
    """What the kernel tier must show: medium and above, the first ten."""
    data = r.load("priority_data.json") or {}
    found = [f for f in data.get("findings", [])
             if f.get("tier") in ("compute", "compute_kernel") and
             str(f.get("priority", "")).lower() != "low"]
    return found[:10], data


def marks(r, text):
    tops = list(markers(text, "top_ops"))
    r.check("M1", len(tops) == 1, f"{len(tops)} pairs of kind=top_ops")
    shown = 0
    for _, inside in tops:
        for line in [x for x in inside.split("\n") if x.startswith("|")][2:]:
            shown += 1
            r.check("M1", re.search(r"<!-- top-ops-row low=\S+ high=\S+ -->", line),
                    f"a row without its marker: {line[:60]}")
    items = list(blocks(section(text, "## " + SECTIONS["compute"]), r"^### \S+ P\d+: "))
    r.check("M2", True)
    for first, body in items:
        pairs = list(markers(body, "p_item"))
        r.check("M2", len(pairs) == 1 and
                {"category", "low", "mid", "high"} <= set(pairs[0][0]), first)
    r.check("M3", True)
    details = list(blocks(section(text, "### " + INSIGHTS["compute"]), r"^#### \S+ P\d+: "))
    for first, body in details:
        pairs = list(markers(body, "detail_estimate"))
        r.check("M3", (len(pairs) == 1 and {"low", "high"} <= set(pairs[0][0])) or
                "not quantifiable from trace data" in body, first)
    opened = re.findall(r"<!-- impact-begin kind=(\w+)", text)
    closed = text.count("<!-- impact-end -->")
    r.check("M4", len(opened) == closed, f"{len(opened)} begin, {closed} end")
    r.check("M4", set(opened) <= {"top_ops", "p_item", "detail_estimate"}, f"{set(opened)}")
    for found in re.findall(r"<!-- (?:impact-begin|top-ops-row)[^>]*-->", text):
        values = re.findall(r"\b(?:low|mid|high)=(\S+)", found)
        nulls = values.count("null")
        r.check("M4", nulls in (0, len(values)), f"numbers and null mixed: {found}")
    for tier in TIERS:
        body = section(text, "### " + INSIGHTS[tier])
        r.check("M5", body.count(f"reasoning-candidate tier={tier}") ==
                len(re.findall(r"^#### \S+ P\d+:", body, re.M)), tier)
    same_as_data(r, items, shown)


def same_as_data(r, items, top_rows):
    found, data = compute_findings(r)
    r.check("M6", bool(data), "no priority_data.json")
    if not data:
        return
    r.check("M6", len(items) == len(found), f"{len(items)} items, {len(found)} findings")
    r.check("M6", top_rows == len(data.get("priorities", [])),
            f"{top_rows} rows, {len(data.get('priorities', []))} priorities")
    for (first, body), f in zip(items, found):
        for shown, _ in markers(body, "p_item"):
            r.check("M6", shown.get("category") == f["category"],
                    f"{first}: {shown.get('category')}, not {f['category']}")
            for key in ("low", "high"):
                want = f["impact"][key + "_pct"]
                same = shown.get(key) == "null" if want is None else \
                    abs(float(shown.get(key, "nan")) - want) <= 0.0051
                r.check("M6", same, f"{first}: {key}={shown.get(key)}, not {want}")


# ---- consistency --------------------------------------------------------------------------------


def report_names(r):
    names = ["standalone_analysis.md", "standalone_analysis_fair.md",
             "standalone_analysis_rough.md"]
    for folder in ("category_findings", "system_findings"):
        if os.path.isdir(r.path(folder)):
            names += [f"{folder}/{n}" for n in sorted(os.listdir(r.path(folder)))]
    return names


def anchors(r):
    for name in report_names(r)[:3]:
        text = r.read(name)
        ids = re.findall(r'<a id="([^"]+)"></a>', text)
        r.check("C1", len(ids) == len(set(ids)), f"{name}: an anchor twice")
        for link in re.findall(r"\]\(#([^)]+)\)", text):
            r.check("C1", link in ids, f"{name}: #{link} is nowhere")
        if name.endswith("rough.md"):
            continue
        for first, body in blocks(text, r"^### \S+ (?:P\d+|\w+ Priority|Priority \d+): "):
            body = re.split(r"^(?:## |---)", body, flags=re.M)[0]
            r.check("C1", "](#" in body, f"{name}: {first} has no link")


def detail_blocks(text):
    for tier in TIERS:
        body = section(text, "### " + INSIGHTS[tier])
        for first, detail in blocks(body, r"^#### \S+ P\d+: "):
            yield tier, first.split(" ", 2)[2], detail


def items_of(text):
    for tier in TIERS:
        body = section(text, "## " + SECTIONS[tier])
        for first, item in blocks(body, r"^### \S+ P\d+: "):
            yield tier, first.split(" ", 2)[2], item


def details(r, text):
    r.check("C2", True)
    found = {}
    for tier, title, body in detail_blocks(text):
        at = [body.find(f"\n**{label}**") for label in LABELS]
        r.check("C2", -1 not in at and at == sorted(at), f"{title}: labels {at}")
        found[tier, title] = body
    for tier, title, item in items_of(text):
        body = found.get((tier, title))
        r.check("C1", body is not None, f"{title} has no detail block")
        if body is None:
            continue
        impact = re.search(r"\*\*Impact\*\*: (.*)", item)
        low, high = [re.search(rf"- {k}: (.*)", body) for k in ("Low", "High")]
        if impact and low and high:
            shown, ends = percents(impact.group(1)), percents(low.group(1) + high.group(1))
            same = not shown or set(shown) == set(ends)
            r.check("C4", same, f"{title}: {shown} and {ends}")
        if tier == "compute":
            issue = re.search(r"\*\*Issue\*\*: (.*)", item)
            table = section("# x\n" + body, "# x")
            for name in list(names_of(issue.group(1) if issue else ""))[:1]:
                r.check("C3", name in table, f"{title}: {name} is not in its table")
    r.check("C3", True)
    r.check("C4", True)


def metrics_rows(r):
    """Rows of every category's metrics by name."""
    rows = {}
    folder = r.path("category_data")
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        if name.endswith("_metrics.json"):
            data = r.load("category_data", name) or {}
            listed = data.get("operations", [])
            if data.get("rows_total", 0) > len(listed):  # the costliest alone: the table has all
                listed = [op_of(row) for row in
                          csv_rows(r, "category_data", name.replace("_metrics.json", "_ops.csv"))]
            for op in listed:
                rows.setdefault(op.get("name"), []).append(op)
    return rows


def op_of(row):
    """A row of a category's table as its metrics have it."""
    number = lambda key: float(row[key]) if row.get(key) else None  # noqa: E731
    name = re.sub(r"^'(?=[-=+@\t\r])", "", row["name"])  # what a spreadsheet would execute is quoted
    return {"name": name,
            "args": "<br>".join(re.findall(r"\([\d,]+\)", row["Input Dims"].replace(", ", ","))),
            "time_ms": (number("Kernel Time (\u00b5s)_sum") or 0) / 1000,
            "count": int(row["operation_count"]),
            "efficiency": {"efficiency_percent": number("Pct Roofline_mean")}}


def plain(cell):
    return re.sub(r"\\\|", "|", cell.replace("`", "").replace("<br>", ", ")).strip()


def data_tables(r, text):
    """Times, counts and shares of the evidence are those of the metrics."""
    rows = metrics_rows(r)
    for name in ("C3", "C5"):
        r.check(name, True)
    for tier, title, body in detail_blocks(text):
        if tier != "compute":
            continue
        for table in tables_of(body):
            head = table[0]
            if "Kernel Path" not in head:
                continue
            for cells in table[1:]:
                row = dict(zip(head, cells))
                match_row(r, title, row, rows)


def spans(cell):
    """The contents of the code spans of a cell, whatever their fences."""
    found = re.findall(r"(`+)(?!`)(.*?)(?<!`)\1(?!`)", cell.replace("\\|", "|"))
    return [inside.strip() for _, inside in found]


def shapes(args):
    """Of each argument, what its text begins with: a hostile type looks like a shape, too."""
    found = [re.match(r"[` ]*(\([\d,]*\))", arg) for arg in args.split("<br>")]
    return [m.group(1) for m in found if m]


def harmless(text):
    """The part of a hostile text that is shown as it is: to a cut or a repaired character."""
    text = re.split(r"\.\.\.|[\\`\u2026]|[^ -~]", text.replace("<br>", ", "))[0]
    return text.strip()


def match_row(r, title, row, rows):
    name = harmless(", ".join(spans(row["Operation"])))
    args = shapes(row["Args"])
    if not rows:
        return
    found = [op for key, ops in rows.items() for op in ops
             if harmless(key or "").startswith(name)]
    r.check("C5", bool(found), f"{title}: no metrics row {name}")
    short = [op for op in found if shapes(op.get("args") or "")[:len(args)] == args]
    r.check("C5", bool(short) or not found, f"{title}: {name} has no row with {args}")
    time = float(row["Time (ms)"])
    unit = 0.051 if time >= 100 else 0.0051 if time >= 1 else 0.00051
    near = [op for op in short or found
            if abs(op["time_ms"] - time) <= unit + 0.0005 and op["count"] == int(row["Count"])]
    r.check("C3", bool(near) or not found,
            f"{title}: {name} {row['Time (ms)']} ms x{row['Count']} is not in the metrics")
    shown = numbers(row["Efficiency"])
    known = [(op.get("efficiency") or {}).get("efficiency_percent") for op in near]
    same = [e for e in known if (e is None and not shown) or
            (e is not None and shown and abs(shown[0] - e) <= 0.051)]
    r.check("C3", bool(same) or not near,
            f"{title}: {name} efficiency {shown[:1]}, not one of {known}")


def language(r, text):
    body = re.sub(r"\(source:.*?\)\n", "\n", text)
    found = KEYWORDS.search(prose_of(body))
    r.check("C6", not found, found.group() if found else "")
    found = re.search(r"closer to (?:the )?(?:peak|roofline)", text, re.I)
    r.check("C7", not found, "Resolution restates the roofline")
    r.check("C8", True)
    for name in report_names(r):
        prose = prose_of(r.read(name))
        for pattern in (VENDOR, UNSEEN):
            found = pattern.search(prose)
            r.check("C8", not found, f"{name}: {found.group() if found else ''}")
    r.check("C12", True)
    for name in report_names(r)[:2]:
        for line in prose_of(r.read(name)).split("\n"):
            if line.startswith(("**Operation**", "- **", "- ")):
                continue  # lists
            # A sentence that begins with code begins with the space behind it.
            for sentence in re.split(r"(?<=[.!?]) +(?=[A-Z0-9\u2192])|(?<=[.!?])  ", line):
                bridges = len(re.findall(r"; | \u2014 | \u2013 ", sentence))
                r.check("C12", bridges <= 1, f"{name}: {sentence.strip()[:90]}")


def inert(r):
    """No name acts on the page: what is left outside code has no tag, image or mention."""
    r.check("MD-3", True)
    for name in report_names(r):
        left = re.sub(r'<a id="[\w-]+"></a>|<br>|!\[[^\]]*\]\(charts/[\w.-]+\)', "",
                      without_code(r.read(name)))
        found = re.search(r"(?<!\\)<[\w/!]|(?<!\\)!\[|(?<![\w\\])@\w", left)
        r.check("MD-3", not found,
                f"{name}: {left[found.start():found.start() + 40]!r}" if found else "")


def mechanisms(r, text):
    seen = {}
    r.check("C9", True)
    for tier, title, item in items_of(text):
        found = re.search(r"\*\*Action\*\*: (.*)", item)
        action = (tier, found.group(1).strip() if found else title)
        r.check("C9", action not in seen or re.search(r": see .* above\.", action[1]),
                f"{title} and {seen.get(action)}")
        seen[action] = title
    for _, title, _ in items_of(text):
        plain = re.sub(r"^P\d+: ", "", title).replace("`", "")
        r.check("C12", len(plain) <= 90 and re.match(r"[A-Z][a-z]", plain) and not re.search(r"GPU idle|\d ?ms: |\d%", plain),
                f"{title} is no action")
    cards = section(r.read("standalone_analysis_fair.md"), "## Recommendations")
    issues = re.findall(r"\*\*Issue\*\*: (.*)", cards)
    r.check("C9", len(issues) == len(set(issues)), "an issue is reported twice")


def summed_ms(r):
    """Of all operations that compute: copies are in the table of operations too."""
    times = {line["type"]: float(line["time ms"] or 0)
             for line in csv_rows(r, "perf_report_csvs", "gpu_timeline.csv") if "type" in line}
    return sum(float(row["total_direct_kernel_time_ms"] or 0)
               for row in csv_rows(r, "perf_report_csvs", "ops_summary.csv")) - \
        times.get("total_memcpy_time", 0)


def totals(r, text):
    rows = [c for c in rows_of(section(text, "## Top Operations")) if len(c) == 5]
    r.check("C10", True)
    total = numbers(dict(c for c in rows_of(section(text, "## Executive Summary"))
                         if len(c) == 2).get("Total Compute Time", "0"))
    if total and total[0] > 0:
        total[0] = max(total[0], summed_ms(r))  # operations overlap on several streams
    for cells in rows:
        if cells[0].isdigit() and cells[4].endswith("%") and not cells[3].endswith("%") \
                and total and total[0] > 0:
            share = 100 * float(cells[3]) / total[0]
            rounding = 0.06 + 100 * 0.00051 / total[0]  # of the share; of a time below 1 ms
            r.check("C10", abs(share - numbers(cells[4])[0]) <= rounding + 0.01 * share,
                    f"{cells[1]}: {cells[3]} ms is {share:.1f}%, not {cells[4]}")


def limits(r):
    for name in ("standalone_analysis.md", "standalone_analysis_fair.md"):
        text = r.read(name)
        lines = re.split(r"^(?:## |---)", text.partition("## Executive Summary\n")[2],
                         flags=re.M)[0].split("\n")
        used = sum(bool(line.strip()) for line in lines)
        r.check("C11", 0 < used <= 20, f"{name}: Executive Summary has {used} lines")
        for first, body in blocks(text, r"^### \S+ (?:P\d+|\w+ Priority|Priority \d+): "):
            body = re.split(r"^(?:## |### |---)", body, flags=re.M)[0]
            used = 1 + sum(bool(line.strip()) for line in body.split("\n"))
            r.check("C11", used <= 10, f"{name}: {first} has {used} lines")
            r.check("C11", "|" not in body.replace("\\|", "") or
                    not any(line.startswith("|") for line in body.split("\n")),
                    f"{name}: a table in {first}")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    r = Rubric(sys.argv[1])
    text = gates(r)
    manifest, model = files(r)
    if (r.load("report.json") or {}).get("host"):
        host_structure(r, text, manifest, model)
    else:
        structure(r, text, manifest, model)
        marks(r, text)
    anchors(r)
    details(r, text)
    data_tables(r, text)
    language(r, text)
    inert(r)
    mechanisms(r, text)
    totals(r, text)
    limits(r)
    sys.exit(0 if r.report() else 1)


if __name__ == "__main__":
    main()
