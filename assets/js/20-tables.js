/* tables.js - order, filter and columns of tables, and their state in the link. */
(function (base) {
  'use strict';
  var make = base.make, remembered = base.remembered, remember = base.remember, button = base.button, searchField = base.searchField, status = base.status, wordsOf = base.wordsOf, hasAll = base.hasAll, listOf = base.listOf, loadScript = base.loadScript;

  var SHOWN_ROWS = 500; /* of a table that continues on other pages */
  var FILTER_FROM = 8; /* rows: fewer are read at once */
  var tables = []; /* those of this page, the first one's state without its name */

  function slugOf(text) {
    return text.split(',')[0].toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
  }

  /* What its heads say of a table: which column holds what, and its name in links. */
  function rolesOf(heads) {
    var roles = { time: -1, category: -1, finding: -1, replay: -1, said: [], names: [], numeric: [] };
    heads.forEach(function (head, i) {
      var title = head.textContent.trim();
      if (roles.time < 0 && /^(total|time)\b.*, (ns|µs|ms|s)$/i.test(title)) roles.time = i;
      if (roles.category < 0 && /^category\b/i.test(title)) roles.category = i;
      if (roles.finding < 0 && /^finding\b/i.test(title)) roles.finding = i;
      if (/^replay/i.test(title)) roles.replay = i;
      roles.numeric.push(head.classList.contains('n'));
      roles.names.push(roles.time === i ? 'time' : slugOf(title));
      roles.said.push(!roles.numeric[i] && !/^(category|finding|bound|replay)\b/i.test(title));
    });
    roles.unit = roles.time < 0 ? '' : ' ' + heads[roles.time].textContent.split(', ')[1];
    return roles;
  }

  function numberIn(exact, text) {
    var number = exact ? Number(exact) : parseFloat(text.replace(/[\s\u2009\u202f]/g, ''));
    return isNaN(number) ? -Infinity : number;
  }

  function categoryOf(label, href) {
    var page = /category-([a-z0-9-]+)/.exec(href || '');
    return { id: page ? page[1] : slugOf(label), label: label };
  }

  function isFinding(href) {
    return /#([a-z0-9-]+--)?f-/.test(href);
  }

  /* An entry of a table: a row of the page, or one of a file of rows that is built when it
   * is first shown. Both answer the same four questions. */
  function entryHere(row, roles, make) {
    var text = null, mark = row.cells[roles.category] && row.cells[roles.category].querySelector('.cat');
    var page = mark && mark.querySelector('a');
    return {
      node: make || function () { return row; },
      category: mark ? categoryOf((page || mark.lastChild).textContent.trim(), page && page.getAttribute('href')) : null,
      finding: Boolean(row.cells[roles.finding]) &&
        listOf(row.cells[roles.finding].querySelectorAll('a')).some(function (link) { return isFinding(link.getAttribute('href')); }),
      text: function () {
        if (text === null) text = listOf(row.cells).map(function (cell, i) { return roles.said[i] ? cell.textContent : ''; }).join(' ').toLowerCase();
        return text;
      },
      key: function (column) {
        var cell = row.cells[column];
        if (!cell) return '';
        var shown = cell.textContent.trim();
        return roles.numeric[column] || cell.getAttribute('data-v') ? numberIn(cell.getAttribute('data-v'), shown) : shown.toLowerCase();
      }
    };
  }

  function namePut(node, name, full) {
    function code(text) {
      var shown = make('code', 'name');
      shown.translate = false;
      shown.dir = 'ltr';
      (text.match(/[^,(:_]*[,(:_]*/g) || []).forEach(function (part, i) {
        if (i && part) shown.appendChild(make('wbr'));
        shown.appendChild(document.createTextNode(part));
      });
      return shown;
    }
    node.appendChild(code(name));
    if (!full) return;
    var fold = make('details', 'long');
    fold.appendChild(make('summary', '', 'in full'));
    fold.appendChild(code(full));
    (node.closest('.one, .detail') || node).appendChild(fold);
  }

  /* [name, in full, where it lies, arguments, in full]; what is missing is empty. */
  function nameCell(cell) {
    var node = make('th'), one = make('div', 'one'), holder = one;
    node.scope = 'row';
    node.appendChild(one);
    if (cell[2]) {
      holder = make('a', 'self');
      holder.href = cell[2];
      one.appendChild(holder);
    }
    namePut(holder, cell[0], cell[1]);
    if (cell[3]) {
      var below = make('div', 'detail');
      one.appendChild(below);
      namePut(below, cell[3], cell[4]);
    }
    return node;
  }

  function linkTo(href, text) {
    var link = make('a', '', text);
    link.href = href;
    return link;
  }

  function categoryMark(category) {
    var mark = make('span', 'cat b-' + category[0]);
    mark.appendChild(make('b', '', category[1]));
    mark.appendChild(document.createTextNode(' '));
    mark.appendChild(category[3] ? linkTo(category[3], category[2]) : document.createTextNode(category[2]));
    return mark;
  }

  /* Cells of a file: "text", "text|exact|remark" in numeric columns, the number of a
   * category, or [["text", "where", "of what"], ...]. */
  function cellBuilt(cell, categories, numeric, name) {
    var node = make('td', numeric ? 'n' : '');
    if (typeof cell === 'number') node.appendChild(categoryMark(categories[cell]));
    else if (typeof cell !== 'string') {
      cell.forEach(function (part) {
        var link = linkTo(part[1], part[0]);
        if (name) link.appendChild(make('span', 'vh', ' of ' + name));
        node.append(link, ' ');
      });
    } else if (numeric) {
      var parts = cell.split('|');
      node.textContent = parts[0];
      if (parts[1]) node.setAttribute('data-v', parts[1]);
      if (parts[2]) {
        var mark = make('span', 'sev sev-warning', parts[2].charAt(0));
        mark.appendChild(make('span', 'vh', parts[2].slice(1)));
        node.append(' ', mark);
      }
    } else node.textContent = cell;
    return node;
  }

  function entryOfFile(cells, categories, roles) {
    var node = null, text = null, links = cells[roles.finding] || [];
    var category = categories[cells[roles.category]];
    return {
      node: function () {
        if (node) return node;
        node = make('tr');
        node.appendChild(nameCell(cells[0]));
        cells.slice(1).forEach(function (cell, i) { node.appendChild(cellBuilt(cell, categories, roles.numeric[i + 1], roles.finding === i + 1 || roles.replay === i + 1 ? cells[0][0] : '')); });
        return node;
      },
      category: category ? categoryOf(category[2], category[3]) : null,
      finding: links.some(function (part) { return isFinding(part[1]); }),
      text: function () {
        if (text === null) text = cells.map(function (cell, i) {
          return !roles.said[i] ? '' : i === 0 ? [cell[0], cell[1], cell[3], cell[4]].join(' ') : [].concat(cell).map(function (part) { return [].concat(part)[0]; }).join(' ');
        }).join(' ').toLowerCase();
        return text;
      },
      key: function (column) {
        var cell = cells[column], parts = typeof cell === 'string' ? cell.split('|') : [];
        if (roles.numeric[column]) return numberIn(parts[1], parts[0]);
        if (column === 0) return cell[0].toLowerCase();
        return (typeof cell === 'number' ? categories[cell][1] + ' ' + categories[cell][2] : typeof cell === 'string' ? cell : (cell[0] || [''])[0]).toLowerCase();
      }
    };
  }

  function compare(a, b) {
    if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
    return typeof a === 'number' ? -1 : 1;
  }

  /* In one file the other parts of the table are further down. */
  function rowsElsewhere(table) {
    return listOf(document.querySelectorAll('[data-more="' + table + '"]:not([data-of]) tbody')).reduce(function (all, body) {
      return all.concat(listOf(body.rows));
    }, []);
  }

  /* A row of the table of all, as a table with some of its cells has it. */
  function rowCopied(row, order) {
    var copy = row.cloneNode(true), cells = listOf(copy.cells), of = (row.getAttribute('data-c') || '').split(' ');
    copy.removeAttribute('id');
    if (!order) return copy;
    copy.textContent = '';
    order.forEach(function (i) { copy.appendChild(cells[i] || make('td', 'n', of[i - cells.length])); });
    return copy;
  }

  /* `order`: where the cells of this table lie in those of the table of all. */
  function loadRows(table, roles, order, then) {
    if (document.body.classList.contains('single')) {
      then(rowsElsewhere(table).map(function (row) {
        var copy = order && rowCopied(row, order), node = copy || null;
        var entry = entryHere(copy || row, roles, function () { return node || (node = rowCopied(row)); });
        if (copy) entry.category = entryHere(row, { category: 1, finding: -1 }).category;
        return entry;
      }));
      return;
    }
    function have(file) {
      then(file && file.rows.map(function (cells, i) {
        var part = Math.floor(i / file.each);
        cells[0][2] = file.page + (part ? '-' + (part + 1) : '') + '.html#' + cells[0][2];
        var entry = entryOfFile(order ? order.map(function (k) { return cells[k]; }) : cells.slice(0, roles.names.length), file.categories, roles);
        if (order) entry.category = categoryOf(file.categories[cells[1]][2], file.categories[cells[1]][3]);
        return entry;
      }));
    }
    loadScript(document.querySelector('script[src]').getAttribute('data-' + table), 'tracefolioRows', have);
  }

  /* As number_ms of the generator. */
  function timeText(v) {
    return v === 0 ? '0' : v.toFixed(v >= 100 ? 1 : v >= 1 ? 2 : 3);
  }

  function tableTools(box) {
    var table = box.querySelector('table'), body = table.tBodies[0], foot = table.tFoot, pager = box.querySelector('.pager');
    var heads = listOf(table.tHead.rows[0].cells), roles = rolesOf(heads);
    var original = listOf(body.rows);
    var here = original.map(function (row) { return entryHere(row, roles); });
    var more = box.getAttribute('data-more'), of = box.getAttribute('data-of'), all = null;
    var order = box.hasAttribute('data-cells') ? box.getAttribute('data-cells').split(' ').map(Number) : null;
    var state = { s: '', c: '', f: '', q: '' }, tools = null, timer = 0;

    /* Once, when the table is first used: then all rows are found, not those of this page. */
    function wantAll(then) {
      if (!more || all) { then(); return; }
      loadRows(more, roles, order, function (rows) {
        all = rows ? rows.filter(function (entry) { return !of || (entry.category && entry.category.id === of); }) : here;
        if (tools) tools.offer(all);
        then();
      });
    }

    function isSet() { return Boolean(state.s || state.c || state.f || state.q); }

    function found(pool) {
      var words = wordsOf(state.q), column = roles.names.indexOf(state.s.replace(/^-/, ''));
      var hits = pool.filter(function (entry) {
        return (!state.c || (entry.category && entry.category.id === state.c)) && (!state.f || entry.finding) && hasAll(entry.text(), words);
      });
      if (column < 0) return hits;
      var sign = state.s.charAt(0) === '-' ? -1 : 1;
      return hits.map(function (entry, i) { return { entry: entry, key: entry.key(column), i: i }; }).sort(function (a, b) {
        return sign * compare(a.key, b.key) || a.i - b.i;
      }).map(function (one) { return one.entry; });
    }

    function show(nodes) {
      var shown = document.createDocumentFragment();
      nodes.forEach(function (row) {
        heads.forEach(function (head, i) { if (row.cells[i]) row.cells[i].hidden = head.hidden; });
        shown.appendChild(row);
      });
      body.textContent = '';
      body.appendChild(shown);
    }

    function apply() {
      if (isSet() && more && !all) { wantAll(apply); return; }
      var pool = isSet() && more ? all : here, hits = found(pool), whole = !isSet() || !more;
      show((isSet() ? whole ? hits : hits.slice(0, SHOWN_ROWS) : here).map(function (entry) { return entry.node(); }));
      if (foot) foot.hidden = isSet();
      if (pager) pager.hidden = isSet();
      heads.forEach(function (head, i) {
        var order = state.s === roles.names[i] ? 'ascending' : state.s === '-' + roles.names[i] ? 'descending' : '';
        if (order) head.setAttribute('aria-sort', order);
        else head.removeAttribute('aria-sort');
      });
      if (tools) tools.tell(hits, pool, whole);
    }

    function change(key, value) {
      state[key] = value;
      clearTimeout(timer);
      if (key !== 'q' || !more) apply();
      else timer = setTimeout(apply, 120); /* hundreds of rows: not at each letter */
      keepState();
    }

    function clear() {
      state.c = state.f = state.q = '';
      apply();
      keepState();
      tools.show(state);
    }

    heads.forEach(function (head, i) {
      if (head.colSpan > 1) return;
      var orders = [roles.names[i], '-' + roles.names[i]];
      if (roles.numeric[i]) orders.reverse(); /* the third press is the order of the page */
      var press = button(head.textContent, function () { change('s', orders[orders.indexOf(state.s) + 1] || ''); });
      head.textContent = '';
      head.appendChild(press);
    });
    if (box.hasAttribute('data-filter') && (here.length >= FILTER_FROM || more))
      tools = filterTools(box, here, roles, { change: change, clear: clear, first: function () { wantAll(function () { return; }); } });

    tables.push({
      id: box.id,
      write: function (link, name) {
        Object.keys(state).forEach(function (key) { if (state[key]) link.set(name + key, state[key]); });
      },
      /* What is not known here is as if it were not said. */
      read: function (link, name) {
        var order = link.get(name + 's') || '';
        state.s = roles.names.indexOf(order.replace(/^-/, '')) < 0 ? '' : order;
        state.q = tools && link.get(name + 'q') || '';
        state.f = tools && roles.finding >= 0 && link.get(name + 'f') === '1' ? '1' : '';
        var category = tools && link.get(name + 'c') || '';
        function settle() {
          state.c = category && (more ? all : here).some(function (entry) { return entry.category && entry.category.id === category; }) ? category : '';
          if (tools) tools.show(state);
          apply();
        }
        if (category) wantAll(settle);
        else settle();
        return isSet() || category !== '';
      },
      box: box
    });
  }

  /* The field, the choices and what they leave, above a table. */
  function filterTools(box, here, roles, on) {
    var tools = make('div', 'tools'), field = searchField('Filter rows', tools);
    var choice = null, tick = null;
    if (roles.finding >= 0) { /* before the choice, whose width changes with the rows: a press stays on it */
      tick = make('input');
      tick.type = 'checkbox';
      label('With a finding', tick);
    }
    if (roles.category >= 0) {
      choice = make('select');
      label('Category', choice);
    }
    function label(name, control) {
      var holder = make('label', '', control === tick ? '' : name + ' ');
      holder.appendChild(control);
      if (control === tick) holder.appendChild(document.createTextNode(' ' + name));
      tools.appendChild(holder);
    }
    var clear = button('Clear', function () { on.clear(); field.focus(); });
    tools.appendChild(clear);
    var said = status(tools);
    var none = make('p', 'empty tools', 'No row matches. ');
    none.appendChild(button('Clear the filter', function () { on.clear(); field.focus(); }));
    none.hidden = true;
    box.insertBefore(tools, box.firstChild);
    box.insertBefore(none, tools.nextSibling);

    function isSet() { return Boolean(field.value.trim() || (choice && choice.value) || (tick && tick.checked)); }
    function offer(entries) {
      if (!choice) return;
      var known = {}, chosen = choice.value;
      entries.forEach(function (entry) { if (entry.category) known[entry.category.id] = entry.category.label; });
      var ids = Object.keys(known).sort();
      choice.textContent = '';
      [''].concat(ids).forEach(function (id) {
        var one = make('option', '', id ? known[id] : 'all');
        one.value = id;
        choice.appendChild(one);
      });
      choice.value = chosen && known[chosen] ? chosen : '';
      choice.parentNode.hidden = ids.length < 2;
    }
    function onlyIf(entries) {
      if (tick) tick.parentNode.hidden = !entries.some(function (entry) { return entry.finding; }) || box.id === 't-findings';
    }
    offer(here);
    onlyIf(here);
    clear.hidden = true;
    tools.addEventListener('focusin', on.first);
    field.addEventListener('input', function () { on.change('q', field.value.trim()); });
    field.addEventListener('keydown', function (event) { if (event.key === 'Escape') on.clear(); });
    if (choice) choice.addEventListener('change', function () { on.change('c', choice.value); });
    if (tick) tick.addEventListener('change', function () { on.change('f', tick.checked ? '1' : ''); });

    return {
      offer: function (entries) { offer(entries); onlyIf(entries); },
      show: function (state) {
        field.value = state.q;
        if (choice) choice.value = state.c;
        if (tick) tick.checked = state.f === '1';
      },
      tell: function (hits, pool, whole) {
        var sum = hits.reduce(function (all, entry) { return all + Math.max(0, roles.time < 0 ? 0 : entry.key(roles.time)); }, 0);
        clear.hidden = !isSet();
        none.hidden = hits.length > 0;
        said.textContent = (hits.length === pool.length ? '' : hits.length + ' of ') + pool.length + (pool.length === 1 ? ' row' : ' rows') +
          (roles.time < 0 ? '' : ', ' + timeText(sum) + roles.unit) +
          (!whole && hits.length > SHOWN_ROWS ? '; the first ' + SHOWN_ROWS + ' are shown' : '');
      }
    };
  }

  /* ---- the state of tables, in the link ---- */

  function nameInLink(table, i) { return i ? table.id + '.' : ''; }

  function keepState() {
    var link = new URLSearchParams();
    tables.forEach(function (table, i) { table.write(link, nameInLink(table, i)); });
    var text = link.toString();
    if (!text && location.hash.slice(0, 2) !== '#?') return;
    try {
      history.replaceState(null, '', text ? '#?' + text : location.pathname + location.search);
    } catch (ignored) { return; } /* sandboxes refuse it: the link then says nothing */
  }

  function readState() {
    var text = location.hash;
    if (/^#[a-z]+=/.test(text)) return; /* not of tables */
    if (text.slice(0, 2) === '#?') {
      var link = new URLSearchParams(text.slice(2)), first = null;
      tables.forEach(function (table, i) { if (table.read(link, nameInLink(table, i)) && !first) first = table; });
      if (first) first.box.scrollIntoView();
    } else if (text.length > 1 && !document.getElementById(text.slice(1))) {
      /* A row that the filter hides: all rows come back, then it is there. */
      tables.forEach(function (table) { table.read(new URLSearchParams(), ''); });
      var target = document.getElementById(text.slice(1));
      if (target) target.scrollIntoView();
    }
  }

  /* ---- columns ---- */

  var CHOICE_FROM = 8; /* columns: fewer are read at once */

  function columns(box) {
    var table = box.querySelector('table');
    var heads = Array.prototype.slice.call(table.tHead.rows[0].cells);
    if (heads.length < CHOICE_FROM) return;
    var wide = box.querySelector('.more-columns'); /* then the first ones, until others are chosen */
    var shownFirst = box.classList.contains('nine') ? 9 : 8, hidden = (remembered().columns || {})[box.id] || heads.slice(wide ? shownFirst : heads.length).map(function (head) { return head.textContent; });
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
      if (!tick.checked && !(wide && i >= shownFirst)) show(i, false);
      tick.addEventListener('change', function () {
        widen();
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
    /* The style sheet no longer says which columns there are: each cell does. */
    function widen() {
      if (!wide || wide.firstChild.checked) return;
      wide.firstChild.checked = true;
      heads.forEach(function (head, i) { if (hidden.indexOf(head.textContent) >= 0) show(i, false); });
    }
    fold.appendChild(list);
    box.insertBefore(fold, box.firstChild);
    if (wide) wide.hidden = true;
    if (wide && heads.some(function (head, i) { return i >= shownFirst && hidden.indexOf(head.textContent) < 0; })) widen();
  }

  /* One file has the tables of all pages: each is a task of its own. */
  function ready(work) {
    if (document.body.classList.contains('single')) setTimeout(work, 0);
    else work();
  }

  document.querySelectorAll('.table[data-sort], .table[data-more]').forEach(function (box) { ready(function () { tableTools(box); }); });
  document.querySelectorAll('.table').forEach(function (box) { ready(function () { columns(box); }); });
  ready(readState);
  window.addEventListener('hashchange', readState);
})(window.tracefolio);
