/* icicle.js - the call tree's picture zooms: a cell fills the width, its callers with it; keys for points. */
(function (base) {
  'use strict';
  var LETTER_PX = 6.7, WORDS_FROM = 34, MOVE_MS = 160;
  var still = window.matchMedia('(prefers-reduced-motion: reduce)');

  /* The cells of one picture, as it was drawn. */
  function cellsOf(svg) {
    return base.listOf(svg.querySelectorAll('a')).map(function (link) {
      var rect = link.querySelector('rect'), words = link.querySelectorAll('text');
      var title = link.querySelector('title').textContent, at = title.lastIndexOf(' - ');
      function attr(name) { return parseFloat(rect.getAttribute(name)); }
      return { link: link, rect: rect, words: words, name: title.slice(0, at), told: title, y: attr('y'), high: attr('height'),
        from: attr('x') - 0.5, to: attr('x') + attr('width') + 0.5 };
    });
  }

  function icicle(box) {
    var pictures = base.listOf(box.querySelectorAll('.chart-wide, .chart-mid, .chart-narrow')).map(function (svg) {
      var cells = cellsOf(svg), first = cells[0];
      var axis = base.listOf(svg.children).filter(function (node) { return /^(path|text)$/.test(node.tagName); });
      return { svg: svg, cells: cells, axis: axis, from: first && first.from, to: first && first.to, wide: first && first.to - first.from };
    }).filter(function (one) { return one.cells.length > 1; });
    if (!pictures.length) return;
    var tools = base.make('div', 'tools'), reset = base.button('Show all', function () { all(); base.goesTo(''); });
    var said = base.status(tools), moving = 0, chosen = null;
    var link = base.make('a', '', 'Its line'), words = document.createTextNode('');
    tools.insertBefore(reset, said);
    said.appendChild(link);
    said.appendChild(words);
    link.hidden = true;
    reset.disabled = true;
    box.insertBefore(tools, box.firstChild);

    /* The words of a cell at its new width: made anew, as the old ones were cut to fit. */
    function label(cell, x, w) {
      base.listOf(cell.words).forEach(function (node) { node.setAttribute('display', 'none'); });
      if (!cell.text) {
        cell.text = document.createElementNS(cell.rect.namespaceURI, 'text');
        cell.text.setAttribute('class', 't-label');
        cell.text.setAttribute('font-size', '12');
        cell.link.appendChild(cell.text);
      }
      var most = Math.floor((w - 8) / LETTER_PX);
      cell.text.setAttribute('x', x + 5);
      cell.text.setAttribute('y', cell.y + 14.5);
      cell.text.textContent = w < WORDS_FROM ? '' : cell.name.length > most ? cell.name.slice(0, most - 1) + '…' : cell.name;
    }

    /* Shows from .. to of what is drawn, over the whole width. */
    function paint(one, from, to) {
      var k = one.wide / (to - from), whole = from <= one.from && to >= one.to;
      one.at = [from, to];
      one.axis.forEach(function (node) { node.setAttribute('display', whole ? 'inline' : 'none'); });
      one.cells.forEach(function (cell) {
        var a = Math.max(one.from, one.from + (cell.from - from) * k), b = Math.min(one.to, one.from + (cell.to - from) * k);
        cell.link.setAttribute('display', b - a < 1 ? 'none' : 'inline');
        cell.rect.setAttribute('x', a + 0.5);
        cell.rect.setAttribute('width', Math.max(0.5, b - a - 1));
        if (!whole) { label(cell, a, b - a); return; }
        if (cell.text) { cell.text.remove(); cell.text = null; }
        base.listOf(cell.words).forEach(function (node) { node.removeAttribute('display'); });
      });
      one.svg.setAttribute('data-from', ((from - one.from) / one.wide).toFixed(4));
      one.svg.setAttribute('data-to', ((to - one.from) / one.wide).toFixed(4));
    }

    function go(one, from, to) {
      var began = performance.now(), a = (one.at || [one.from, one.to])[0], b = (one.at || [one.from, one.to])[1];
      cancelAnimationFrame(moving);
      pictures.forEach(function (other) {
        if (other !== one) paint(other, other.from + (from - one.from) / one.wide * other.wide, other.from + (to - one.from) / one.wide * other.wide);
      });
      if (still.matches) { paint(one, from, to); return; }
      (function next() {
        var share = Math.min(1, (performance.now() - began) / MOVE_MS);
        paint(one, a + (from - a) * share, b + (to - b) * share);
        if (share < 1) moving = requestAnimationFrame(next);
      })();
    }

    function shown() {
      return pictures.filter(function (one) { return one.svg.getClientRects().length; })[0] || pictures[0];
    }

    function tell(cell) {
      link.hidden = !cell;
      words.data = cell ? ' ' + cell.told : '';
      if (cell) link.setAttribute('href', cell.link.getAttribute('href').replace('#z-', '#'));
    }

    function all() {
      var one = shown();
      chosen = null;
      reset.disabled = true;
      tell(null);
      go(one, one.from, one.to);
    }

    function idOf(cell) { return cell.link.getAttribute('href').replace(/.*#(z-)?/, ''); }

    /* As the address says; a cell that it does not know shows all. */
    function fromAddress() {
      var id = base.told('zoom'), one = shown(), cell = id && one.cells.filter(function (cell) { return idOf(cell) === id; })[0];
      if (cell && cell !== chosen) zoom(one, cell);
      else if (!cell && chosen) all();
    }

    function zoom(one, cell) {
      if (cell === chosen || cell === one.cells[0]) { all(); base.goesTo(''); return; }
      base.goesTo('zoom=' + idOf(cell));
      chosen = cell;
      reset.disabled = false;
      tell(cell);
      go(one, cell.from, cell.to);
    }

    /* Cells beside, above and below, by where they are shown. */
    function neighbour(one, cell, key) {
      var rects = one.cells.filter(function (other) { return other.link.getAttribute('display') !== 'none'; });
      var up = key === 'ArrowUp', down = key === 'ArrowDown';
      var row = rects.filter(function (other) { return up ? other.y < cell.y : down ? other.y > cell.y : other.y === cell.y; });
      if (up) row = row.filter(function (other) { return other.from <= cell.from + 0.01 && other.to >= cell.to - 0.01; }).sort(function (a, b) { return b.y - a.y; });
      else if (down) row = row.filter(function (other) { return other.from >= cell.from - 0.01 && other.to <= cell.to + 0.01; }).sort(function (a, b) { return a.y - b.y || a.from - b.from; });
      else if (key === 'ArrowRight') row = row.filter(function (other) { return other.from > cell.from; }).sort(function (a, b) { return a.from - b.from; });
      else row = row.filter(function (other) { return other.from < cell.from; }).sort(function (a, b) { return b.from - a.from; });
      return row[0];
    }

    pictures.forEach(function (one) {
      function cellAt(event) {
        var link = event.target.closest('a');
        return one.cells.filter(function (cell) { return cell.link === link; })[0];
      }
      one.svg.addEventListener('click', function (event) {
        var cell = cellAt(event);
        if (!cell || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        zoom(one, cell);
      });
      one.svg.addEventListener('keydown', function (event) {
        var cell = cellAt(event);
        if (!cell || event.ctrlKey || event.metaKey || event.altKey) return;
        if (event.key === 'Escape' || event.key === 'Home') { all(); base.goesTo(''); event.preventDefault(); }
        if (!/^Arrow/.test(event.key)) return;
        var next = neighbour(one, cell, event.key);
        if (next) next.link.focus();
        event.preventDefault();
      });
      ['mouseover', 'focusin'].forEach(function (name) {
        one.svg.addEventListener(name, function (event) {
          var cell = cellAt(event);
          if (cell) tell(cell);
        });
      });
    });
    if (base.told('zoom')) fromAddress();
    window.addEventListener('hashchange', fromAddress);
  }

  base.listOf(document.querySelectorAll('.icicle')).forEach(icicle);

  /* Points under a roof: arrows go through all of them, by time; Tab stops where they stand apart. */
  base.listOf(document.querySelectorAll('[id*="roofline"] .chart-svg')).forEach(function (svg) {
    svg.addEventListener('keydown', function (event) {
      var points = base.listOf(svg.querySelectorAll('a')), at = points.indexOf(event.target);
      var step = /^Arrow(Right|Down)$/.test(event.key) ? 1 : /^Arrow(Left|Up)$/.test(event.key) ? -1 : 0;
      if (at < 0 || !step || event.ctrlKey || event.metaKey || event.altKey) return;
      if (points[at + step]) points[at + step].focus();
      event.preventDefault();
    });
  });
})(window.tracefolio);
