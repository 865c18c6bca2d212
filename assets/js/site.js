/* site.js - comfort for a page that is whole without it: sorting, filtering, links to copy.
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

  /* Storage throws in sandboxes: the choice is then not remembered, nothing else changes. */
  function remember(choice) {
    try { localStorage.setItem(KEY, choice); } catch (ignored) { return; }
  }

  function remembered() {
    try { return localStorage.getItem(KEY); } catch (ignored) { return null; }
  }

  function themes() {
    var radios = document.querySelectorAll('input[name="theme"]');
    var choice = remembered();
    radios.forEach(function (radio) {
      if (radio.id === choice) radio.checked = true;
      radio.addEventListener('change', function () { remember(radio.id); });
    });
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
    var label = make('label', '', 'Filter rows ');
    var field = make('input');
    field.type = 'search';
    field.autocomplete = 'off';
    var clear = make('button', '', 'Clear');
    clear.type = 'button';
    clear.hidden = true;
    var said = make('span', 'context');
    said.setAttribute('role', 'status');
    label.appendChild(field);
    [label, clear, said].forEach(function (node) { tools.appendChild(node); });
    box.insertBefore(tools, box.firstChild);
    function apply() {
      var words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      var count = 0, sum = 0;
      rows.forEach(function (row, i) {
        var shown = words.every(function (word) { return texts[i].indexOf(word) >= 0; });
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
    clear.addEventListener('click', function () { field.value = ''; apply(); field.focus(); });
  }

  themes();
  document.querySelectorAll('[data-sort]').forEach(sortable);
  document.querySelectorAll('[data-sort][data-filter]').forEach(filterable);
})();
