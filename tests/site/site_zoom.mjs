// site_zoom.mjs - the timeline's view of lanes, used as a reader would: wheel, drag, keys, two
// fingers, buttons. States are waited for, never times.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const urlOf = (dir, page) => pathToFileURL(path.join(dir, page)).href;
const sum = list => list.reduce((a, b) => a + b, 0);
const laneFile = dir => fs.readdirSync(path.join(dir, 'assets')).find(f => /^lanes\.[0-9a-f]{8}\.js$/.test(f));

// The sums of each lane are those of its boxes: nothing is lost where boxes are merged.
export function testLaneFile(dir, bytesMax) {
  const wrong = [], name = laneFile(dir);
  if (!fs.existsSync(path.join(dir, 'timeline.html'))) return name ? ['lanes without a timeline'] : [];
  if (!name) return fs.readFileSync(path.join(dir, 'timeline.html'), 'utf8').includes('data-lanes') ? ['no file of lanes'] : [];
  const text = fs.readFileSync(path.join(dir, 'assets', name), 'utf8');
  if (Buffer.byteLength(text) > bytesMax) wrong.push(`${name}: ${Buffer.byteLength(text)} bytes`);
  const all = JSON.parse(text.replace(/^window\.tracefolioLanes=/, '').replace(/;\n$/, ''));
  for (const lane of all.lanes) {
    const what = `${lane.of} ${lane.name} ${lane.depth || ''}`;
    const each = k => lane.at.filter((v, i) => i % 3 === k), more = k => lane.more.filter((v, i) => i % 4 === k);
    if (sum(each(1)) - sum(more(2)) !== lane.busy) wrong.push(`${what}: boxes are busy for ${sum(each(1)) - sum(more(2))} ns, not ${lane.busy}`);
    if (each(0).length + sum(more(1)) - more(1).length !== lane.events) wrong.push(`${what}: not ${lane.events} events`);
    if (lane.at.some(v => v < 0) || sum(each(0)) + sum(each(1)) > all.total) wrong.push(`${what}: boxes outside of the run`);
    if (each(2).some(k => !all.names[k])) wrong.push(`${what}: a box without a name`);
    if (more(1).length && !lane.below) wrong.push(`${what}: merged without saying so`);
  }
  return wrong;
}

const shown = page => page.locator('.lanes canvas').evaluate(n => ({ from: +n.dataset.from, to: +n.dataset.to, lane: +n.dataset.lane }));
const near = (a, b, length) => Math.abs(a - b) <= 0.02 * length + 2;

// Waits until the view shows [from, to).
async function shows(page, from, to, what, wrong) {
  await page.waitForFunction(([from, to, slack]) => {
    const n = document.querySelector('.lanes canvas');
    return Math.abs(n.dataset.from - from) <= slack && Math.abs(n.dataset.to - to) <= slack;
  }, [from, to, 0.02 * (to - from) + 2], { timeout: 10000 }).catch(async () => {
    const at = await shown(page);
    wrong.push(`${what}: ${at.from} to ${at.to} is shown, not ${Math.round(from)} to ${Math.round(to)}`);
  });
}

async function open(context, url, wrong) {
  const page = await context.newPage();
  page.asked = [];
  page.on('request', r => page.asked.push(r.url()));
  page.on('pageerror', e => wrong.push(`exception: ${e.message}`));
  page.on('console', m => wrong.push(`console: ${m.text()}`));
  await page.goto(url);
  return page;
}

async function wanted(page) {
  await page.locator('.lanes').scrollIntoViewIfNeeded();
  await page.locator('.lanes canvas[data-to]').waitFor();
  await page.locator('.lanes canvas').scrollIntoViewIfNeeded();
}

async function checkKeys(page, total, wrong) {
  const canvas = page.locator('.lanes canvas');
  await canvas.focus();
  await page.keyboard.press('+');
  await shows(page, total / 4, total * 3 / 4, '+', wrong);
  await page.keyboard.press('ArrowRight');
  await shows(page, total * 0.325, total * 0.825, 'right', wrong);
  await page.keyboard.press('ArrowLeft');
  await shows(page, total / 4, total * 3 / 4, 'left', wrong);
  await page.keyboard.press('-');
  await shows(page, 0, total, '-', wrong);
  await page.keyboard.press('-');
  await shows(page, 0, total, '- at the end', wrong);
  await page.keyboard.press('ArrowDown');
  const text = await page.locator('.lanes .readout').textContent();
  await page.waitForFunction(() => document.querySelector('.lanes canvas').dataset.lane === '1' || tracefolioLanes.lanes.length < 2, null, { timeout: 10000 })
    .catch(() => wrong.push('down does not choose the next lane'));
  if (!/ms · .+ · .*(ns|µs|ms|s) · .+ · /.test(text)) wrong.push(`the readout says "${text}"`);
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => +document.querySelector('.lanes canvas').dataset.to !== window.tracefolioLanes.total || +document.querySelector('.lanes canvas').dataset.from > 0, null, { timeout: 10000 }).catch(() => wrong.push('Enter does not go to the box'));
  await page.keyboard.press('Home');
  await shows(page, 0, total, 'Home', wrong);
}

// On the canvas, as parts of its width behind the names of the lanes.
async function spot(page, share, y) {
  const box = await page.locator('.lanes canvas').boundingBox(), left = box.width < 700 ? 0 : 190;
  return { x: box.x + left + share * (box.width - left), y: box.y + y, wide: box.width - left };
}

async function checkPointer(page, total, wrong) {
  const { x, y, wide } = await spot(page, 0.5, 50);
  const top = () => page.evaluate(() => scrollY);
  await page.evaluate(() => document.activeElement.blur());
  await page.mouse.move(x, y);
  const before = await top();
  await page.mouse.wheel(0, -40);
  await page.waitForFunction(was => scrollY !== was, before, { timeout: 10000 }).catch(() => wrong.push('the wheel does not scroll the page over an unused view'));
  await page.locator('.lanes canvas').scrollIntoViewIfNeeded();
  const at = await spot(page, 0.5, 50);
  await page.mouse.click(at.x, at.y);
  const still = await top();
  await page.mouse.wheel(0, -400);
  const length = total * Math.pow(1.0025, -400);
  await shows(page, total / 2 - length / 2, total / 2 + length / 2, 'wheel', wrong);
  if (await top() !== still) wrong.push('the wheel scrolls the page and zooms');
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await page.mouse.move(at.x - wide / 4, at.y, { steps: 4 });
  await page.mouse.up();
  await shows(page, total / 2 - length / 4, total / 2 + length * 3 / 4, 'drag', wrong);
  await page.locator('.lanes .tools button', { hasText: /^All$/ }).click();
  await shows(page, 0, total, 'All', wrong);
  const gap = await page.evaluate(() => tracefolioLanes.gaps.slice(0, 2));
  if (gap.length) {
    await page.locator('.lanes select').selectOption({ index: 1 });
    const from = Math.max(0, gap[0] - 0.15 * gap[1]), to = Math.min(total, gap[0] + 1.15 * gap[1]);
    const inside = to - from > 0.99 * 1.3 * gap[1];
    if (inside) await shows(page, from, to, 'the longest gap', wrong);
    await page.locator('.lanes .tools button', { hasText: /^All$/ }).click();
    await shows(page, 0, total, 'All', wrong);
    await page.getByRole('button', { name: 'Show gap 1 in the view' }).click();
    if (inside) await shows(page, from, to, 'the row of the longest gap', wrong);
  }
}

// Two fingers that move apart double the scale; one that moves sideways drags.
async function checkTouch(browser, url, total, wrong) {
  const context = await browser.newContext({ hasTouch: true, isMobile: true, reducedMotion: 'reduce', viewport: { width: 390, height: 800 } });
  const page = await open(context, url, wrong);
  await wanted(page);
  const cdp = await context.newCDPSession(page);
  const touch = (type, ...at) => cdp.send('Input.dispatchTouchEvent', { type, touchPoints: at.map(([x, y], id) => ({ x, y, id })) });
  const { x, y, wide } = await spot(page, 0.5, 60), a = wide / 8;
  await touch('touchStart', [x - a, y]);
  await touch('touchStart', [x - a, y], [x + a, y]);
  await touch('touchMove', [x - 2 * a, y], [x + 2 * a, y]);
  await touch('touchEnd');
  await shows(page, total / 4, total * 3 / 4, 'pinch', wrong);
  await touch('touchStart', [x, y]);
  for (let k = 1; k <= 4; k++) await touch('touchMove', [x + k * a / 2, y]);
  await touch('touchEnd');
  await page.waitForFunction(from => +document.querySelector('.lanes canvas').dataset.from < from, 0.24 * total, { timeout: 10000 }).catch(() => {});
  const at = await shown(page);
  if (!(at.from < total / 4 && at.from > 0) || !near(at.to - at.from, total / 2, total)) wrong.push(`a finger drags to ${at.from} to ${at.to}`);
  await context.close();
}

// Motion on request only: with "reduce" the next frame is where it ends, else some lie between.
async function checkMotion(browser, url, total, wrong) {
  for (const reducedMotion of ['reduce', 'no-preference']) {
    const context = await browser.newContext({ reducedMotion });
    const page = await open(context, url, wrong);
    await wanted(page);
    await page.evaluate(() => {
      const n = document.querySelector('.lanes canvas');
      window.lengths = [];
      new MutationObserver(() => window.lengths.push(n.dataset.to - n.dataset.from)).observe(n, { attributes: true, attributeFilter: ['data-to'] });
      n.focus();
      n.dispatchEvent(new KeyboardEvent('keydown', { key: '+', bubbles: true }));
    });
    await shows(page, total / 4, total * 3 / 4, `+ with ${reducedMotion}`, wrong);
    const seen = new Set((await page.evaluate(() => window.lengths)).filter(length => !near(length, total, total)));
    if (reducedMotion === 'reduce' ? seen.size !== 1 : seen.size < 1) wrong.push(`${reducedMotion}: lengths ${[...seen].join(', ')}`);
    await context.close();
  }
}

// `url` of a page with the view, in a folder or in one file.
// What a box of the first stream leads to is in the same file.
async function checkTargets(page, wrong) {
  await page.keyboard.press('Escape');
  for (let k = 0; k < 3; k++) await page.keyboard.press('ArrowUp');
  for (let k = 0; k < 3; k++) await page.keyboard.press('Shift+ArrowRight');
  const lost = await page.evaluate(() => [...document.querySelectorAll('.lanes .readout a')].filter(a => !a.hidden)
    .map(a => a.getAttribute('href')).filter(href => !href.startsWith('#') || !document.getElementById(href.slice(1))));
  for (const href of lost) wrong.push(`the timeline leads to ${href}, which is not there`);
}

async function testView(browser, url, inFolder) {
  const wrong = [], context = await browser.newContext({ viewport: { width: 1280, height: 600 }, reducedMotion: 'reduce' });
  const page = await open(context, url, wrong);
  const loads = () => page.asked.filter(a => /\/lanes\.[^/]*\.js$/.test(a)).length;
  if (inFolder && loads()) wrong.push('the boxes are loaded before they are wanted');
  await wanted(page);
  if (loads() !== (inFolder ? 1 : 0)) wrong.push(`the boxes are loaded ${loads()} times`);
  const total = await page.evaluate(() => tracefolioLanes.total);
  await shows(page, 0, total, 'at first', wrong);
  await checkKeys(page, total, wrong);
  if (inFolder) await checkPointer(page, total, wrong); // a large page is slow to draw
  else await checkTargets(page, wrong);
  await context.close();
  return { wrong, total };
}

// A gap of another page leads to its place in the view.
async function checkLinks(browser, dir, wrong) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 600 }, reducedMotion: 'reduce' });
  const page = await open(context, urlOf(dir, 'system.html'), wrong);
  const link = page.locator('#t-gaps tbody a[href^="timeline.html#gap-"]').last();
  if (await link.count()) {
    const k = Number(/gap-(\d+)$/.exec(await link.getAttribute('href'))[1]) - 1;
    await link.click();
    await page.waitForSelector('.lanes canvas[data-to]');
    const [at, length, total] = await page.evaluate(k => [...tracefolioLanes.gaps.slice(2 * k, 2 * k + 2), tracefolioLanes.total], k);
    const from = Math.max(0, at - 0.15 * length), to = Math.min(total, at + 1.15 * length);
    if (to - from > 0.99 * 1.3 * length) await shows(page, from, to, `the link to gap ${k + 1}`, wrong);
  }
  await context.close();
}

export async function testZoom(browser, dir) {
  if (!laneFile(dir)) return [];
  const url = urlOf(dir, 'timeline.html');
  const { wrong, total } = await testView(browser, url, true);
  await checkTouch(browser, url, total, wrong);
  await checkMotion(browser, url, total, wrong);
  await checkLinks(browser, dir, wrong);
  return wrong;
}

/* The strip of the first page: at the pointer and at the keys it is told what runs and what is
 * waited for, a part of the time at a time; the bar above it ends where the time would. */
export async function testStrip(browser, dir) {
  const wrong = [];
  const html = fs.readFileSync(path.join(dir, 'index.html'), 'utf8');
  if (!html.includes('class="strip"')) return wrong;
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await open(context, urlOf(dir, 'index.html'), wrong);
  const slider = page.locator('.strip .tools input'), said = page.locator('.strip .tools p');
  const rows = await page.locator('.strip tbody tr').evaluateAll(list => list.map(row => [...row.cells].map(cell => cell.textContent)));
  const says = async (at, how) => {
    const text = await said.textContent(), told = await slider.getAttribute('aria-valuetext');
    if (!text.includes(rows[at][0]) || !text.endsWith(rows[at][1])) wrong.push(`${how}: "${text}", not ${rows[at].join(': ')}`);
    if (text !== told) wrong.push(`${how}: listeners hear "${told}"`);
    if (await page.locator('.strip .chart-wide .hint.on').count() !== 1) wrong.push(`${how}: the part is not marked`);
  };
  const below = () => page.evaluate(() => document.querySelector('#trust').getBoundingClientRect().top + scrollY);
  const top = await below();
  await slider.focus();
  await page.keyboard.press('ArrowRight');
  await says(1, 'right');
  await page.keyboard.press('End');
  await says(rows.length - 1, 'End');
  await page.locator('.strip .chart-wide').first().scrollIntoViewIfNeeded();
  const box = await page.locator('.strip .chart-wide .hint').nth(3).boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await says(3, 'the pointer');
  if (await below() !== top) wrong.push('what is below the strip moves');
  for (const row of rows) {
    const busy = /^busy ([\d.]+)%/.exec(row[1]), idle = /idle ([\d.]+)%/.exec(row[1]);
    const all = Number(busy?.[1]) + Number(idle?.[1] || 0);
    if (!(Math.abs(all - 100) < 0.15) && !html.includes('work from before the recording')) wrong.push(`${row.join(': ')} is ${all} %`);
  }
  const bar = await page.locator('.mended').evaluateAll(list => list.map(box => {
    const [less] = /[\d.]+(?=%)/.exec(box.textContent);
    return [box.querySelector('rect').getBoundingClientRect().width / box.querySelector('svg').getBoundingClientRect().width, 1 - less / 100];
  }));
  if (bar.some(([drawn, said]) => Math.abs(drawn - said) > 0.002)) wrong.push(`a bar of ${bar[0][0]} for ${bar[0][1]}`);
  await context.close();
  return wrong;
}

// The call tree's picture: a cell fills the width, the button and Escape bring all back, arrows go
// from cell to cell; without script the first levels have pictures that links show.
export async function testIcicle(browser, dir) {
  const wrong = [];
  if (!fs.readFileSync(path.join(dir, 'tree.html'), 'utf8').includes('class="icicle"')) return wrong;
  const url = urlOf(dir, 'tree.html');
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' });
  const page = await open(context, url, wrong);
  const cells = page.locator('.icicle .chart-wide a'), wide = page.locator('.icicle .chart-wide');
  const range = () => wide.evaluate(n => [n.dataset.from, n.dataset.to].map(v => v === undefined ? undefined : Number(v)));
  const at = await cells.evaluateAll(n => n.map(a => { const r = a.querySelector('rect'); return [Number(r.getAttribute('x')), Number(r.getAttribute('width')), Boolean(a.querySelector('title').textContent), a.getAttribute('href')]; }));
  if (at.some(c => !c[2] || !/#/.test(c[3]))) wrong.push('a cell without a title or a link');
  const dead = await cells.evaluateAll(n => n.filter(a => getComputedStyle(a.querySelector('rect')).pointerEvents !== 'all').length);
  if (dead) wrong.push(`${dead} cells cannot be pressed where they are not painted`);
  const all = at[0][1], one = at.findIndex(c => c[1] < 0.8 * all && c[1] > 0.1 * all);
  if (one > 0) {
    await cells.nth(one).locator('rect').click({ position: { x: 4, y: 4 } });
    const [from, to] = await range();
    if (Math.abs(to - from - at[one][1] / all) > 0.01) wrong.push(`a cell of ${at[one][1]} of ${all} px shows ${from} to ${to}`);
    const filled = await cells.nth(one).locator('rect').evaluate(n => Number(n.getAttribute('width')));
    if (Math.abs(filled - all) > 1) wrong.push(`the cell is ${filled} px wide, not ${all}`);
    if (!await page.locator('.icicle [role=status] a').count()) wrong.push('no link to the line of the cell');
    await page.locator('.icicle .tools button').click({ timeout: 5000 });
    if ((await range()).join() !== '0,1') wrong.push(`All shows ${(await range()).join(' to ')}`);
    await cells.nth(one).locator('rect').click({ position: { x: 4, y: 4 } });
    await page.keyboard.press('Escape');
    if ((await range()).join() !== '0,1') wrong.push(`Escape shows ${(await range()).join(' to ')}`);
    await cells.first().focus();
    await page.keyboard.press('ArrowDown');
    if (await cells.first().evaluate(n => n === document.activeElement)) wrong.push('down stays in the first cell');
    await page.keyboard.press('ArrowUp');
    if (!await cells.first().evaluate(n => n === document.activeElement)) wrong.push('up does not go back');
  }
  await context.close();
  const plain = await browser.newContext({ javaScriptEnabled: false });
  const still = await plain.newPage();
  await still.goto(url);
  const part = still.locator('.icicle .chart-wide a[href^="#z-"]').first();
  if (await part.count()) {
    const id = (await part.getAttribute('href')).slice(1);
    await still.goto(`${url}#${id}`);
    if (!await still.locator(`#${id}`).isVisible() || await still.locator('.icicle .chart-wide').isVisible()) wrong.push(`#${id} is not shown in place of the whole`);
  }
  await plain.close();
  return wrong;
}

export const testZoomSingle = async (browser, file) => (await testView(browser, pathToFileURL(file).href, false)).wrong;
