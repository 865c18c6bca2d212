// site_script.mjs - what the script adds to pages, used as a reader would: typed, pressed,
// reloaded, sent on as a link.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const urlOf = (dir, page) => pathToFileURL(path.join(dir, page)).href;
const partsOf = (dir, stem) => fs.readdirSync(dir).filter(f => new RegExp(`^${stem}(-\\d+)?\\.html$`).test(f))
  .sort((a, b) => (a.match(/\d+/) || [1])[0] - (b.match(/\d+/) || [1])[0]);

// The rows that a table shows: name with arguments, category, time, and the text of each cell.
const rowsOf = (page, id) => page.evaluate(id => {
  const table = document.querySelector(`#${id} table`);
  const heads = [...table.tHead.rows[0].cells].map(h => h.textContent.trim());
  const at = test => heads.findIndex(h => test.test(h));
  const time = at(/^(Total|Time)\b/), category = at(/^Category/), finding = at(/^Finding/);
  const words = n => n.replace(/\s+/g, ' ').trim();
  return [...table.tBodies[0].rows].map(row => ({
    id: row.id, name: words([...row.cells].filter((c, i) => i === 0 || /^Launched/.test(heads[i])).map(c => c.textContent).join(' ')).toLowerCase(),
    category: category < 0 ? '' : words(row.cells[category].textContent),
    finding: finding >= 0 && Boolean(row.cells[finding].querySelector('a[href*="#f-"]')),
    time: Number(row.cells[time].getAttribute('data-v') ?? row.cells[time].textContent),
    launches: Number(row.cells[at(/^Launches/)].textContent),
    cells: [...row.cells].map((c, i) => i === 0 ? words(c.querySelector('code').textContent) : words(c.textContent)) }));
}, id);

// Every row of a table in parts, as the pages have it without script; read once for all who ask.
const rowsRead = new Map();
function allRows(browser, dir, stem, id) {
  const key = path.join(dir, stem);
  if (!rowsRead.has(key)) rowsRead.set(key, readRows(browser, dir, stem, id));
  return rowsRead.get(key);
}
async function readRows(browser, dir, stem, id) {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage(), rows = [];
  for (const part of partsOf(dir, stem)) {
    await page.goto(urlOf(dir, part));
    rows.push(...await rowsOf(page, id));
  }
  await context.close();
  return rows;
}

const said = (page, id) => page.locator(`#${id} .tools [role=status]`).first().textContent();
const field = (page, id) => page.locator(`#${id} .tools input[type=search]`);
// Letters are waited for, and rows that are wanted; by the clock of the page, which may be late.
const later = (page, ms) => page.evaluate(ms => new Promise(done => setTimeout(done, ms)), ms);
const settled = async page => {
  await later(page, 250);
  await page.waitForFunction(() => !document.querySelector('head script[src*="/rows-"]') || window.tracefolioRows);
  await later(page, 50);
};
const sameNames = (a, b) => a.length === b.length && a.every((r, i) => r.cells[0] === b[i].cells[0] && r.time === b[i].time);

// What the status line has to say of rows that are left of `all`.
function checkSaid(text, left, all, wrong, what) {
  const count = left.length === all.length ? `${all.length} row` : `${left.length} of ${all.length} row`;
  const sum = left.reduce((a, r) => a + r.time, 0), shown = Number((text.match(/, ([\d.]+) ms/) || [])[1]);
  if (!text.startsWith(count)) wrong.push(`${what}: "${text}", not ${count}s`);
  if (!(Math.abs(shown - sum) <= 0.06 && Math.abs(shown - sum) <= 0.006 * Math.max(sum, 0.1))) wrong.push(`${what}: "${text}", not ${sum} ms`);
}

// IA-1, IA-2, IA-9 on one table; `all` are its rows in the order of the pages.
async function checkTable(context, url, id, all, wrong) {
  const page = await context.newPage();
  const asked = [];
  page.on('request', r => asked.push(r.url()));
  page.on('pageerror', e => wrong.push(`exception: ${e.message}`));
  await page.goto(url);
  const original = await rowsOf(page, id);
  if (asked.some(a => /\/rows-/.test(a))) wrong.push('rows are loaded before they are wanted');
  const fits = rows => rows.slice(0, original.length === all.length ? rows.length : 500);

  // Words in any order, of the name and the arguments.
  const words = all[0].name.split(/[^a-z0-9]+/).filter(w => w.length > 1).slice(0, 2).reverse();
  const left = all.filter(r => words.every(w => r.name.includes(w)));
  await field(page, id).fill(words.join(' '));
  await settled(page);
  if (!sameNames(await rowsOf(page, id), fits(left))) wrong.push(`"${words.join(' ')}" leaves ${(await rowsOf(page, id)).length} rows, not ${fits(left).length}`);
  checkSaid(await said(page, id), left, all, wrong, 'filter');

  // The link has it; reloaded, it is there again.
  const link = await page.evaluate(() => location.href);
  if (!link.includes(`#?q=${words.join('+')}`)) wrong.push(`the link is ${link.replace(/.*\//, '')}`);
  await page.reload();
  await settled(page);
  if (!sameNames(await rowsOf(page, id), fits(left))) wrong.push('a reload does not bring the filter back');
  if (await field(page, id).inputValue() !== words.join(' ')) wrong.push('a reload leaves the field empty');

  // Nothing left: said, and cleared from there.
  await field(page, id).fill('zzzz nothing');
  await settled(page);
  checkSaid(await said(page, id), [], all, wrong, 'nothing');
  await page.locator(`#${id} .empty button`).click();
  if (!sameNames(await rowsOf(page, id), original)) wrong.push('cleared, other rows are there');
  if ((await page.evaluate(() => location.hash)) !== '') wrong.push('cleared, the link still has a state');

  // Three presses: down, up, as it was.
  const head = page.locator(`#${id} thead button`, { hasText: 'Launches' });
  const down = all.map((r, i) => [r, i]).sort((a, b) => b[0].launches - a[0].launches || a[1] - b[1]).map(x => x[0]);
  await head.click();
  await settled(page);
  if (!sameNames(await rowsOf(page, id), fits(down))) wrong.push('not in descending order of launches');
  if (!(await page.evaluate(() => location.hash)).includes('s=-launches')) wrong.push('the order is not in the link');
  await head.click();
  if ((await rowsOf(page, id))[0].launches !== down.at(-1).launches) wrong.push('not in ascending order');
  await head.click();
  if (!sameNames(await rowsOf(page, id), original)) wrong.push('the third press is not the order of the page');

  // A link that somebody wrote: known keys count, others do not.
  const chosen = await page.locator(`#${id} select option`).evaluateAll(n => n.map(o => [o.value, o.textContent]));
  const [slug, label] = chosen.find(c => c[0]) || ['', ''];
  if (slug) {
    await page.goto('about:blank');
    await page.goto(`${url}#?s=-time&c=${slug}&colour=red`);
    await settled(page);
    const of = all.filter(r => r.category.endsWith(label)).sort((a, b) => b.time - a.time);
    const shown = await rowsOf(page, id);
    if (shown.length !== fits(of).length || shown.some((r, i) => r.time !== of[i].time)) wrong.push(`c=${slug} shows ${shown.length} rows, not ${of.length}`);
    checkSaid(await said(page, id), of, all, wrong, `c=${slug}`);
    if (await page.locator(`#${id} select`).inputValue() !== slug) wrong.push('the choice is not that of the link');
  }
  if (all.some(r => r.finding)) {
    await page.goto('about:blank');
    await page.goto(url);
    await page.locator(`#${id} .tools label`, { hasText: 'With a finding' }).locator('input').check();
    await settled(page);
    checkSaid(await said(page, id), all.filter(r => r.finding), all, wrong, 'with a finding');
  }

  // A plain permalink leads to its row, also out of a filter that hides it.
  await page.goto('about:blank');
  await page.goto(`${url}#?q=zzzz`);
  await settled(page);
  const permalink = original.at(-1).id;
  if (permalink) {
    await page.evaluate(id => { location.hash = `#${id}`; }, permalink);
    await settled(page);
    if (!await page.locator(`#${permalink}`).isVisible()) wrong.push(`#${permalink} is hidden by a filter`);
  }
  await page.close();
}

// Rows that come from the file are those of the page, cell by cell.
async function checkCells(context, url, id, all, wrong) {
  const page = await context.newPage();
  await page.goto(`${url}#?s=-time`);
  await settled(page);
  const built = await rowsOf(page, id);
  if (built.length !== Math.min(500, all.length)) wrong.push(`${built.length} rows of ${all.length}`);
  if (!/first 500/.test(await said(page, id)) && all.length > 500) wrong.push('that rows are left out is not said');
  built.forEach((row, i) => row.cells.forEach((cell, k) => {
    if (cell.replace(/ (on|of)\b.*/, '') !== all[i].cells[k].replace(/ (on|of)\b.*/, '')) wrong.push(`row ${i + 1}, cell ${k + 1}: "${cell}", the page has "${all[i].cells[k]}"`);
  }));
  const broken = await page.evaluate(id => [...document.querySelectorAll(`#${id} tbody a`)].map(a => a.getAttribute('href')), id);
  const dir = path.dirname(new URL(url).pathname);
  const read = new Map();
  const text = file => read.get(file) ?? read.set(file, fs.readFileSync(path.join(dir, file), 'utf8')).get(file);
  for (const href of new Set(broken)) {
    const [file, fragment] = href.split('#');
    if (!file || !fs.existsSync(path.join(dir, file))) wrong.push(`${href} leads nowhere`);
    else if (fragment && !text(file).includes(`id="${fragment}"`)) wrong.push(`no ${href}`);
  }
  await page.close();
}

export async function testTables(browser, dir) {
  const wrong = [];
  const context = await browser.newContext();
  for (const [stem, id] of [['operations', 't-ops'], ['kernels', 't-kernels']]) {
    const all = await allRows(browser, dir, stem, id), note = [];
    const parts = partsOf(dir, stem);
    await checkTable(context, urlOf(dir, parts[0]), id, all, note);
    if (parts.length > 1 && stem === 'operations') {
      await checkCells(context, urlOf(dir, parts[0]), id, all, note);
      await checkTable(context, urlOf(dir, parts[1]), id, all, note);
    }
    wrong.push(...note.map(line => `${stem}: ${line}`));
  }
  // Without script the head of a column leads to the same rows in its order, and back.
  const plain = await browser.newContext({ javaScriptEnabled: false });
  const still = await plain.newPage();
  await still.goto(urlOf(dir, 'operations.html'));
  await still.locator('#t-ops thead a', { hasText: 'Launches' }).click();
  await still.waitForLoadState('load'); // on a busy machine half of its rows are read before
  const counts = (await rowsOf(still, 't-ops')).map(r => r.launches);
  const most = (await allRows(browser, dir, 'operations', 't-ops')).map(r => r.launches).sort((a, b) => b - a).slice(0, counts.length);
  if (counts.join() !== most.join()) wrong.push(`by launches: ${counts.slice(0, 5)}, not ${most.slice(0, 5)}`);
  await still.locator('#t-ops thead a', { hasText: 'Total' }).click();
  await still.waitForLoadState('load');
  if (!still.url().endsWith('operations.html')) wrong.push(`back from the other order is ${still.url()}`);
  await plain.close();
  // The table of a category goes on as the rows of that category.
  const long = fs.readdirSync(dir).find(f => f.startsWith('category-') && /data-of="/.test(fs.readFileSync(path.join(dir, f), 'utf8')));
  if (long) {
    const page = await context.newPage();
    await page.goto(urlOf(dir, long));
    const label = (await page.locator('h1').textContent()).trim();
    const all = (await allRows(browser, dir, 'operations', 't-ops')).filter(r => r.category.endsWith(` ${label}`));
    await page.locator('#t-ops thead button', { hasText: 'Total' }).click();
    await settled(page);
    const shown = await rowsOf(page, 't-ops');
    if (shown.length !== Math.min(500, all.length) || all.length <= 100) wrong.push(`${long}: ${shown.length} rows in order, not ${all.length}`);
    checkSaid(await said(page, 't-ops'), all, all, wrong, long);
  }
  await context.close();
  return wrong;
}

// What lies far below in one file is laid out when it comes near: links lead to it all the same.
async function checkJumps(browser, url, wrong) {
  const context = await browser.newContext({ reducedMotion: 'reduce', bypassCSP: true });
  const page = await context.newPage();
  await page.goto(url);
  for (const href of await page.locator('.pages a').evaluateAll(n => n.map(a => a.getAttribute('href')))) {
    await page.evaluate(href => { location.hash = href; }, href);
    await page.waitForFunction(id => Math.abs(document.getElementById(id).getBoundingClientRect().top) < 48 || scrollY + innerHeight >= document.documentElement.scrollHeight - 2, href.slice(1), { timeout: 5000 })
      .catch(() => wrong.push(`${href} is not where its link leads`));
  }
  await context.close();
}

// In one file the parts of a table are below each other: the first finds the rows of all.
export async function testSingle(browser, dir, file) {
  const wrong = [];
  const all = await allRows(browser, dir, 'operations', 't-ops');
  const context = await browser.newContext();
  const page = await context.newPage();
  page.on('pageerror', e => wrong.push(`exception: ${e.message}`));
  await page.goto(pathToFileURL(file).href);
  const ids = await page.evaluate(() => [...document.querySelectorAll('#page-operations .table, #page-operations-2 .table')].map(n => n.id));
  const before = await rowsOf(page, ids[0]);
  await page.locator(`#${ids[0]} thead button`, { hasText: 'Total' }).click();
  await settled(page);
  const shown = await rowsOf(page, ids[0]), down = [...all].sort((a, b) => b.time - a.time).slice(0, 500);
  if (!sameNames(shown, down)) wrong.push(`${shown.length} rows in order, not the first of ${all.length}`);
  checkSaid(await said(page, ids[0]), all, all, wrong, 'in order');
  await page.locator(`#${ids[0]} thead button`, { hasText: 'Total' }).dblclick();
  if (!sameNames(await rowsOf(page, ids[0]), before)) wrong.push('the third press is not the order of the page');
  await checkJumps(browser, pathToFileURL(file).href, wrong);
  const twice = await page.evaluate(() => { const ids = [...document.querySelectorAll('[id]')].map(n => n.id); return ids.length - new Set(ids).size; });
  if (twice) wrong.push(`${twice} ids are there twice`);
  await context.close();
  return wrong;
}

// IA-3, IA-6, IA-10: what is typed is found and leads to where it is; keys can be switched
// off; the name of a file can be copied where the clipboard is refused.
export async function testSearch(browser, dir) {
  const wrong = [];
  const context = await browser.newContext();
  const page = await context.newPage(), asked = [];
  page.on('request', r => asked.push(r.url()));
  page.on('pageerror', e => wrong.push(`exception: ${e.message}`));
  await page.goto(urlOf(dir, 'index.html'));
  if (asked.some(a => /\/search\./.test(a))) wrong.push('the index is loaded before it is wanted');
  await page.keyboard.press('/');
  const search = page.locator('.site-search input');
  if (!await search.evaluate(n => n === document.activeElement)) wrong.push('/ does not go to the search');
  const file = fs.readdirSync(path.join(dir, 'assets')).find(f => f.startsWith('search.'));
  const index = JSON.parse(fs.readFileSync(path.join(dir, 'assets', file), 'utf8').replace(/^window.tracefolioSearch=/, '').replace(/;\n$/, ''));
  const ids = new Map();
  const kinds = new Map(index.entries.map(e => [e[1].split(/[ ,]/)[0], e]));
  const modules = fs.readFileSync(path.join(dir, 'tree.html'), 'utf8').includes('>By module');
  for (const kind of ['operation', 'kernel', 'finding', 'glossary', ...(modules ? ['module'] : [])])
    if (!kinds.has(kind)) wrong.push(`no ${kind} can be found`);
  for (const [name, , at, id] of index.entries) {
    const target = index.pages[at];
    if (!ids.has(target)) ids.set(target, new Set([...fs.readFileSync(path.join(dir, target), 'utf8').matchAll(/\sid="([^"]*)"/g)].map(m => m[1])));
    if (id && !ids.get(target).has(id)) wrong.push(`"${name.slice(0, 40)}": no ${target}#${id}`);
  }
  for (const [name, what, at, id] of kinds.values()) {
    await search.fill(`${name} ${what}`.split(/\s+/).reverse().join(' '));
    const hits = await page.locator('.found a').evaluateAll(n => n.map(a => a.getAttribute('href')));
    const words = `${name} ${what}`.toLowerCase().split(/\s+/).filter(Boolean);
    const many = index.entries.filter(e => words.every(w => `${e[0]} ${e[1]}`.toLowerCase().includes(w))).length > 20;
    if (!many && !hits.includes(index.pages[at] + (id ? `#${id}` : ''))) wrong.push(`"${name.slice(0, 60)}" is not found`);
  }
  await search.fill('roof');
  await page.locator('.found a', { hasText: /roof/i }).first().click();
  if (page.url().endsWith('index.html')) wrong.push('a result leads nowhere');
  await page.goto(urlOf(dir, 'index.html'));
  await search.fill('checks page');
  await page.locator('.found a', { hasText: 'Checks' }).first().waitFor();
  await search.press('ArrowDown');
  if (!await page.locator('.found a').first().evaluate(n => n === document.activeElement)) wrong.push('the arrow does not go to what was found');
  await page.keyboard.press('ArrowUp');
  if (!await search.evaluate(n => n === document.activeElement)) wrong.push('the arrow does not come back to the field');
  await search.press('Enter');
  await page.waitForURL(/checks\.html/);
  await page.goto(urlOf(dir, 'index.html'));
  await page.keyboard.press('?');
  if (!await page.locator('.keys').evaluate(n => n.open)) wrong.push('? does not show the keys');
  const seen = await page.locator('.keys').evaluate(n => n.getBoundingClientRect().bottom <= innerHeight && scrollY === 0);
  if (!seen) wrong.push('? shows the keys elsewhere');
  await page.locator('.keys input').uncheck();
  await page.reload();
  await page.keyboard.press('/');
  if (await page.locator('.site-search input').evaluate(n => n === document.activeElement)) wrong.push('/ works although it is switched off');
  const link = page.locator('.downloads a').first();
  if (await link.count()) {
    await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await page.locator('.offers > summary').click();
    await page.locator('.downloads .copy-name').first().click();
    if (await page.evaluate(() => getSelection().toString()) !== await link.textContent()) wrong.push('the name of a file cannot be copied');
  }
  await context.close();
  return wrong;
}

// A picture in the eyes of a reader: its size, the colour of its corner, how many of its
// pixels have another, and whether any has one of `marks`.
const lookAt = (page, bytes, marks) => page.evaluate(async ([data, marks]) => {
  const image = new Image();
  image.src = `data:image/png;base64,${data}`;
  await image.decode();
  const canvas = document.createElement('canvas'), pen = canvas.getContext('2d');
  [canvas.width, canvas.height] = [image.width, image.height];
  pen.drawImage(image, 0, 0);
  const words = new Uint32Array(pen.getImageData(0, 0, image.width, image.height).data.buffer);
  const hex = word => `#${[0, 8, 16].map(shift => (word >> shift & 255).toString(16).padStart(2, '0')).join('')}`;
  const counts = new Map();
  for (const word of words) counts.set(word, (counts.get(word) || 0) + 1);
  return { width: image.width, height: image.height, ground: hex(words[0]), inked: words.length - counts.get(words[0]),
    marked: [...counts.keys()].some(word => marks.includes(hex(word))) };
}, [bytes.toString('base64'), marks]);

// The chart with this id as a picture, by keyboard: of twice its size, in the colours of the light
// theme also on a dark page, with what is drawn on it and a line above.
async function checkPicture(context, eye, url, id, wrong) {
  const page = await context.newPage(), name = `${id.replace(/.*chart-/, '')}.png`;
  page.on('pageerror', e => wrong.push(`exception: ${e.message}`));
  await page.goto(url);
  const figure = page.locator(`[id="${id}"]`);
  await figure.locator('> .long').evaluate(n => { n.open = true; });
  await figure.getByRole('button', { name: `Save PNG: ${name}` }).focus();
  const [download] = await Promise.all([page.waitForEvent('download', { timeout: 20000 }), page.keyboard.press('Enter')]);
  if (download.suggestedFilename() !== name) wrong.push(`${id} is saved as ${download.suggestedFilename()}`);
  const drawn = await figure.locator('svg').first().evaluate(n => ({ width: n.viewBox.baseVal.width, height: n.viewBox.baseVal.height,
    marks: [...n.querySelectorAll('[class*="s-"][fill^="#"], [class*="o-"][stroke^="#"]')].map(m => m.getAttribute(/^#/.test(m.getAttribute('fill')) ? 'fill' : 'stroke')) }));
  const seen = await lookAt(eye, fs.readFileSync(await download.path()), drawn.marks);
  const lines = (seen.height / 2 - drawn.height - 52) / 20;
  if (seen.width !== 2 * (drawn.width + 40) || !(Number.isInteger(lines) && lines > 0)) wrong.push(`${id}: ${seen.width} x ${seen.height} px of ${drawn.width} x ${drawn.height}`);
  if (seen.ground !== '#ffffff') wrong.push(`${id}: on ${seen.ground}`);
  if (seen.inked < 0.005 * seen.width * seen.height) wrong.push(`${id}: ${seen.inked} pixels are drawn`);
  if (drawn.marks.length && !seen.marked) wrong.push(`${id}: none of the colours of its marks`);
  if (!await page.evaluate(() => document.getElementById('theme-auto')?.checked ?? true)) wrong.push(`${id}: the page has changed its colours`);
  await page.close();
}

async function checkPictures(browser, places) {
  const wrong = [], context = await browser.newContext({ colorScheme: 'dark' }), eye = await context.newPage();
  await Promise.all(places.map(([url, id]) => checkPicture(context, eye, url, id, wrong)));
  await context.close();
  return wrong;
}

// Charts without a PNG file become one in the browser; those with one are links, and without
// script nothing is promised.
export async function testPictures(browser, dir) {
  const page = name => fs.readFileSync(path.join(dir, name), 'utf8');
  const category = fs.readdirSync(dir).find(f => f.startsWith('category-') && page(f).includes('class="chart-svg'));
  const places = ['index.html', category, 'timeline.html', 'tree.html', 'roofline.html', 'recommendations.html']
    .map(name => [urlOf(dir, name), page(name).match(name === 'index.html' ? /<div class="strip">\n<figure class="chart" id="([^"]*)">/
      : /<figure class="chart" id="([^"]*)">\n<figcaption>/)[1]]); // those before the strip have files
  const wrong = await checkPictures(browser, places);
  const context = await browser.newContext(), first = await context.newPage();
  await first.goto(urlOf(dir, 'index.html'));
  const links = await first.locator('#chart-wall-time .files').evaluate(n => [...n.querySelectorAll('a, button')].map(x => x.textContent));
  if (links.join() !== 'wall-time.svg,Copy name,wall-time.png,Copy name') wrong.push(`beside wall time: ${links}`);
  if (/Save PNG/.test(page('index.html'))) wrong.push('promised without script');
  await context.close();
  return wrong;
}

export const testPicturesSingle = (browser, file) => checkPictures(browser, [[pathToFileURL(file).href, 'chart-wall-time']]);
