/* site.js - keys and search in trees, links and names to copy, search over the site, keys. */
(function (base) {
  'use strict';
  var make = base.make, remembered = base.remembered, remember = base.remember, button = base.button, searchField = base.searchField, status = base.status, wordsOf = base.wordsOf, hasAll = base.hasAll, loadScript = base.loadScript;

  function themes() {
    var choice = remembered().theme;
    document.querySelectorAll('input[name="theme"]').forEach(function (radio) {
      if (radio.id === choice) radio.checked = true;
      radio.addEventListener('change', function () { remember('theme', radio.id); });
    });
  }

  /* ---- trees ---- */

  var OPEN_MAX = 1000; /* lines opened at once */

  /* What takes the focus on each line: its fold, or the link of a line without one. */
  function focusOf(line) {
    return line.tagName === 'SUMMARY' ? line : line.querySelector('a');
  }

  function isShown(line, tree) {
    var fold = line.tagName === 'SUMMARY' ? line.parentNode.parentNode : line.parentNode;
    for (; fold && fold !== tree; fold = fold.parentNode) {
      if (fold.tagName === 'DETAILS' && !fold.open) return false;
    }
    return true;
  }

  function openTo(line) {
    for (var node = line.parentNode; node; node = node.parentNode) {
      if (node.tagName === 'DETAILS' && line.parentNode !== node) node.open = true;
      else if (node.tagName === 'DETAILS' && line.tagName !== 'SUMMARY') node.open = true;
    }
  }

  function lineOf(node) {
    return node.closest ? node.closest('.line') : null;
  }

  function moveTo(line) {
    var target = line && focusOf(line);
    if (target) target.focus();
  }

  function treeKey(tree, event) {
    var line = lineOf(event.target);
    if (!line || event.altKey || event.ctrlKey || event.metaKey) return;
    var fold = line.tagName === 'SUMMARY' ? line.parentNode : null;
    var lines = Array.prototype.filter.call(tree.querySelectorAll('.line'), function (other) {
      return isShown(other, tree) && focusOf(other);
    });
    var at = lines.indexOf(line);
    var parent = (fold || line).parentNode.closest('details');
    var steps = {
      ArrowDown: function () { moveTo(lines[at + 1]); },
      ArrowUp: function () { moveTo(lines[at - 1]); },
      Home: function () { moveTo(lines[0]); },
      End: function () { moveTo(lines[lines.length - 1]); },
      ArrowRight: function () {
        if (fold && !fold.open) fold.open = true;
        else if (fold) moveTo(lines[at + 1]);
      },
      ArrowLeft: function () {
        if (fold && fold.open) fold.open = false;
        else if (parent && tree.contains(parent)) moveTo(parent.querySelector('summary.line'));
      }
    };
    if (!steps[event.key]) return;
    steps[event.key]();
    event.preventDefault();
  }

  /* Top down, so that a limit leaves the outer lines open and the inner ones closed. */
  function openBelow(top) {
    var row = [top], opened = 0;
    while (row.length) {
      var below = [];
      for (var i = 0; i < row.length; i++) {
        var folds = Array.prototype.filter.call(row[i].children, function (node) {
          return node.tagName === 'DETAILS' && node.querySelector(':scope > summary.line');
        });
        if (opened + folds.length > OPEN_MAX) return { opened: opened, all: false };
        folds.forEach(function (node) { node.open = true; });
        opened += folds.length;
        below = below.concat(folds);
      }
      row = below;
    }
    return { opened: opened, all: true };
  }

  function findIn(tree, tools, said) {
    var field = searchField('Find in tree', tools);
    var hits = [], at = -1;
    function go(step) {
      if (!hits.length) return;
      if (at >= 0) hits[at].classList.remove('hit');
      at = (at + step + hits.length) % hits.length;
      hits[at].classList.add('hit');
      openTo(hits[at]);
      hits[at].scrollIntoView({ block: 'center' });
      said.textContent = (at + 1) + ' of ' + hits.length;
    }
    field.addEventListener('input', function () {
      var words = wordsOf(field.value);
      if (at >= 0) hits[at].classList.remove('hit');
      at = -1;
      hits = words.length === 0 ? [] : Array.prototype.filter.call(tree.querySelectorAll('.line'), function (line) {
        return hasAll(line.textContent.toLowerCase(), words);
      });
      said.textContent = words.length === 0 ? '' : hits.length + (hits.length === 1 ? ' line' : ' lines') +
        (hits.length ? ': Enter goes to the next' : '');
    });
    if (base.told('find')) {
      field.value = base.told('find');
      field.dispatchEvent(new Event('input'));
      base.settled(function () { go(1); });
    }
    field.addEventListener('change', function () { if (field.value !== base.told('find')) base.goesTo(field.value && 'find=' + encodeURIComponent(field.value)); });
    field.addEventListener('keydown', function (event) {
      if (event.key === 'Enter') { event.preventDefault(); go(event.shiftKey ? -1 : 1); }
      if (event.key === 'Escape') { field.value = ''; field.dispatchEvent(new Event('input')); }
    });
  }

  function treeTools(tree) {
    if (!tree.querySelector('summary.line')) return;
    var tools = make('div', 'tools'), chosen = null;
    var said = make('span', 'context');
    said.setAttribute('role', 'status');
    function top() { return chosen && tree.contains(chosen) ? chosen : tree; }
    function named() { return chosen ? ' below the chosen line' : ''; }
    findIn(tree, tools, said);
    tools.appendChild(button('Expand', function () {
      if (chosen) chosen.open = true;
      var done = openBelow(top());
      said.textContent = done.opened + (done.opened === 1 ? ' line' : ' lines') + ' opened' + named() +
        (done.all ? '' : '; at most ' + OPEN_MAX + ' at once, so the rest stays closed');
    }));
    tools.appendChild(button('Collapse', function () {
      top().querySelectorAll('details').forEach(function (node) { node.open = false; });
      said.textContent = 'Closed' + named();
    }));
    tools.appendChild(said);
    tree.addEventListener('focusin', function (event) {
      var line = lineOf(event.target);
      if (chosen) chosen.classList.remove('chosen');
      chosen = line && line.tagName === 'SUMMARY' ? line.parentNode : null;
      if (chosen) chosen.classList.add('chosen');
    });
    tree.addEventListener('keydown', function (event) { treeKey(tree, event); });
    tree.parentNode.insertBefore(tools, tree);
  }

  /* ---- links to copy ---- */

  var note = null, noteTimer = 0;

  function say(text, shown) {
    if (!note) {
      note = make('div', 'tools said');
      note.setAttribute('role', 'status');
      (document.querySelector('footer') || document.body).appendChild(note);
    }
    note.textContent = text;
    if (shown) note.appendChild(shown);
    clearTimeout(noteTimer);
    noteTimer = setTimeout(function () { note.textContent = ''; }, shown ? 20000 : 4000);
  }

  /* Where the clipboard is refused, the text is shown and selected. */
  function offer(text) {
    var code = make('code', '', text);
    say('Copy this: ', code);
    var range = document.createRange();
    range.selectNodeContents(code);
    var selection = window.getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
  }

  function copy(text, about) {
    if (!navigator.clipboard || !navigator.clipboard.writeText) { offer(text); return; }
    navigator.clipboard.writeText(text).then(function () { say('Copied' + about + ': ' + text); },
      function () { offer(text); });
  }

  /* From a disk the address would tell a local path: the run, the page and the id go instead. */
  function copyLink(link) {
    var address = new URL(link.getAttribute('href'), document.location.href);
    var base = document.body.getAttribute('data-base');
    if (base) { copy(base.replace(/\/*$/, '/') + address.pathname.split('/').pop() + address.hash, ''); return; }
    if (address.protocol !== 'file:') { copy(address.href, ''); return; }
    var label = document.querySelector('.top .label, .top h1');
    copy(label.textContent.trim() + ' · ' + address.pathname.split('/').pop() + address.hash,
      ' without the local path');
  }

  document.querySelectorAll('.hero .fix').forEach(function (link) {
    var tool = button('Copy link', function () { copyLink(link); });
    tool.className = 'copy-name tools';
    link.parentNode.appendChild(tool);
  });

  /* Some viewers refuse downloads: the name finds the file in the folder. */
  document.querySelectorAll('td.file > a, .downloads a, .files a:not([href*=".html"], [href^="#"])').forEach(function (link) {
    var tool = button('Copy name', function () { copy(link.textContent, ''); });
    tool.className = 'copy-name tools';
    tool.setAttribute('aria-label', 'Copy name ' + link.textContent);
    link.parentNode.insertBefore(tool, link.closest('.downloads') ? null : link.nextSibling);
  });

  /* ---- charts as pictures ---- */

  /* Twice as large, below its caption, in the light theme. The marks have its colours as attributes,
   * which count where no style sheet does. */
  function savePicture(figure, name) {
    var svg = figure.querySelector('svg'), box = svg.viewBox.baseVal, image = new Image(), lines = [''];
    var canvas = make('canvas'), pen = canvas.getContext('2d'), font = '600 15px sans-serif';
    var worn = document.querySelector('[name="theme"]:checked');
    document.getElementById('theme-light').checked = true;
    var style = getComputedStyle(document.body), ground = style.backgroundColor, text = style.color;
    worn.checked = true;
    pen.font = font;
    figure.querySelector('figcaption').textContent.split(' ').forEach(function (word) {
      var longer = (lines[0] + ' ' + word).trim();
      if (pen.measureText(longer).width > box.width) lines.unshift(word);
      else lines[0] = longer;
    });
    image.addEventListener('load', function () {
      var top = 32 + 20 * lines.length;
      canvas.width = 2 * (box.width + 40);
      canvas.height = 2 * (top + box.height + 20);
      pen.scale(2, 2);
      pen.fillStyle = ground;
      pen.fillRect(0, 0, canvas.width, canvas.height);
      pen.fillStyle = text;
      pen.font = font;
      lines.forEach(function (line, i) { pen.fillText(line, 20, top - 17 - 20 * i); });
      pen.drawImage(image, 20, top, box.width, box.height);
      var link = make('a');
      link.href = canvas.toDataURL();
      link.download = name;
      link.click();
    });
    image.addEventListener('error', function () { say(name + ' cannot be drawn here'); });
    var drawn = new XMLSerializer().serializeToString(svg);
    /* Words between lines keep the halo that the style sheet gives them. */
    if (/roofline/.test(name)) drawn = drawn.replace(/<text /g, '<text paint-order="stroke" stroke-width="3" stroke="' + ground + '" ');
    image.src = 'data:image/svg+xml,' + encodeURIComponent(drawn);
  }

  document.querySelectorAll('figure.chart > .long').forEach(function (fold) {
    var files = fold.querySelector('.files') || fold.appendChild(make('p', 'files'));
    if (files.querySelector('[href$=".png"]')) return;
    var name = fold.parentNode.id.replace(/.*chart-/, '') + '.png';
    var tool = button('Save PNG', function () { savePicture(fold.parentNode, name); });
    tool.className = 'copy-name tools';
    tool.setAttribute('aria-label', 'Save PNG: ' + name);
    files.appendChild(tool);
  });

  document.addEventListener('click', function (event) {
    var link = event.target.closest && event.target.closest('a.anchor');
    if (link && event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey) copyLink(link);
  });

  /* ---- search over the site ---- */

  var SHOWN_MAX = 20;

  /* Without what is there for links and for the ear. */
  function nameIn(head) {
    var copied = head.cloneNode(true);
    copied.querySelectorAll('.vh, .anchor, details').forEach(function (node) { node.remove(); });
    return copied.textContent.replace(/\s+/g, ' ').trim();
  }

  /* In one file all is here: rows, lines and headings with an id. */
  function entriesHere() {
    var found = [];
    document.querySelectorAll('tr[id], .line[id], details[id] > summary.line, .glossary > div[id], .finding[id]').forEach(function (node) {
      var id = node.id || node.parentNode.id;
      var head = node.querySelector('th, .what, dt, summary') || node;
      var sheet = node.closest('.sheet');
      var kind = sheet ? sheet.querySelector('h2').firstChild.textContent.trim() : '';
      found.push([nameIn(head), kind, '#' + id]);
    });
    return found;
  }

  var entries = null, waiting = null;

  /* The list lies in a script of its own, which assigns one variable; loaded when first wanted. */
  function loadEntries(then) {
    var script = document.querySelector('script[data-search]');
    if (!script && !entries) entries = entriesHere();
    if (entries) { then(entries); return; }
    if (waiting) { waiting.push(then); return; }
    waiting = [then];
    loadScript(script.getAttribute('data-search'), 'tracefolioSearch', function (file) {
      entries = (file ? file.entries : []).map(function (entry) {
        return [entry[0], entry[1], file.pages[entry[2]] + (entry[3] ? '#' + entry[3] : '')];
      });
      waiting.forEach(function (one) { one(entries); });
    });
  }

  var site = null; /* its field */

  function siteSearch() {
    var top = document.querySelector('.top-in');
    if (!top || !(document.querySelector('script[data-search]') || document.body.classList.contains('single'))) return;
    var tools = make('div', 'tools site-search');
    tools.setAttribute('role', 'search');
    site = searchField('Search the report', tools);
    var said = status(tools);
    var list = make('ul', 'found');
    list.hidden = true;
    tools.appendChild(list);
    top.appendChild(tools);
    function apply(entries) {
      var words = wordsOf(site.value), count = 0;
      list.textContent = '';
      entries.forEach(function (entry) {
        if (!words.length || !hasAll((entry[0] + ' ' + entry[1]).toLowerCase(), words)) return;
        if (++count > SHOWN_MAX) return;
        var item = make('li'), link = make('a', '', entry[0]);
        link.href = entry[2];
        item.appendChild(link);
        item.appendChild(make('span', 'context', ' ' + entry[1]));
        list.appendChild(item);
      });
      list.hidden = count === 0;
      said.textContent = !words.length ? '' : count === 0 ? 'nothing found' :
        count > SHOWN_MAX ? 'the first ' + SHOWN_MAX + ' of ' + count : count + ' found';
    }
    site.addEventListener('input', function () { loadEntries(apply); });
    site.addEventListener('focus', function () { loadEntries(function () { return; }); });
    tools.addEventListener('keydown', function (event) {
      var links = Array.prototype.slice.call(list.querySelectorAll('a')), at = links.indexOf(document.activeElement);
      if (event.key === 'Escape') { site.value = ''; apply([]); site.focus(); }
      else if (event.key === 'Enter' && at < 0 && links.length) links[0].click();
      else if (event.key === 'ArrowDown' && links.length) (links[at + 1] || links[0]).focus();
      else if (event.key === 'ArrowUp' && at >= 0) (links[at - 1] || site).focus();
      else return;
      if (event.key !== 'Escape') event.preventDefault();
    });
    list.addEventListener('click', function () { list.hidden = true; });
  }

  /* ---- keys ---- */

  var KEYS = [['/', 'search the report'], ['?', 'this list'], ['↑ ↓ Enter', 'in what was found: move, go there'], ['↑ ↓ ← →', 'in a tree: move, close, open'],
    ['Enter', 'in "Find in tree": the next line; with Shift the one before'], ['Esc', 'in a field: clear it']];

  function shortcuts() {
    var foot = document.querySelector('.foot-in');
    if (!foot) return;
    var fold = make('details', 'tools keys');
    var title = make('summary', '', 'Keys');
    fold.appendChild(title);
    var list = make('ul');
    KEYS.forEach(function (key) {
      var item = make('li');
      item.appendChild(make('kbd', '', key[0]));
      item.appendChild(document.createTextNode(' ' + key[1]));
      list.appendChild(item);
    });
    fold.appendChild(list);
    var label = make('label'), on = make('input');
    on.type = 'checkbox';
    on.checked = remembered().keys !== false;
    on.addEventListener('change', function () { remember('keys', on.checked); });
    label.appendChild(on);
    label.appendChild(document.createTextNode(' / and ? work'));
    fold.appendChild(label);
    foot.appendChild(fold);
    /* Beside what is read, until Esc; in its place it stays a fold of the footer. */
    var before = null;
    function here(shown) {
      if (shown) before = document.activeElement;
      fold.open = shown;
      fold.classList.toggle('here', shown);
      if (shown) title.focus({ preventScroll: true });
      else if (before) before.focus({ preventScroll: true });
    }
    fold.addEventListener('toggle', function () { if (!fold.open) fold.classList.remove('here'); });
    document.addEventListener('keydown', function (event) {
      var inField = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName || '');
      if (!on.checked || inField || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === '/' && site) { site.focus(); event.preventDefault(); }
      if (event.key === '?') { here(true); event.preventDefault(); }
      if (event.key === 'Escape' && fold.classList.contains('here')) here(false);
    });
  }

  /* ---- the strip of the first page ---- */

  /* A part of the run in words: the one below the pointer, or that of a slider for keys. */
  function stripReadout(strip) {
    var pictures = base.listOf(strip.querySelectorAll('.chart-svg')).map(function (svg) { return base.listOf(svg.querySelectorAll('.hint')); });
    var parts = pictures.length ? pictures[0].length : 0;
    if (!parts) return;
    var tools = make('div', 'tools'), slider = make('input'), said = make('p', 'context');
    slider.type = 'range';
    slider.max = parts - 1;
    slider.value = 0;
    slider.setAttribute('aria-label', 'Part of the run');
    tools.appendChild(slider);
    tools.appendChild(said);
    strip.appendChild(tools);
    function show(at) {
      var told = pictures[0][at].textContent;
      pictures.forEach(function (hints) { hints.forEach(function (hint, i) { hint.classList.toggle('on', i === at); }); });
      slider.value = at;
      slider.setAttribute('aria-valuetext', told);
      said.textContent = told;
      lead(told);
    }
    /* The link below follows, to that part of the timeline; so does a click. */
    var link = strip.querySelector('a[href="timeline.html"]');
    function lead(told) {
      var part = /^[^,]*, (\w+): ([\d.]+) to ([\d.]+)/.exec(told), ms = part && { s: 1000, ms: 1, 'µs': 0.001 }[part[1]];
      if (link && ms) link.href = 'timeline.html#t=' + Number((part[2] * ms).toFixed(6)) + '-' + Number((part[3] * ms).toFixed(6));
    }
    slider.setAttribute('aria-valuetext', pictures[0][0].textContent);
    said.textContent = 'Point at the strip or move the slider to see what runs and what the GPU waits for.';
    slider.addEventListener('input', function () { show(Number(slider.value)); });
    slider.addEventListener('focus', function () { show(Number(slider.value)); });
    pictures.forEach(function (hints) {
      hints.forEach(function (hint, i) {
        hint.addEventListener('pointerenter', function () { show(i); });
        hint.addEventListener('click', function () { show(i); if (link && link.hash) link.click(); });
      });
    });
  }

  /* Pointing at an action dims the parts of the strips without its gaps and kernels. */
  function lights(action) {
    var parts = 256, dims = [];
    function off() { dims.forEach(function (node) { node.remove(); }); dims = []; }
    function on() {
      off();
      document.querySelectorAll('.strip .chart-svg').forEach(function (svg) {
        var hints = svg.querySelectorAll('.hint'), last = hints[hints.length - 1], dim = document.createElementNS(svg.namespaceURI, 'path'), at = 0, d = '';
        if (!last) return;
        function number(node, key) { return Number(node.getAttribute(key)); }
        var x = number(hints[0], 'x'), wide = (number(last, 'x') + number(last, 'width') - x) / parts, high = number(last, 'height');
        action.getAttribute('data-lit').split(' ').concat(parts + '-' + parts).forEach(function (run) {
          var ends = run.split('-').map(Number);
          if (ends[0] > at) d += 'M' + (x + at * wide) + ' ' + number(last, 'y') + 'h' + (ends[0] - at) * wide + 'v' + high + 'h' + (at - ends[0]) * wide + 'z';
          at = ends[1] + 1;
        });
        dim.setAttribute('class', 'dim');
        dim.setAttribute('d', d);
        svg.appendChild(dim);
        dims.push(dim);
      });
    }
    [['pointerenter', on], ['pointerleave', off], ['focusin', on], ['focusout', off]].forEach(function (one) { action.addEventListener(one[0], one[1]); });
  }

  /* ---- the bars of the first page ---- */

  /* Each action is switched on and off; every set of them was replayed. Off, its bar is that above. */
  function stageSwitches(box) {
    var sets = box.getAttribute('data-sets').split(';').map(function (one) { return [parseInt(one, 10), one.replace(/^\d+ /, '')]; });
    var lines = base.listOf(box.querySelectorAll('li')), said = box.querySelector('.context'), first = said.textContent, switches = [];
    function paint(keep) {
      var of = 0, before, ranks = [];
      lines.forEach(function (line, k) {
        var on = !k || switches[k - 1].checked;
        before = of;
        if (k && on) { of |= 1 << (k - 1); ranks.push(switches[k - 1].value); }
        line.classList.toggle('off', !on);
        line.classList.toggle('same', k > 0 && on && sets[of][1] === sets[before][1]);
        line.querySelector('rect').setAttribute('width', sets[of][0]);
        line.querySelector('.n').textContent = on ? sets[of][1] : 'off';
      });
      var all = ranks.length === switches.length;
      said.textContent = all ? first : (ranks.length ? ranks.join(', ') + ': ' : 'None: ') + sets[0][1] + ' → ' + sets[of][1];
      if (keep) base.goesTo(all ? '' : 'with=' + ranks.join('+'), true);
    }
    lines.slice(1).forEach(function (line) {
      var at = line.querySelector('.rank'), one = make('input');
      one.type = 'checkbox';
      one.value = at.textContent.trim();
      one.setAttribute('aria-label', 'With ' + one.value);
      one.addEventListener('change', function () { paint(true); });
      at.insertBefore(one, at.firstChild);
      switches.push(one);
    });
    function fromAddress() {
      var asked = /^#with=/.test(location.hash) && base.told('with').split('+');
      switches.forEach(function (one) { one.checked = !asked || asked.indexOf(one.value) >= 0; });
      paint(false);
    }
    window.addEventListener('hashchange', fromAddress);
    fromAddress();
  }

  themes();
  document.querySelectorAll('.stages[data-sets]').forEach(stageSwitches);
  document.querySelectorAll('.strip').forEach(stripReadout);
  document.querySelectorAll('[data-lit]').forEach(lights);
  document.querySelectorAll('.tree').forEach(treeTools);
  siteSearch();
  shortcuts();
})(window.tracefolio);
