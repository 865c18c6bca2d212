// site_trail.mjs - from a finding to the last event and back, as a reader clicks; addresses that are
// opened fresh; Back. States are waited for, never times.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const urlOf = (dir, address) => { // page.html#place
  const [page, place] = address.split('#');
  return pathToFileURL(path.join(dir, page)).href + (place === undefined ? '' : `#${place}`);
};
const has = (dir, page, text = '') => fs.existsSync(path.join(dir, page)) && fs.readFileSync(path.join(dir, page), 'utf8').includes(text);
const SLACK_PX = 8;

async function open(context, url, wrong) {
  const page = await context.newPage();
  page.on('pageerror', e => wrong.push(`exception: ${e.message}`));
  page.on('console', m => wrong.push(`console: ${m.text()}`));
  await page.goto(url);
  return page;
}

const viewOf = page => page.locator('.lanes canvas').evaluate(n => [+n.dataset.from, +n.dataset.to]);
const addressHas = (page, text) => page.waitForFunction(text => location.hash.includes(text), text, { timeout: 10000 }).then(() => true, () => false);

async function viewIs(page, [from, to], what, wrong) {
  const there = await page.waitForFunction(([from, to]) => {
    const n = document.querySelector('.lanes canvas');
    return n && n.dataset.to && Math.abs(n.dataset.from - from) <= 1000 && Math.abs(n.dataset.to - to) <= 1000;
  }, [from, to], { timeout: 10000 }).then(() => true, () => false);
  if (!there) wrong.push(`${what}: ${(await viewOf(page)).join(' to ')} is shown, not ${from} to ${to}`);
}

// Where a fresh page comes to rest: the distance of its target from the top, or of the end of the page from the bottom.
async function restsAt(page, selector) {
  return page.evaluate(selector => new Promise(resolve => {
    let last = -1, same = 0;
    const target = document.querySelector(selector), px = (node, key) => parseFloat(getComputedStyle(node)[key]) || 0;
    const margin = px(document.documentElement, 'scrollPaddingTop') + (target ? px(target, 'scrollMarginTop') : 0);
    const began = performance.now();
    (function look() {
      same = scrollY === last && document.readyState === 'complete' ? same + 1 : 0;
      last = scrollY;
      if (same < 12 && performance.now() - began < 8000) { requestAnimationFrame(look); return; }
      if (!target) { resolve(null); return; }
      const { top, bottom } = target.getBoundingClientRect();
      const atEnd = scrollY + innerHeight >= document.documentElement.scrollHeight - 1;
      const inside = top >= 0 && bottom <= innerHeight;
      resolve(atEnd && inside ? 0 : top - margin);
    })();
  }), selector);
}

const links = (dir, page, pattern) => [...new Set([...fs.readFileSync(path.join(dir, page), 'utf8').matchAll(pattern)].map(m => m[1]))];
const pick = list => list.length ? [list[Math.floor(list.length / 2)], list.at(-1)] : [];

// Ten addresses of every kind that a colleague may paste.
function freshAddresses(dir) {
  const ids = (page, prefix) => has(dir, page) ? pick(links(dir, page, new RegExp(` id="(${prefix}[0-9a-f-]+)"`, 'g'))).map(id => [`${page}#${id}`, `#${id}`]) : [];
  const all = [...ids('recommendations.html', 'f-'), ...ids('operations.html', 'op-'), ...ids('kernels.html', 'k-'), ...ids('tree.html', 'n-'),
    ...ids('about.html', 'g-'), ...(has(dir, 'checks.html') ? pick(links(dir, 'checks.html', / id="(c-[a-z-]+)"/g)).map(id => [`checks.html#${id}`, `#${id}`]) : [])];
  if (has(dir, 'timeline.html', 'class="lanes"')) {
    for (const gap of pick(links(dir, 'timeline.html', / id="(gap-\d+)"/g))) all.push([`timeline.html#${gap}`, '.lanes']);
    all.push(['timeline.html#t=0.2-0.4', '.lanes'], ['timeline.html#streams', '#streams'], ['timeline.html#gaps', '#gaps']);
  }
  return all;
}

export async function testFresh(browser, dir) {
  const wrong = [], context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const all = freshAddresses(dir);
  for (const [address, selector] of all) {
    const page = await open(context, urlOf(dir, address), wrong);
    if (selector === '.lanes') await page.locator('.lanes canvas[data-to]').waitFor();
    const off = await restsAt(page, selector);
    if (off === null || Math.abs(off) > SLACK_PX) wrong.push(`${address}: ${off === null ? 'not there' : `${Math.round(off)} px off`}`);
    await page.close();
  }
  await context.close();
  if (all.length < 10) wrong.push(`only ${all.length} addresses`);
  return wrong;
}

// Zooms are in the address; Back and Forward go through them, and then off the page.
async function checkZoomAddress(page, dir, wrong) {
  await page.goto(urlOf(dir, 'index.html'));
  await page.goto(urlOf(dir, 'timeline.html'));
  const canvas = page.locator('.lanes canvas');
  await page.locator('.lanes').scrollIntoViewIfNeeded();
  await page.locator('.lanes canvas[data-to]').waitFor();
  const all = await viewOf(page), half = [all[1] / 4, all[1] * 3 / 4];
  await canvas.focus();
  await page.keyboard.press('+');
  await viewIs(page, half, '+', wrong);
  if (!await addressHas(page, '#t=')) wrong.push('the address does not say what is shown');
  const first = page.url();
  await page.keyboard.press('+');
  await page.waitForFunction(was => location.href !== was, first, { timeout: 10000 }).catch(() => wrong.push('the second zoom has no address'));
  const other = await page.context().newPage();
  await other.goto(first);
  await other.locator('.lanes canvas[data-to]').waitFor();
  await viewIs(other, half, 'the address, opened fresh', wrong);
  await other.close();
  await page.goBack();
  await viewIs(page, half, 'Back', wrong);
  await page.goBack();
  await viewIs(page, all, 'Back twice', wrong);
  await page.goForward();
  await viewIs(page, half, 'Forward', wrong);
  await page.goBack();
  await page.goBack();
  if (!/index\.html$/.test(page.url())) wrong.push(`Back from the whole run leads to ${page.url().split('/').pop()}`);
}

// The area that is dragged with Shift: its sums are those of the boxes in it.
async function checkArea(page, dir, wrong) {
  await page.goto(urlOf(dir, 'timeline.html'));
  await page.locator('.lanes').scrollIntoViewIfNeeded();
  await page.locator('.lanes canvas[data-to]').waitFor();
  await page.locator('.lanes canvas').scrollIntoViewIfNeeded();
  const box = await page.locator('.lanes canvas').boundingBox(), left = box.x + 190, wide = box.width - 190;
  await page.keyboard.down('Shift');
  await page.mouse.move(left + wide * 0.25, box.y + 50);
  await page.mouse.down();
  await page.mouse.move(left + wide * 0.5, box.y + 50, { steps: 3 });
  await page.mouse.up();
  await page.keyboard.up('Shift');
  const table = page.locator('.lanes .sums table');
  if (!await table.count()) { wrong.push('no sums of an area'); return; }
  const said = await table.evaluate(n => ({ caption: n.caption.textContent, shares: [...n.tBodies[0].rows].map(r => Number(r.cells[2].textContent)), names: n.tBodies[0].rows.length }));
  const want = await page.evaluate(() => {
    const lane = tracefolioLanes.lanes[0], a = tracefolioLanes.total * 0.25, b = tracefolioLanes.total * 0.5, less = new Map();
    for (let k = 0, at = 0; k < lane.more.length; k += 4) { at += lane.more[k]; less.set(at, lane.more[k + 2]); }
    let end = 0, sum = 0;
    for (let i = 0; i < lane.at.length; i += 3) {
      const start = end + lane.at[i], length = lane.at[i + 1], part = Math.max(0, Math.min(b, start + length) - Math.max(a, start));
      end = start + length;
      if (length) sum += part * (1 - (less.get(i / 3) || 0) / length);
    }
    return sum;
  });
  const [, number, unit] = /, ([\d.]+)\s(ns|µs|ms|s)(;|$)/.exec(said.caption) || [], ns = number * { ns: 1, µs: 1e3, ms: 1e6, s: 1e9 }[unit];
  if (!(Math.abs(ns - want) <= 0.012 * want)) wrong.push(`the area sums to "${said.caption}", its boxes to ${want} ns`);
  if (!/first/.test(said.caption) && said.names && Math.abs(said.shares.reduce((a, b) => a + b, 0) - 100) > 0.5) wrong.push(`shares of ${said.shares.join(' + ')} %`);
}

// A box of a stream that is chosen says how long after its launch it starts, leads to its operation, and has an arrow.
async function checkLaunch(page, dir, wrong) {
  await page.goto(urlOf(dir, 'timeline.html'));
  const canvas = page.locator('.lanes canvas'), readout = page.locator('.lanes .readout');
  await page.locator('.lanes').scrollIntoViewIfNeeded();
  await page.locator('.lanes canvas[data-to]').waitFor();
  if (!await page.evaluate(() => (tracefolioLanes.lanes[0].calls || []).some(v => v !== null && v > 0))) return;
  const blue = () => canvas.evaluate(n => {
    const copy = document.createElement('canvas'), left = Math.round(190 * devicePixelRatio), top = Math.round(12 * devicePixelRatio);
    copy.width = n.width;
    copy.height = n.height;
    const pen = copy.getContext('2d', { willReadFrequently: true });
    pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--link').trim();
    pen.fillRect(0, 0, 1, 1);
    const want = pen.getImageData(0, 0, 1, 1).data;
    pen.drawImage(n, 0, 0);
    const all = pen.getImageData(left, top, n.width - left, n.height - top).data;
    let found = 0;
    for (let i = 0; i < all.length; i += 4) found += all[i] === want[0] && all[i + 1] === want[1] && all[i + 2] === want[2];
    return found;
  });
  await canvas.focus();
  const before = await blue();
  for (let k = 0; k < 60 && !/ its launch/.test(await readout.textContent()); k++) await page.keyboard.press('Shift+ArrowRight');
  const said = await readout.textContent();
  if (!/ · starts [\d.]+\s(ns|µs|ms|s) (after|before) its launch/.test(said)) { wrong.push(`no launch is told: "${said}"`); return; }
  await page.keyboard.press('Enter');
  const from = Date.now();
  let now = await blue();
  while (now <= before && Date.now() - from < 5000) now = await blue();
  if (now <= before) wrong.push(`no arrow: ${before} and ${now} pixels of its colour`);
  const op = readout.locator('a', { hasText: 'Its operation' });
  if (!await op.isVisible()) return;
  const [file, id] = (await op.getAttribute('href')).split('#');
  if (!has(dir, file, id ? ` id="${id}"` : '')) wrong.push(`${file} has no ${id}`);
}

// Finding -> timeline -> kernel -> operation -> finding; finding -> tree -> kernel; finding -> replay package.
async function checkTrail(page, dir, wrong) {
  const at = () => page.url().split('/').pop();
  const recommendations = urlOf(dir, 'recommendations.html');
  await page.goto(recommendations);
  const seen = page.locator('.finding .trail a[href^="timeline.html#find="]').first();
  if (!await seen.count()) return;
  await page.evaluate(() => document.querySelectorAll('.finding details').forEach(n => { n.open = true; }));
  await seen.click();
  await page.locator('.lanes canvas[data-to]').waitFor();
  const link = page.locator('.lanes .readout a').first();
  await link.waitFor({ timeout: 10000 }).catch(() => wrong.push(`${at()}: the kernel of the finding is not found`));
  if (!await link.isVisible()) return;
  if (!await addressHas(page, '#t=')) wrong.push('what was found has no address');
  await link.click();
  await page.waitForURL(/kernels(-\d+)?\.html#k-/);
  const id = at().split('#')[1], row = page.locator(`[id="${id}"]`);
  if (!await row.isVisible()) { wrong.push(`${at()}: no such row`); return; }
  const op = row.locator('a[href^="operations"]');
  if (await op.count()) {
    if (!await op.isVisible()) {
      await page.locator('#t-kernels .columns-choice summary').click();
      await page.locator('#t-kernels .columns-choice label', { hasText: 'Launched by' }).click();
    }
    await op.click();
    await page.waitForURL(/operations(-\d+)?\.html#op-/);
    if (!await page.locator(`[id="${at().split('#')[1]}"]`).isVisible()) wrong.push(`${at()}: no such row`);
    const back = page.locator('#t-ops tbody a[href^="recommendations.html#f-"]').first();
    if (await back.count()) {
      await back.click();
      await page.waitForURL(/recommendations\.html#f-/);
      await page.goBack();
    }
    await page.goBack();
    if (!/kernels(-\d+)?\.html#k-/.test(page.url())) wrong.push(`Back from the operation leads to ${at()}`);
  }
  await page.goBack();
  await page.locator('.lanes canvas[data-to]').waitFor();
  if (!/timeline\.html#t=/.test(page.url())) wrong.push(`Back from the kernel leads to ${at()}`);
  await page.goto(recommendations);
  await page.evaluate(() => document.querySelectorAll('.finding details').forEach(n => { n.open = true; }));
  const tree = page.locator('.finding .trail a[href^="tree"]').first();
  if (await tree.count()) {
    await tree.click();
    await page.waitForURL(/tree[a-z0-9-]*\.html#n-/);
    if (!await page.locator(`[id="${at().split('#')[1]}"]`).isVisible()) wrong.push(`${at()}: the line is folded away`);
    if (!await page.locator('.tree a[href^="recommendations.html#f-"]').count()) wrong.push(`${at()}: no line leads to a finding`);
    await page.goBack();
    if (!/recommendations\.html/.test(page.url())) wrong.push(`Back from the tree leads to ${at()}`);
  }
  const kit = await page.locator('.finding a[href^="replay_packages/"]').first().getAttribute('href', { timeout: 1000 }).catch(() => null);
  if (kit && !fs.existsSync(path.join(dir, kit))) wrong.push(`no package ${kit}`);
}

// A cell of the tree's picture fills it; the address says so, and Back undoes it.
async function checkTreeZoom(page, dir, wrong) {
  if (!has(dir, 'tree.html', 'class="icicle"')) return;
  await page.goto(urlOf(dir, 'tree.html'));
  const cells = page.locator('.icicle .chart-wide a'), wide = page.locator('.icicle .chart-wide');
  const range = () => wide.evaluate(n => `${n.dataset.from} ${n.dataset.to}`);
  const widths = await cells.evaluateAll(n => n.map(a => Number(a.querySelector('rect').getAttribute('width'))));
  const one = widths.findIndex(w => w < 0.8 * widths[0] && w > 0.1 * widths[0]);
  if (one < 0) return;
  await cells.nth(one).locator('rect').click({ position: { x: 4, y: 4 } });
  if (!await addressHas(page, '#zoom=')) { wrong.push('the zoom of the tree has no address'); return; }
  const zoomed = await range(), other = await page.context().newPage();
  await other.goto(page.url());
  if (await other.locator('.icicle .chart-wide').evaluate(n => `${n.dataset.from} ${n.dataset.to}`) !== zoomed) wrong.push('the address of a zoom shows something else');
  await other.close();
  await page.goBack();
  if (!/^0(\.0+)? 1(\.0+)?$/.test(await range())) wrong.push(`Back in the tree shows ${await range()}`);
}

// The bars of the first page: switching actions shows the run of exactly those, and the address keeps them.
async function checkSwitches(page, dir, wrong) {
  if (!has(dir, 'index.html', ' data-sets=')) return;
  await page.goto(urlOf(dir, 'index.html'));
  const box = page.locator('.stages'), switches = box.locator('input'), said = box.locator('.context');
  const sets = (await box.getAttribute('data-sets')).split(';').map(one => one.replace(/^\d+ /, ''));
  const n = await switches.count(), shown = () => box.locator('.n').allTextContents();
  if (sets.length !== 2 ** n) { wrong.push(`${sets.length} sets of ${n} actions`); return; }
  const before = await shown(), ranks = await switches.evaluateAll(list => list.map(one => one.value));
  if (before.some((text, k) => text !== sets[2 ** k - 1])) wrong.push(`bars of ${before.join(', ')}`);
  await switches.nth(0).uncheck();
  const now = await shown();
  if (now[1] !== 'off' || now[n] !== sets.at(-2)) wrong.push(`without the first: ${now.join(', ')}`);
  if (!(await said.textContent()).includes(sets.at(-2))) wrong.push(`without the first it says ${await said.textContent()}`);
  if (!page.url().endsWith(`#with=${ranks.slice(1).join('+')}`)) wrong.push(`the switches are not in ${page.url()}`);
  const other = await page.context().newPage();
  await other.goto(page.url());
  if ((await other.locator('.stages .n').allTextContents()).join() !== now.join()) wrong.push('a fresh load forgets the switches');
  await other.close();
  await switches.nth(0).check();
  if ((await shown()).join() !== before.join() || page.url().includes('#')) wrong.push('switched on again, the bars differ');
}

// Pointing at an action dims the rest of the strip; a part of it leads to the timeline there.
async function checkStrip(page, dir, wrong) {
  await page.goto(urlOf(dir, 'index.html'));
  const action = page.locator('[data-lit]').first(), hint = page.locator('.strip .chart-wide .hint').last();
  if (!await action.count() || !await hint.count() || !has(dir, 'timeline.html', 'class="lanes"')) return;
  await action.hover();
  if (!await page.locator('.strip .dim').count()) wrong.push('pointing at an action dims nothing');
  await page.mouse.move(0, 0);
  if (await page.locator('.strip .dim').count()) wrong.push('the strip stays dim');
  const [, from, to] = /: ([\d.]+) to ([\d.]+)/.exec(await hint.locator('title').textContent());
  await hint.click();
  await page.waitForURL(/timeline\.html#t=/);
  const [a, b] = page.url().split('#t=')[1].split('-').map(Number), scale = a > 0 ? a / from : b / to;
  if (Math.abs(b - to * scale) > 1e-6 * b) wrong.push(`${from} to ${to} leads to ${a} to ${b}`);
}

// A gap leads to its finding, and that to the gap.
async function checkGap(page, dir, wrong) {
  await page.goto(urlOf(dir, 'timeline.html'));
  const link = page.locator('[id^="gap-"] td a[href^="recommendations.html#f-"]').first();
  if (!await link.count()) return;
  const id = (await link.getAttribute('href')).split('#')[1];
  await link.click();
  await page.waitForURL(/recommendations\.html#f-/);
  if (!await page.locator(`[id="${id}"]`).isVisible()) wrong.push(`the finding ${id} of a gap is not shown`);
}

export async function testTrail(browser, dir) {
  const wrong = [], context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
  const page = await open(context, urlOf(dir, 'index.html'), wrong);
  await checkSwitches(page, dir, wrong);
  await checkStrip(page, dir, wrong);
  if (has(dir, 'timeline.html', 'class="lanes"')) {
    await checkGap(page, dir, wrong);
    await checkZoomAddress(page, dir, wrong);
    await checkArea(page, dir, wrong);
    await checkLaunch(page, dir, wrong);
  }
  if (has(dir, 'recommendations.html')) await checkTrail(page, dir, wrong);
  await checkTreeZoom(page, dir, wrong);
  await context.close();
  return wrong;
}
