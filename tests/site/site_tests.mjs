// site_tests.mjs - the acceptance tests of the site, on sites that are already written.
//
//   node site_tests.mjs --tools DIR --program FILE --work DIR NAME=TRACE ...
//
// DIR/sites/NAME is the site of TRACE. Prints a line a test, what is wrong below it, and a
// counting line at the end. Sites called in `deep` get the slow tests on a page of each kind, and
// the others on all pages, those in `scripted` the tests of script too; other sites on a page of
// each layout, on three pages, or axe on the first.
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';
import { spawn, spawnSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import * as files from './site_files.mjs';
import * as browsing from './site_browser.mjs';
import * as scripting from './site_script.mjs';
import * as zooming from './site_zoom.mjs';
import * as trails from './site_trail.mjs';

const options = { sites: [] };
for (let i = 2; i < process.argv.length; i++) {
  const word = process.argv[i];
  if (word.startsWith('--')) options[word.slice(2)] = process.argv[++i];
  else options.sites.push(word.split('='));
}
const tools = createRequire(path.join(path.resolve(options.tools), 'package.json'));
const BUSY_INDEX = 600; // of Lighthouse's benchmark: a phone has about 375
const load = name => import(pathToFileURL(tools.resolve(name)).href);
const deep = new Set(['llm', 'hostile', 'xdit-sd35-mi300']);
const scripted = new Set(['hostile', 'xdit-sd35-mi300']);
const real = options.sites.some(([name]) => name === 'xdit-sd35-mi300') ? 'xdit-sd35-mi300' : 'hostile';
const kindOf = page => page.replace(/(-[0-9a-f]{8}|-\d+)*\.html$/, '');
const oneOfEach = (pages, kind) => pages.filter((p, i) => pages.findIndex(q => kind(q) === kind(p)) === i);
const layoutOf = page => kindOf(page).replace(/^(category|kernels|operations|tree)-.*/, '$1'); // pages of one template
const some = ['index.html', 'recommendations.html', 'checks.html'];
const dirOf = name => path.join(options.work, 'sites', name);
const scratch = path.join(options.work, 'scratch');

const count = { passed: 0, failed: 0 };
const began = Date.now();
function tell(test, site, wrong, more = '') {
  count[wrong.length ? 'failed' : 'passed']++;
  console.log(`${wrong.length ? 'not ok' : 'ok'} - ${test}: ${site}${more}`);
  for (const line of wrong.slice(0, 8)) console.log(`    ${line}`);
  if (wrong.length > 8) console.log(`    and ${wrong.length - 8} more`);
}

function analyze(trace, out, more, env) {
  return spawnSync(options.program, ['analyze', trace, '-p', 'MI300X', '-o', out, '--force', '-q', ...more],
    { env: { ...process.env, ...env }, encoding: 'utf8', cwd: scratch });
}

// 7. Another locale, time zone, folder and number of threads: the same bytes.
function testBytes(name, trace) {
  const other = path.join(scratch, 'elsewhere', 'deeper', name);
  fs.mkdirSync(path.dirname(other), { recursive: true });
  const run = analyze(trace, other, ['-j', '1'], { LC_ALL: 'de_DE.UTF-8', TZ: 'Pacific/Chatham', LANG: 'tr_TR', HOME: '/nonexistent' });
  if (run.status !== 0) return [run.stderr.trim()];
  const wrong = [];
  const mine = files.listFiles(dirOf(name)), its = files.listFiles(other);
  if (mine.join() !== its.join()) wrong.push('other files');
  for (const f of mine)
    if (its.includes(f) && !fs.readFileSync(path.join(dirOf(name), f)).equals(fs.readFileSync(path.join(other, f)))) wrong.push(`${f} differs`);
  fs.rmSync(path.join(scratch, 'elsewhere'), { recursive: true, force: true });
  return wrong;
}

const verify = folder => {
  const run = spawnSync(options.program, ['verify', folder], { encoding: 'utf8' });
  return { status: run.status, text: run.stdout + run.stderr };
};

function testFiles() {
  for (const [name, trace] of options.sites) {
    const dir = dirOf(name);
    tell('1 links', name, files.testLinks(dir));
    if (trace) tell('1 sizes', name, files.testSizes(dir));
    tell('2 forbidden', name, files.testForbidden(dir));
    if (trace) tell('6 numbers', name, files.testNumbers(dir));
    if (trace && name !== 'events-1m') tell('7 bytes', name, testBytes(name, trace));
    const budget = files.testBudgets(dir);
    tell('8 budgets', name, budget.wrong, `, ${(budget.bytes / 1e6).toFixed(2)} MB${budget.told.length ? `; above target: ${budget.told.join(', ')}` : ''}`);
    if (trace) tell('8 lanes', name, zooming.testLaneFile(dir, files.limits.lanes));
    tell('14 names', name, files.testNames(dir));
  }
  const size = name => files.testBudgets(dirOf(name)).bytes;
  const growth = size('events-1m') / size('events-100k');
  tell('8 growth', 'ten times the events', growth < 1.2 ? [] : [`${growth.toFixed(2)} times the bytes`], `, ${growth.toFixed(2)} x`);
  tell('15 manifest', 'llm', files.testManifest(dirOf('llm'), path.join(scratch, 'copy'), verify));
}

// The Nu checker reads half of all pages in a run: a Java machine is slow to start, and uses one processor.
async function testMarkup() {
  const jar = path.join(path.dirname(tools.resolve('vnu-jar/package.json')), 'build/dist/vnu.jar');
  const all = options.sites.flatMap(([name]) => files.pagesOf(dirOf(name)).map(f => path.join(dirOf(name), f)));
  const check = pages => new Promise((resolve, reject) => {
    const run = spawn('java', ['-Xss8m', '-jar', jar, '--errors-only', '--format', 'gnu', ...pages], { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    run.stderr.setEncoding('utf8').on('data', more => said += more);
    run.on('error', reject).on('close', status => resolve(status === 0 ? [] : [`status ${status}`, ...said.split('\n').filter(Boolean)]));
  });
  const wrong = (await Promise.all([0, 1].map(half => check(all.filter((_, k) => k % 2 === half))))).flat();
  tell('10 Nu HTML checker', `${all.length} pages`, wrong.map(line => line.replace(/^.*\/sites\//, '')));
}

// One site in the browser; lines come together when all its tests are done.
async function testSite(browser, axe, name) {
  const dir = dirOf(name), all = files.pagesOf(dir);
  const few = deep.has(name) ? oneOfEach(all, name === 'llm' ? kindOf : layoutOf) : all.filter(p => some.includes(p));
  const done = [];
  const note = async (test, result) => {
    const from = Date.now(), wrong = await result.catch(error => [error.message.split('\n')[0]]);
    done.push([test, name, wrong, `, ${((Date.now() - from) / 1000).toFixed(1)} s`]);
  };
  const most = deep.has(name) ? all : oneOfEach(all, layoutOf);
  await note('4, 16 disk, states', browsing.testDisk(browser, dir, most));
  await note('3 policy', browsing.testPolicy(browser, dir, few));
  await note('5 lonely page', browsing.testLonely(browser, dir, path.join(scratch, `lonely-${name}`)));
  if (name === 'hostile') await note('9 escaping', browsing.testHostile(browser, dir, all));
  const layouts = oneOfEach(all, layoutOf); // axe takes seconds a page
  await note('10 access', browsing.testAccess(browser, dir, name === real ? layouts : few.slice(0, 1), name === 'llm' ? layouts : [], axe));
  await note('10 narrow', browsing.testNarrow(browser, dir, most));
  if (all.includes('recommendations.html')) await note('11 print', browsing.testPrint(browser, dir));
  if (deep.has(name)) {
    await note('tables fit', browsing.testTables(browser, dir, few));
    await note('labels', browsing.testLabels(browser, dir, few));
    await note('points', browsing.testPoints(browser, dir));
  } else if (all.includes('roofline.html')) await note('labels', browsing.testLabels(browser, dir, ['index.html', 'roofline.html']));
  if (scripted.has(name)) {
    await note('script: tables', scripting.testTables(browser, dir));
    await note('script: search, keys', scripting.testSearch(browser, dir));
    if (name === real) await note('fresh addresses', trails.testFresh(browser, dir));
    await note('script: trails', trails.testTrail(browser, dir));
    await note('script: zoom', zooming.testZoom(browser, dir));
    await note('script: strip', zooming.testStrip(browser, dir));
    await note('script: call tree', zooming.testIcicle(browser, dir));
    if (name === 'hostile') await note('script: pictures', scripting.testPictures(browser, dir));
  }
  if (deep.has(name)) {
    const file = path.join(scratch, `${name}.html`), trace = options.sites.find(([n]) => n === name)[1];
    const run = spawnSync(options.program, ['analyze', trace, '-p', 'MI300X', '--single-file', file, '-q', '--force'], { encoding: 'utf8', cwd: scratch });
    if (run.status !== 0) await note('one file', Promise.resolve([run.stderr]));
    // The hostile sample's file is twice as large as that of any shared trace.
    const limit = { page: 200, file: name === 'hostile' ? 400 : 200 }, urls = paths => paths.map(f => pathToFileURL(f).href);
    const tasks = await browsing.testTasks(browser, urls(few.map(p => path.join(dir, p))), limit.page);
    const whole = await browsing.testTasks(browser, urls([file]), limit.file);
    done.push(['15 tasks', name, [...tasks.wrong, ...whole.wrong], `, ${Math.round(tasks.most)} ms, one file ${Math.round(whole.most)} ms`]);
    if (name === 'hostile') await note('script: one file', scripting.testSingle(browser, dir, file));
    if (name === 'hostile') await note('script: pictures, one file', scripting.testPicturesSingle(browser, file));
    if (name === 'hostile') await note('script: zoom, one file', zooming.testZoomSingle(browser, file));
  }
  for (const line of done) tell(...line);
}

// Three lanes, each with a browser of its own: a third of the time a lane waits for letters to be taken and rows to come.
async function testBrowsers(launch) {
  const axe = fs.readFileSync(tools.resolve('axe-core/axe.min.js'), 'utf8');
  // The smaller of the two that differ in the number of events alone is there for its files.
  const waiting = options.sites.map(([name]) => name).filter(name => name !== 'events-100k').sort((a, b) => deep.has(b) - deep.has(a));
  const lane = async () => {
    const browser = await launch();
    while (waiting.length) await testSite(browser, axe, waiting.shift());
    await browser.close();
  };
  await Promise.all([lane(), lane(), lane()]);
}

async function testLighthouse(launch) {
  const { default: lighthouse } = await load('lighthouse'), { throttling } = await load('lighthouse/core/config/constants.js');
  const port = 9333, least = { accessibility: 100, 'best-practices': 100, performance: 98 };
  const browser = await launch([`--remote-debugging-port=${port}`]);
  const name = real === 'hostile' ? 'llm' : real;
  const server = await browsing.serve(dirOf(name), '');
  const pages = files.pagesOf(dirOf(name));
  for (const page of ['index.html', 'recommendations.html', pages.find(p => p.startsWith('category-')), 'operations.html', 'timeline.html', 'tree.html']) {
    if (!pages.includes(page)) continue;
    let result;
    // Speed is that of a machine which does other things too: where the first is too little, the better of two counts, and
    // after the first the slowdown is that which makes the same phone of a machine as fast as this one is now: 4 at an index of 1,500.
    // Below 98 the page may be slow or the machine busy, which its index tells only in part: that is said, and 85
    // asked, or nothing of a machine that is no faster than a phone. LIGHTHOUSE=strict asks 98 of any.
    let index = 0;
    const strict = process.env.LIGHTHOUSE === 'strict', enough = strict ? least.performance : 85;
    for (let i = 0; i < 2 && !(result?.lhr.categories.performance.score * 100 >= enough); i++) {
      const slowdown = result ? Math.max(1, Math.min(4, 4 * result.lhr.environment.benchmarkIndex / 1500)) : 4;
      const one = await lighthouse(`http://127.0.0.1:${server.address().port}/${page}`,
        { port, logLevel: 'silent', onlyCategories: Object.keys(least), throttling: { ...throttling.mobileSlow4G, cpuSlowdownMultiplier: slowdown } });
      index = Math.max(index, one.lhr.environment.benchmarkIndex);
      if (!(result?.lhr.categories.performance.score >= one.lhr.categories.performance.score)) result = one;
    }
    const bar = { ...least, performance: strict ? least.performance : index >= BUSY_INDEX ? enough : 0 };
    const score = key => Math.round(100 * result.lhr.categories[key].score);
    if (score('performance') < least.performance && score('performance') >= bar.performance)
      console.log(`skipped - ${name}/${page} at ${score('performance')}: slow, or the machine is busy (its index is ${Math.round(index)}); LIGHTHOUSE=strict fails`);
    const wrong = Object.keys(bar).filter(key => score(key) < bar[key]).map(key => `${key} ${score(key)}, ${bar[key]} is asked: ` +
      Object.values(result.lhr.audits).filter(a => a.score !== null && a.score < 0.9 && result.lhr.categories[key].auditRefs.some(r => r.id === a.id && r.weight)).map(a => a.id).join(' '));
    tell('lighthouse', `${name}/${page}`, wrong, ` ${Object.keys(least).map(key => `${key} ${score(key)}`).join(', ')}`);
  }
  server.close();
  await browser.close();
}

const { chromium } = tools('playwright-core');
const launch = (args = []) => chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium-headless-shell', args: ['--no-sandbox', ...args] });
fs.mkdirSync(scratch, { recursive: true });
testFiles();
await testMarkup();
await testBrowsers(launch);
await testLighthouse(launch);
fs.rmSync(scratch, { recursive: true, force: true });
console.log(`site tests: ${options.sites.length} sites, ${Math.round((Date.now() - began) / 1000)} s`);
console.log(`${count.passed} passed, ${count.failed} failed`);
process.exit(count.failed ? 1 : 0);
