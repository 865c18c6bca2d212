// site_files.mjs - what can be told of a site from its files alone: tests 1, 2, 6, 8, 14 and
// 15 of the site's acceptance tests. No browser, no library.
import fs from 'node:fs';
import path from 'node:path';

export function listFiles(dir, under = '') {
  return fs.readdirSync(path.join(dir, under), { withFileTypes: true }).flatMap(entry => {
    const name = under ? `${under}/${entry.name}` : entry.name;
    return entry.isDirectory() ? listFiles(dir, name) : [name];
  }).sort();
}

const read = (dir, name) => fs.readFileSync(path.join(dir, name), 'utf8');
const decode = text => text.replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&quot;/g, '"')
  .replace(/&#39;/g, "'").replace(/&amp;/g, '&');
const attributes = (html, name) =>
  [...html.matchAll(new RegExp(`\\s${name}="([^"]*)"`, 'g'))].map(m => decode(m[1]));

export const pagesOf = dir => listFiles(dir).filter(f => f.endsWith('.html') && !f.includes('/'));

// 1. Every link leads somewhere inside the folder, every id is there once.
export function testLinks(dir) {
  const wrong = [];
  const files = new Set(listFiles(dir));
  const ids = new Map();
  const idsOf = name => {
    if (!ids.has(name)) ids.set(name, new Set(attributes(read(dir, name), 'id')));
    return ids.get(name);
  };
  for (const page of pagesOf(dir)) {
    const html = read(dir, page);
    const all = attributes(html, 'id');
    for (const id of new Set(all.filter((id, i) => all.indexOf(id) !== i))) wrong.push(`${page}: id ${id} twice`);
    for (const link of [...attributes(html, 'href'), ...attributes(html, 'src')]) {
      if (/^[a-z]+:|^\/|\.\.|\\/i.test(link)) { wrong.push(`${page}: ${link} leaves the folder`); continue; }
      const [file, fragment] = link.split('#');
      const target = file || page;
      if (!files.has(target)) wrong.push(`${page}: ${link} is not there`);
      else if (fragment && !/^(\?|find=|t=)/.test(fragment) && target.endsWith('.html') && !idsOf(target).has(fragment)) wrong.push(`${page}: no ${link}`);
    }
  }
  for (const name of files) {
    if (!name.endsWith('.md')) continue;
    const text = read(dir, name).replace(/^ *(```+)[^`]*?\n[\s\S]*?\n *\1 *$/gm, '').replace(/(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g, ''); // code has no links
    for (const m of text.matchAll(/(?<!\\)\]\(([^)#\s]+)(#[^)]*)?\)/g)) {
      const target = path.posix.normalize(path.posix.join(path.posix.dirname(name), decode(m[1])));
      if (!/^https?:/.test(m[1]) && !files.has(target)) wrong.push(`${name}: ${m[1]} is not there`);
    }
  }
  return wrong;
}

// What is downloaded says its size where it is linked, and that is the size it has.
export function testSizes(dir) {
  const wrong = [], units = { B: 1, KiB: 1024, MiB: 1024 ** 2 };
  let seen = 0;
  for (const page of pagesOf(dir))
    for (const m of read(dir, page).matchAll(/<a\b[^>]*\shref="([^"#]+\.(?:xlsx|csv|json|md|zip|gz))"[^>]*>[\s\S]*?<\/a>([\s\S]{0,90})/g)) {
      const said = m[2].split(/<\/li>|<a\b/)[0].match(/([\d.]+)\u00a0(B|KiB|MiB)\b/), file = decode(m[1]);
      const bytes = fs.statSync(path.join(dir, file), { throwIfNoEntry: false })?.size;
      seen++;
      if (!said) wrong.push(`${page}: ${file} without its size`);
      else if (Math.abs(said[1] * units[said[2]] - bytes) > 0.006 * bytes) wrong.push(`${page}: ${file} is said to be ${said[0]}, it has ${bytes} bytes`);
    }
  if (!seen) wrong.push('nothing can be downloaded');
  return wrong;
}

const forbiddenInPages = [/\sstyle=/i, /\son[a-z]+="/i, /<style\b/i, /<script(?![^>]*\bsrc=)/i, /javascript:/i,
  /\bdata:[a-z]/i, /<(iframe|object|embed|form|base)\b/i, /\starget=/i, /\ssrcdoc=/i, /type="module"/i,
  /\sintegrity=/i, /\scrossorigin/i, /http-equiv="refresh"/i, /rel="(preload|prefetch|modulepreload)"/i,
  /(href|src)="(https?:)?\/\//i, /<use\b[^>]*href="[^#]/i];
const forbiddenInScript = [/\bfetch\s*\(/, /XMLHttpRequest/, /\bimport\s*\(/, /\bnew Worker/, /\beval\s*\(/,
  /\bnew Function/, /innerHTML/, /outerHTML/, /insertAdjacentHTML/, /document\.write/, /document\.cookie/, /blob:/, /https?:/];
const forbiddenInCss = [/@import/, /\burl\s*\(/, /expression\s*\(/, /https?:/];

// Markup only: what a page shows as text may say anything.
const tagsOf = html => (html.replace(/<!--[\s\S]*?-->/g, '').match(/<[a-zA-Z][^<>]*>/g) || []).join('\n');

// 2. Nothing of the list that strict places refuse.
export function testForbidden(dir) {
  const wrong = [];
  for (const name of listFiles(dir)) {
    const rules = name.endsWith('.html') || name.endsWith('.svg') ? forbiddenInPages
      : name.endsWith('.js') ? forbiddenInScript : name.endsWith('.css') ? forbiddenInCss : [];
    if (!rules.length) continue;
    let text = read(dir, name);
    if (name.endsWith('.html')) text = tagsOf(text);
    if (name.endsWith('.svg')) text = tagsOf(text).replace(/\sxmlns(:\w+)?="[^"]*"/g, '');
    if (name.endsWith('.js')) text = text.replace(/\/\*[\s\S]*?\*\//g, '');
    for (const rule of rules) if (rule.test(text)) wrong.push(`${name}: ${rule}`);
  }
  return wrong;
}

const numbersIn = (value, out = []) => {
  if (typeof value === 'number') out.push(value);
  else if (value && typeof value === 'object') for (const v of Object.values(value)) numbersIn(v, out);
  return out;
};
const textOf = html => decode(html.replace(/<[^>]*>/g, ' ')).replace(/\s+/g, ' ');
const rounding = shown => 0.5 * 10 ** -(shown.split('.')[1] || '').length;

// 6. Numbers of headlines are those of report.json; parts add up to their totals.
export function testNumbers(dir) {
  const wrong = [];
  const files = new Set(listFiles(dir));
  if (!files.has('report.json')) return ['report.json is missing'];
  const report = JSON.parse(read(dir, 'report.json'));
  const issues = report.findings.map(f => f.issue.replace(/`/g, '').replace(/\s+/g, ' ').trim()); // which a headline may quote, in fewer digits
  const known = numbersIn(report).concat(issues.flatMap(issue => (issue.match(/\d+\.\d+/g) || []).map(Number)));
  const isKnown = shown => known.some(v => Math.abs(v - Number(shown)) <= rounding(shown) + 0.006);
  const index = read(dir, 'index.html');
  const headlines = [...index.matchAll(/<(p class="(?:verdict|lead)")>([\s\S]*?)<\/p>/g)].map(m => m[2])
    .concat([...index.matchAll(/class="value">([^<]*)</g)].map(m => m[1]))
    .concat([...index.matchAll(/<p class="gain">([\s\S]*?)<\/p>/g)].map(m => m[1]));
  for (const line of headlines)
    for (const m of issues.reduce((said, issue) => said.replace(issue, ''), textOf(line)).matchAll(/(?<![\w.:])(\d+\.\d+)(?=%| (?:ms|to))/g))
      if (!isKnown(m[1])) wrong.push(`index.html: ${m[1]} in "${textOf(line).trim().slice(0, 60)}" is not in report.json`);

  // Where wall time goes: the parts are the whole, but for those too small to be shown.
  const chart = index.match(/id="chart-wall-time"[\s\S]*?<\/figure>/);
  const parts = chart ? [...chart[0].matchAll(/<td[^>]*>([\d.,]+) ms,/g)].map(m => m[1].replaceAll(',', '')) : [];
  const total = chart?.[0].match(/One bar of ([\d.]+) (m?s)/);
  const unit = total?.[2] === 's' ? 1000 : 1;
  if (parts.length && total) {
    const sum = parts.reduce((a, b) => a + Number(b), 0);
    if (Math.abs(sum - total[1] * unit) > parts.reduce((a, b) => a + rounding(b), rounding(total[1]) * unit + total[1] * unit / 1000))
      wrong.push(`wall time: parts sum to ${sum}, not ${total[1]} ms`);
  }
  const evidence = files.has('recommendations.html') ? read(dir, 'recommendations.html') : '';
  for (const m of evidence.matchAll(/<div class="table" id="(e-[0-9a-f-]+)"[\s\S]*?<\/table>/g)) {
    const rows = [...m[0].matchAll(/<tr><th[\s\S]*?<\/tr>/g)];
    const sum = rows.slice(1).reduce((a, row) => a + Number((row[0].match(/data-v="[^"]*"/g) || [])[1]?.slice(8, -1) || 0), 0);
    const fold = m[0].match(/<tfoot>[\s\S]*?together ([\d.]+) ms/);
    const more = m[0].match(/and \d+ more, ([\d.]+) ms/);
    if (fold && Math.abs(sum + Number(more ? more[1] : 0) - fold[1]) > rounding(fold[1]) + (more ? rounding(more[1]) : 0) + 1e-6)
      wrong.push(`${m[1]}: rows sum to ${sum}, not ${fold[1]} ms`);
  }
  return wrong.concat(testRows(dir, files));
}

// The rows of operations.html on all its parts, against the CSV file.
function testRows(dir, files) {
  const csv = 'perf_report_csvs/unified_perf_summary.csv';
  if (!files.has(csv)) return [];
  const parts = [...files].filter(f => /^operations(-\d+)?\.html$/.test(f));
  const shown = parts.flatMap(f => [...read(dir, f).matchAll(/<tr id="op-[\s\S]*?<\/tr>/g)])
    .map(m => Number(m[0].match(/data-v="([^"]*)"/)[1]));
  const lines = csvRows(read(dir, csv));
  const column = lines[0].findIndex(title => /Kernel Time.*sum/i.test(title));
  const want = lines.slice(1).map(l => Number(l[column]) / 1e3);
  const sum = list => list.reduce((a, b) => a + b, 0);
  // A graph launch or compiled region is one row of the reference's table, and one for each kind of kernel here.
  const told = files.has('report.json') ? JSON.parse(read(dir, 'report.json')).operations_total : want.length;
  if (told > want.length) {
    if (shown.length !== Math.min(told, limits.listed)) return [`operations.html: ${shown.length} rows, report.json has ${told}`];
    return sum(shown) <= sum(want) * (1 + 1e-6) ? [] : ['operations.html: rows take more than all'];
  }
  if (shown.length !== Math.min(want.length, limits.listed)) return [`operations.html: ${shown.length} rows, the CSV file has ${want.length}`];
  if (shown.length < want.length) return sum(shown) <= sum(want) ? [] : ['operations.html: rows take more than all'];
  return Math.abs(sum(shown) - sum(want)) > 1e-6 * sum(want) + 1e-9
    ? [`operations.html: ${sum(shown)} ms, the CSV file has ${sum(want)}`] : [];
}

export function csvRows(text) {
  const rows = [[]];
  for (let i = 0; i < text.length;) {
    let cell = '';
    if (text[i] === '"') {
      for (i++; i < text.length && !(text[i] === '"' && text[i + 1] !== '"'); i++) {
        if (text[i] === '"') i++;
        cell += text[i];
      }
      i++;
    } else while (i < text.length && text[i] !== ',' && text[i] !== '\n') cell += text[i++];
    rows.at(-1).push(cell);
    if (text[i++] === '\n' && i < text.length) rows.push([]);
  }
  return rows;
}

export const limits = { page: 500e3, elements: 8000, css: 60e3, js: 60e3, search: 300e3, rows: 500, listed: 1200, rowsFile: 400e3, lanes: 400e3, marks: 1500, folder: 8e6, files: 400 };
const targets = { page: 200e3, elements: 3000 };

// 8. Sizes; a size above its target but below the limit is reported, not a failure.
export function testBudgets(dir) {
  const wrong = [], told = [];
  let bytes = 0;
  const files = listFiles(dir).filter(f => !/^(replay_packages|cuts)\//.test(f));
  for (const name of files) {
    const n = fs.statSync(path.join(dir, name)).size;
    const site = name.endsWith('.html') || /^(assets|charts)\//.test(name);
    if (site) bytes += n;
    if (name.endsWith('.css') && n > limits.css) wrong.push(`${name}: ${n} bytes`);
    const script = /^assets\/(search|rows|lanes)/.exec(name)?.[1] || 'js'; // data, or what runs
    if (name.endsWith('.js') && n > limits[script === 'rows' ? 'rowsFile' : script]) wrong.push(`${name}: ${n} bytes`);
    if (!name.endsWith('.html') || name.includes('/')) continue;
    const html = read(dir, name);
    const elements = (html.match(/<[a-z][^<>]*>/gi) || []).length;
    if (n > limits.page) wrong.push(`${name}: ${n} bytes`);
    else if (n > targets.page) told.push(`${name} ${Math.round(n / 1e3)} kB`);
    if (elements > limits.elements) wrong.push(`${name}: ${elements} elements`);
    else if (elements > targets.elements) told.push(`${name} ${elements} elements`);
    for (const table of html.match(/<tbody>[\s\S]*?<\/tbody>/g) || []) {
      const rows = (table.match(/<tr\b/g) || []).length;
      if (rows > limits.rows) wrong.push(`${name}: a table of ${rows} rows`);
    }
    for (const svg of html.match(/<svg\b[\s\S]*?<\/svg>/g) || []) {
      const marks = (svg.match(/<(rect|path|circle|line|text)\b/g) || []).length;
      if (marks > limits.marks) wrong.push(`${name}: a chart of ${marks} marks`);
    }
    const requests = 1 + attributes(html, 'src').length + (html.match(/<link rel="stylesheet"/g) || []).length;
    if (requests > 12) wrong.push(`${name}: ${requests} requests`);
  }
  if (bytes > limits.folder) wrong.push(`the site: ${bytes} bytes`);
  return { wrong, told, bytes };
}

// 14. Names that every artifact store and every file system takes.
export function testNames(dir) {
  const wrong = [], seen = new Set();
  for (const name of listFiles(dir)) {
    const last = name.split('/').at(-1);
    const page = last.endsWith('.html') || /^(assets|charts)\//.test(name);
    if (/[":<>|*?\\\x00-\x1f]/.test(name) || /[. ]$/.test(last)) wrong.push(`${name}: a sign that some refuse`);
    if (page && !/^[a-z0-9.-]{1,48}$/.test(last)) wrong.push(`${name}: not of a-z 0-9 . -`);
    if (/^(con|prn|aux|nul|com[1-9]|lpt[1-9])(\.|$)/i.test(last)) wrong.push(`${name}: the name of a device`);
    if (name.length > 80) wrong.push(`${name}: ${name.length} characters`);
    if (seen.has(name.toLowerCase())) wrong.push(`${name}: differs in capitals only`);
    seen.add(name.toLowerCase());
  }
  return wrong;
}

// 15. A changed byte, a missing and an additional file are found, each alone.
export function testManifest(dir, scratch, verify) {
  const wrong = [];
  const attempt = (what, change, name) => {
    fs.rmSync(scratch, { recursive: true, force: true });
    fs.cpSync(dir, scratch, { recursive: true });
    change();
    const { status, text } = verify(scratch);
    if (name === null ? status !== 0 : status === 0 || !text.includes(name)) wrong.push(`${what}: status ${status}, "${text.trim().slice(0, 80)}"`);
  };
  const at = name => path.join(scratch, name);
  attempt('untouched', () => {}, null);
  attempt('a changed byte', () => {
    const bytes = fs.readFileSync(at('index.html'));
    bytes[100] ^= 1;
    fs.writeFileSync(at('index.html'), bytes);
  }, 'index.html');
  attempt('a missing file', () => fs.rmSync(at('about.html')), 'about.html');
  attempt('an additional file', () => fs.writeFileSync(at('more.txt'), 'x'), 'more.txt');
  fs.rmSync(scratch, { recursive: true, force: true });
  return wrong;
}
