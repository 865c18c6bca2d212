/* site.js - comfort for a page that is whole without it: sorting, filtering, choice of columns,
 * keys and search in trees, search over the site, links to copy. What it adds stands in .tools.
 * Nodes are built with createElement and textContent only; classes and properties only. */
(function () {
  'use strict';
  var KEY = 'tracefolio';

  function make(name, className, text) {
    var node = document.createElement(name);
    if (className) node.className = className;
    if (text) node.textContent = text;
    return node;
  }

  /* Storage throws in sandboxes: choices are then not remembered, nothing else changes. */
  function remembered() {
    try {
      var found = JSON.parse(localStorage.getItem(KEY));
      return found && typeof found === 'object' ? found : {};
    } catch (ignored) { return {}; }
  }

  function remember(name, value) {
    var all = remembered();
    all[name] = value;
    try { localStorage.setItem(KEY, JSON.stringify(all)); } catch (ignored) { return; }
  }

  function themes() {
    var choice = remembered().theme;
    document.querySelectorAll('input[name="theme"]').forEach(function (radio) {
      if (radio.id === choice) radio.checked = true;
      radio.addEventListener('change', function () { remember('theme', radio.id); });
    });
  }

  function button(text, action) {
    var node = make('button', '', text);
    node.type = 'button';
    node.addEventListener('click', action);
    return node;
  }

  function searchField(name, box) {
    var label = make('label', '', name + ' ');
    var field = make('input');
    field.type = 'search';
    field.autocomplete = 'off';
    label.appendChild(field);
    box.appendChild(label);
    return field;
  }

  function status(box) {
    var said = make('span', 'context');
    said.setAttribute('role', 'status');
    box.appendChild(said);
    return said;
  }

  function wordsOf(text) {
    return text.toLowerCase().split(/\s+/).filter(Boolean);
  }

  function hasAll(text, words) {
    return words.every(function (word) { return text.indexOf(word) >= 0; });
  }

  /* What a cell is sorted by: its exact value, else its number, else its words. */
  function keyOf(row, column) {
    var cell = row.cells[column];
    if (!cell) return '';
    var exact = cell.getAttribute('data-v');
    if (exact !== null && exact !== '' && !isNaN(exact)) return Number(exact);
    var text = cell.textContent.trim();
    if (cell.classList.contains('n')) {
      var number = parseFloat(text.replace(/[\s\u2009\u202f]/g, ''));
      return isNaN(number) ? -Infinity : number;
    }
    return text.toLowerCase();
  }

  function compare(a, b) {
    if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
    return typeof a === 'number' ? -1 : 1;
  }

  function sortable(box) {
    var table = box.querySelector('table');
    var body = table.tBodies[0];
    var original = Array.prototype.slice.call(body.rows);
    var heads = table.tHead.rows[0].cells;
    Array.prototype.forEach.call(heads, function (head, column) {
      if (head.colSpan > 1) return;
      var button = make('button', '', head.textContent);
      button.type = 'button';
      head.textContent = '';
      head.appendChild(button);
      button.addEventListener('click', function () {
        var numeric = head.classList.contains('n');
        var order = numeric ? ['descending', 'ascending'] : ['ascending', 'descending'];
        var next = order[order.indexOf(head.getAttribute('aria-sort')) + 1];
        Array.prototype.forEach.call(heads, function (other) { other.removeAttribute('aria-sort'); });
        var rows = original;
        if (next) {
          head.setAttribute('aria-sort', next);
          var sign = next === 'ascending' ? 1 : -1;
          rows = original.map(function (row, i) {
            return { row: row, key: keyOf(row, column), i: i };
          }).sort(function (a, b) {
            return sign * compare(a.key, b.key) || a.i - b.i;
          }).map(function (entry) { return entry.row; });
        }
        var all = document.createDocumentFragment();
        rows.forEach(function (row) { all.appendChild(row); });
        body.appendChild(all);
      });
    });
  }

  /* The first column whose head says Total or Time: its sum goes with the count of rows. */
  function sumColumn(table) {
    var heads = table.tHead.rows[0].cells;
    for (var i = 0; i < heads.length; i++) {
      if (/^(total|time)/i.test(heads[i].textContent)) return i;
    }
    return -1;
  }

  function filterable(box) {
    var table = box.querySelector('table');
    var rows = Array.prototype.slice.call(table.tBodies[0].rows);
    if (rows.length < 8) return;
    var texts = rows.map(function (row) { return row.textContent.toLowerCase(); });
    var column = sumColumn(table);
    var unit = column < 0 ? '' : (table.tHead.rows[0].cells[column].textContent.split(', ')[1] || '');
    var tools = make('div', 'tools');
    var field = searchField('Filter rows', tools);
    var clear = button('Clear', function () { field.value = ''; apply(); field.focus(); });
    clear.hidden = true;
    tools.appendChild(clear);
    var said = status(tools);
    box.insertBefore(tools, box.firstChild);
    function apply() {
      var words = wordsOf(field.value);
      var count = 0, sum = 0;
      rows.forEach(function (row, i) {
        var shown = hasAll(texts[i], words);
        row.hidden = !shown;
        if (shown) {
          count++;
          if (column >= 0) sum += Number(row.cells[column].getAttribute('data-v')) || 0;
        }
      });
      clear.hidden = words.length === 0;
      said.textContent = words.length === 0 ? '' : count + ' of ' + rows.length + ' rows' +
        (column >= 0 ? ', ' + sum.toPrecision(3) + ' ' + unit : '');
    }
    field.addEventListener('input', apply);
    field.addEventListener('keydown', function (event) {
      if (event.key === 'Escape') { field.value = ''; apply(); }
    });
  }

  /* ---- columns ---- */

  var CHOICE_FROM = 8; /* columns: fewer are read at once */

  function columns(box) {
    var table = box.querySelector('table');
    var heads = Array.prototype.slice.call(table.tHead.rows[0].cells);
    if (heads.length < CHOICE_FROM) return;
    var hidden = (remembered().columns || {})[box.id] || [];
    var fold = make('details', 'tools columns-choice');
    fold.appendChild(make('summary', '', 'Columns'));
    var list = make('fieldset');
    list.appendChild(make('legend', 'vh', 'Columns to show'));
    function show(i, shown) {
      heads[i].hidden = !shown;
      Array.prototype.forEach.call(table.tBodies[0].rows, function (row) {
        if (row.cells[i]) row.cells[i].hidden = !shown;
      });
    }
    heads.forEach(function (head, i) {
      if (i === 0) return; /* what the row is about */
      var title = head.textContent, label = make('label'), tick = make('input');
      tick.type = 'checkbox';
      tick.checked = hidden.indexOf(title) < 0;
      if (!tick.checked) show(i, false);
      tick.addEventListener('change', function () {
        show(i, tick.checked);
        hidden = hidden.filter(function (other) { return other !== title; });
        if (!tick.checked) hidden.push(title);
        var all = remembered().columns || {};
        all[box.id] = hidden;
        remember('columns', all);
      });
      label.appendChild(tick);
      label.appendChild(document.createTextNode(' ' + title));
      list.appendChild(label);
    });
    fold.appendChild(list);
    box.insertBefore(fold, box.firstChild);
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
      said.textContent = done.opened + ' lines opened' + named() +
        (done.all ? '' : '; ' + OPEN_MAX + ' at once is the limit, the rest stays closed');
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
    if (address.protocol !== 'file:') { copy(address.href, ''); return; }
    var label = document.querySelector('.top .label, .top h1');
    copy(label.textContent.trim() + ' · ' + address.pathname.split('/').pop() + address.hash,
      ' without the local path');
  }

  /* Some viewers refuse downloads: the name finds the file in the folder. */
  document.querySelectorAll('td.file > a').forEach(function (link) {
    var tool = button('Copy name', function () { copy(link.textContent, ''); });
    tool.className = 'copy-name';
    tool.setAttribute('aria-label', 'Copy name ' + link.textContent);
    link.parentNode.appendChild(tool);
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

  /* The list lies in a script of its own, which assigns one variable; loaded when first wanted. */
  function loadEntries(then) {
    if (window.tracefolioSearch) { then(window.tracefolioSearch); return; }
    var script = document.querySelector('script[data-search]');
    if (!script) {
      window.tracefolioSearch = entriesHere();
      then(window.tracefolioSearch);
      return;
    }
    var more = make('script');
    more.src = script.getAttribute('data-search');
    more.addEventListener('load', function () { then(window.tracefolioSearch || []); });
    document.head.appendChild(more);
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
      if (event.key === 'Escape') { site.value = ''; apply([]); site.focus(); }
    });
    list.addEventListener('click', function () { list.hidden = true; });
  }

  /* ---- keys ---- */

  var KEYS = [['/', 'search the report'], ['?', 'this list'], ['↑ ↓ ← →', 'in a tree: move, close, open'],
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
    document.addEventListener('keydown', function (event) {
      var inField = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName || '');
      if (!on.checked || inField || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === '/' && site) { site.focus(); event.preventDefault(); }
      if (event.key === '?') { fold.open = true; title.focus(); event.preventDefault(); }
    });
  }

  themes();
  document.querySelectorAll('[data-sort]').forEach(sortable);
  document.querySelectorAll('[data-sort][data-filter]').forEach(filterable);
  document.querySelectorAll('.table').forEach(columns);
  document.querySelectorAll('.tree').forEach(treeTools);
  siteSearch();
  shortcuts();
})();
