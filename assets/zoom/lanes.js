/* lanes.js - the run to zoom into: a lane for each stream and each level of host calls, drawn
 * from boxes that lie in a script of their own, loaded when the view is first wanted. */
(function (base) {
  'use strict';
  var make = base.make, button = base.button;
  var LEAST_NS = 200, SUMS_MOST = 12, KEEP_MS = 300, ARROWS_MOST = 100, ROW = 24, BAR = 18, TOP = 40, GUTTER = 190, WIDE = 700, MOVE_MS = 160, GAP = /gap-\d+$/;
  var still = window.matchMedia('(prefers-reduced-motion: reduce)');
  var kit = base.boxes, time = kit.time, place = kit.place, lanesOf = kit.lanesOf, valueOf = kit.valueOf, firstBehind = kit.firstBehind, titleOf = kit.titleOf;

  function view(box, data) {
    var lanes = lanesOf(data), total = data.total;
    var from = 0, to = total, chosen = 0, over = null, moving = 0, queued = 0, findText, pinned = false, area = null, found = null, keeping = 0;
    var canvas = make('canvas'), pen = canvas.getContext('2d');
    var readout = make('p', 'readout'), help = make('p', 'context'), sums = make('div', 'sums'), row_of = make('a'), op_of = make('a', '', 'Its operation');
    var paint = {}, hatch = {}, fingers = {}, pinch = null;
    var said = ['', '', '', ''].map(function (text) { return document.createTextNode(text); });

    /* ---- colours, those of the page ---- */

    function colour(name) {
      if (!paint[name]) paint[name] = getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
      return paint[name];
    }

    function luminance(hex) {
      var sum = 0;
      [0.2126, 0.7152, 0.0722].forEach(function (weight, k) {
        var c = parseInt(hex.substr(1 + 2 * k, 2), 16) / 255;
        sum += weight * (c <= 0.04045 ? c / 12.92 : Math.pow((c + 0.055) / 1.055, 2.4));
      });
      return sum;
    }

    function hatched(slot) {
      if (hatch[slot]) return hatch[slot];
      var tile = make('canvas'), p = tile.getContext('2d');
      tile.width = tile.height = 8;
      p.strokeStyle = colour('slot-' + slot);
      p.lineWidth = 2;
      p.beginPath();
      [-8, 0, 8].forEach(function (x) { p.moveTo(x, 8); p.lineTo(x + 8, 0); });
      p.stroke();
      return (hatch[slot] = pen.createPattern(tile, 'repeat'));
    }

    function fillOf(slot) {
      return /^(communication|copy|waiting)$/.test(slot) ? hatched(slot) : colour('slot-' + slot);
    }

    /* ---- drawing ---- */

    function width() { return canvas.width / (window.devicePixelRatio || 1); }
    function left() { return width() < WIDE ? 0 : GUTTER; }
    function row() { return width() < WIDE ? ROW + 16 : ROW; }
    function x(ns) { return left() + (ns - from) * (width() - left()) / (to - from); }
    function ns(px) { return from + (px - left()) * (to - from) / (width() - left()); }
    function top(lane) { return TOP + lane * row() + (row() - ROW); }

    function words(text, at, y, room, name) {
      var most = Math.floor(room / 6.2);
      if (most < 3) return;
      pen.fillStyle = name.charAt(0) === '#' ? name : colour(name);
      pen.fillText(text.length > most ? text.slice(0, most - 1) + '…' : text, at, y);
    }

    function axis() {
      var rough = (to - from) / Math.max(2, (width() - left()) / 130), step = Math.pow(10, Math.floor(Math.log10(rough)));
      step *= rough / step > 5 ? 10 : rough / step > 2 ? 5 : rough / step > 1 ? 2 : 1;
      for (var t = Math.ceil(from / step) * step; t <= to; t += step) {
        pen.fillStyle = colour('hairline');
        pen.fillRect(x(t), 14, 1, canvas.height);
        words((t / 1e6).toFixed(Math.max(0, Math.min(6, 6 - Math.floor(Math.log10(step) + 0.01)))) + ' ms', x(t) + 4, 24, 200, 'muted');
      }
      /* All of the run, and the part that is shown. */
      pen.fillStyle = colour('hairline');
      pen.fillRect(left(), 2, width() - left(), 5);
      pen.fillStyle = colour('link');
      pen.fillRect(left() + from / total * (width() - left()), 2, Math.max(3, (to - from) / total * (width() - left())), 5);
    }

    function marks() {
      data.steps.forEach(function (s) {
        if (s[0] < from || s[0] > to) return;
        pen.fillStyle = colour('muted');
        for (var y = 28; y < top(lanes.length); y += 6) pen.fillRect(x(s[0]), y, 1, 3);
        if (s[2] >= 0) words('step ' + s[2], x(s[0]) + 4, 37, s[1] * (width() - left()) / (to - from) - 6, 'muted');
      });
      pen.globalAlpha = 0.14;
      for (var g = 0; g < data.gaps.length; g += 2) {
        var a = Math.max(left(), x(data.gaps[g])), b = Math.min(width(), x(data.gaps[g] + data.gaps[g + 1]));
        pen.fillStyle = colour('medium');
        if (b > a) pen.fillRect(a, TOP - 2, Math.max(1, b - a), top(lanes.length) - TOP - (row() - ROW));
      }
      pen.globalAlpha = 1;
      for (g = 0; g < data.gaps.length; g += 2) {
        a = Math.max(left(), x(data.gaps[g]));
        b = Math.min(width(), x(data.gaps[g] + data.gaps[g + 1]));
        var text = 'gap ' + (g / 2 + 1) + ', ' + time(data.gaps[g + 1]);
        if (b - a > 6.4 * text.length) words(text, a + 4, 37, b - a, 'medium');
      }
    }

    function boxes(k) {
      var lane = lanes[k], y = top(k), right = width();
      for (var i = firstBehind(lane, from); i < lane.n && lane.start[i] < to; i++) {
        var a = Math.max(left(), x(lane.start[i])), b = Math.min(right, x(lane.end[i]));
        var name = data.names[lane.name[i]], slot = data.kinds[name[1]][0];
        var share = lane.busy[i] / (lane.end[i] - lane.start[i]), h = Math.max(2, BAR * share), w = Math.max(0.6, b - a);
        pen.fillStyle = fillOf(slot);
        pen.globalAlpha = found && !found[lane.name[i]] ? 0.15 : 1;
        pen.fillRect(a, y + BAR - h, w > 3 ? w - 0.5 : w, h);
        if (w > 40 && lane.count[i] === 1 && (!lane.value || share > 0.8) && pen.fillStyle[0] === '#')
          words(lane.value ? valueOf(lane, lane.value[i]) : name[0], a + 4, y + 13, w - 8, luminance(pen.fillStyle) > 0.18 ? '#000000' : '#ffffff');
        if (over && over.lane === k && over.box === i) {
          pen.strokeStyle = colour('text');
          pen.lineWidth = 2;
          pen.strokeRect(a, y, Math.max(2, w), BAR);
        }
      }
    }

    /* The lane that shows what a thread does: of several its calls, else what the host does. */
    function laneOfThread(thread) {
      var host = -1, calls = -1, name = data.threads && data.threads[thread];
      lanes.forEach(function (lane, k) {
        if (lane.raw.of === 'host' && (host < 0 || lane.raw.name === name)) host = k;
        if (calls < 0 && lane.raw.of === 'calls' && lane.raw.name === name) calls = k;
      });
      return host >= 0 && (lanes[host].raw.name === name || calls < 0) ? host : calls;
    }

    /* What a box of the host launches, or where one of the device comes from: [lane, box] of each. */
    function launchesOf(k, i) {
      var lane = lanes[k], found = [], thread = data.threads ? data.threads.indexOf(lane.raw.name) : -1;
      if (lane.call) return isNaN(lane.call[i]) ? found : [[k, i]];
      if (thread < 0 || lane.count[i] > 1 || !/^(host|calls|notes)$/.test(lane.raw.of)) return found;
      lanes.forEach(function (of, at) {
        for (var b = 0; of.call && b < of.n; b++)
          if (of.thread[b] === thread && of.call[b] >= lane.start[i] && of.call[b] < lane.end[i]) found.push([at, b]);
      });
      return found;
    }

    /* From a call to what it launched, at most ARROWS_MOST. */
    function arrows() {
      if (!over || lanes[over.lane].value) return;
      pen.strokeStyle = pen.fillStyle = colour('link');
      pen.lineWidth = 1.5;
      launchesOf(over.lane, over.box).slice(0, ARROWS_MOST).forEach(function (one) {
        var to = lanes[one[0]], host = lanes[over.lane].call ? laneOfThread(to.thread[one[1]]) : over.lane;
        var x0 = x(to.call[one[1]]), x1 = x(to.start[one[1]]), y0 = top(host) + (host > one[0] ? 0 : BAR), y1 = top(one[0]) + (host > one[0] ? BAR : 0);
        if (host < 0 || Math.max(x0, x1) < left() || Math.min(x0, x1) > width()) return;
        var turn = Math.atan2(y1 - y0, x1 - x0);
        pen.beginPath();
        pen.moveTo(x0, y0);
        pen.lineTo(x1, y1);
        pen.stroke();
        pen.beginPath();
        pen.moveTo(x1, y1);
        pen.lineTo(x1 - 8 * Math.cos(turn - 0.4), y1 - 8 * Math.sin(turn - 0.4));
        pen.lineTo(x1 - 8 * Math.cos(turn + 0.4), y1 - 8 * Math.sin(turn + 0.4));
        pen.fill();
      });
    }

    function draw() {
      queued = 0;
      var scale = window.devicePixelRatio || 1, wide = Math.round(canvas.clientWidth * scale);
      if (!wide) return;
      if (canvas.width !== wide) canvas.width = wide;
      var high = Math.round((top(lanes.length) + 2) * scale);
      if (canvas.height !== high) canvas.height = high;
      pen.setTransform(scale, 0, 0, scale, 0, 0);
      pen.clearRect(0, 0, width(), canvas.height);
      pen.font = '11px system-ui, sans-serif';
      axis();
      pen.save();
      pen.beginPath();
      pen.rect(left(), 0, width(), canvas.height);
      pen.clip();
      marks();
      lanes.forEach(function (lane, k) { boxes(k); pen.globalAlpha = 1; });
      if (area) {
        pen.globalAlpha = 0.18;
        pen.fillStyle = colour('link');
        pen.fillRect(x(area[0]), TOP - 2, Math.max(1, x(area[1]) - x(area[0])), top(lanes.length) - TOP);
        pen.globalAlpha = 1;
      }
      arrows();
      pen.restore();
      lanes.forEach(function (lane, k) {
        var above = left() === 0;
        if (k === chosen && document.activeElement === canvas) {
          pen.fillStyle = colour('link');
          pen.fillRect(0, top(k), 3, BAR);
        }
        words(titleOf(lane.raw), 7, above ? top(k) - 4 : top(k) + 13, above ? width() : GUTTER - 12, 'text');
        pen.fillStyle = colour('hairline');
        pen.fillRect(left(), top(k) + BAR, width(), 1);
      });
      canvas.setAttribute('data-from', Math.round(from));
      canvas.setAttribute('data-to', Math.round(to));
      canvas.setAttribute('data-lane', chosen);
    }

    function later() { if (!queued) queued = requestAnimationFrame(draw); }

    /* ---- what is said ---- */

    /* In one file an id is that of the first page that has it; of another it has the page before it. */
    function linkTo(href) {
      if (!document.body.classList.contains('single')) return href;
      var at = href.split('#'), page = at[0].replace(/(-\d+)?\.html$/, '');
      return '#' + (!at[1] ? 'page-' + page : document.getElementById(page + '--' + at[1]) ? page + '--' + at[1] : at[1]);
    }

    /* Where more is said of a box: the row of its kernel, operations of its name, lines of the tree. */
    function placeOf(name) {
      var slot = data.kinds[name[1]][1], single = document.body.classList.contains('single'), q = encodeURIComponent(name[0].replace(/…$/, ''));
      if (name[2]) return [linkTo(name[2]), 'Its kernel'];
      if (single) return null;
      function has(page) { return document.querySelector('.pages a[href="' + page + '"]'); }
      if (slot === 'operator' && has('operations.html')) return ['operations.html#?q=' + q, 'Its operation'];
      if (slot === 'Python' && has('tree.html')) return ['tree.html#find=' + q, 'In the call tree'];
      return null;
    }

    /* What of a lane lies between two times, by name: [name, ns, events], the longest first. */
    function sumsOf(lane, a, b) {
      var by = Object.create(null); /* a name may be that of a member */
      for (var i = firstBehind(lane, a); i < lane.n && lane.start[i] < b; i++) {
        var part = (Math.min(b, lane.end[i]) - Math.max(a, lane.start[i])) / (lane.end[i] - lane.start[i] || 1), name = data.names[lane.name[i]][0];
        by[name] = by[name] || [name, 0, 0];
        by[name][1] += part * lane.busy[i];
        by[name][2] += lane.count[i];
      }
      return Object.keys(by).map(function (name) { return by[name]; }).sort(function (p, q) { return q[1] - p[1]; });
    }

    /* Of a counter its mean. */
    function addMean(lane) {
      var a = area ? area[0] : from, b = area ? area[1] : to, sum = 0, all = 0;
      for (var i = firstBehind(lane, a); i < lane.n && lane.start[i] < b; i++) {
        var part = Math.min(b, lane.end[i]) - Math.max(a, lane.start[i]);
        sum += part * lane.value[i];
        all += part;
      }
      sums.textContent = titleOf(lane.raw) + ', ' + place(a, b - a) + ' to ' + place(b, b - a) + ': ' + (all ? valueOf(lane, sum / all) + ' on average' : 'not recorded');
    }

    /* The sums of the area, or of what is shown, as a table below the picture. */
    function addUp() {
      if (lanes[chosen].value) { addMean(lanes[chosen]); return; }
      var a = area ? area[0] : from, b = area ? area[1] : to, rows = sumsOf(lanes[chosen], a, b), all = 0, n = 0;
      var table = make('table'), head = table.createTHead().insertRow(), body = table.createTBody();
      rows.forEach(function (row) { all += row[1]; n += row[2]; });
      table.createCaption().textContent = titleOf(lanes[chosen].raw) + ', ' + place(a, b - a) + ' to ' + place(b, b - a) + ': ' + n +
        (n === 1 ? ' event, ' : ' events, ') + time(all) + (rows.length > SUMS_MOST ? '; the first ' + SUMS_MOST + ' of ' + rows.length + ' names' : '');
      ['Name', 'Time', 'Share, %', 'Events'].forEach(function (title, k) {
        var cell = head.appendChild(make('th', k ? 'n' : '', title));
        cell.scope = 'col';
      });
      rows.slice(0, SUMS_MOST).forEach(function (row) {
        var line = body.insertRow();
        line.appendChild(make('th', '', row[0])).scope = 'row';
        [time(row[1]), (100 * row[1] / (all || 1)).toFixed(1), String(row[2])].forEach(function (text) { line.appendChild(make('td', 'n', text)); });
      });
      sums.textContent = '';
      sums.appendChild(table);
    }

    /* ---- the address: the part that is shown, and the lane ---- */

    function digits(ns) { return String(Number((ns / 1e6).toFixed(6))); }

    function keep() {
      clearTimeout(keeping);
      keeping = setTimeout(function () {
        var whole = to - from >= total, lane = lanes[chosen].raw;
        if (whole && !base.told('t')) return;
        base.goesTo(whole ? '' : 't=' + digits(from) + '-' + digits(to) + (chosen ? ',' + lane.of + '=' + encodeURIComponent(lane.name) : ''), GAP.test(location.hash) || base.told('find'));
      }, KEEP_MS);
    }

    function fromAddress() {
      var t = /^([\d.]+)-([\d.]+)$/.exec(base.told('t'));
      clearTimeout(keeping);
      lanes.forEach(function (lane, k) {
        if (base.told(lane.raw.of) === lane.raw.name && (!lane.raw.depth || lane.raw.depth === 1)) chosen = k;
      });
      if (t) set(1e6 * t[1], 1e6 * t[2]);
      else set(0, total);
      clearTimeout(keeping);
    }

    /* What is recorded of a box besides its time: the operation, its arguments, the launch. */
    function argumentsOf(k, i) {
      var lane = lanes[k], all = [];
      if (lane.call) {
        var op = data.ops[lane.op[i]], late = lane.start[i] - lane.call[i];
        if (op) all.push(op[0] + (op[1] ? ' ' + op[1] : ''));
        if (lane.shape[i] >= 0) all.push(data.shapes[lane.shape[i]]);
        if (!isNaN(late)) all.push('starts ' + time(Math.abs(late)) + (late < 0 ? ' before' : ' after') + ' its launch' + (data.threads.length > 1 ? ' by ' + data.threads[lane.thread[i]] : ''));
        return all;
      }
      var launched = launchesOf(k, i), sum = 0;
      launched.forEach(function (one) { sum += lanes[one[0]].busy[one[1]]; });
      if (launched.length) all.push('launches ' + launched.length + (launched.length === 1 ? ' device event, ' : ' device events, ') + time(sum) +
        (launched.length > ARROWS_MOST ? '; arrows to the first ' + ARROWS_MOST : ''));
      return all;
    }

    /* The nodes stay, as new ones would make a large page judge all its rules again. */
    function tell() {
      if (!over) {
        said[0].data = place(from, to - from) + ' to ' + place(to, to - from) + ' (' + time(to - from) + ')';
        said[1].data = said[2].data = said[3].data = '';
        row_of.hidden = op_of.hidden = true;
        return;
      }
      var lane = lanes[over.lane], i = over.box, name = data.names[lane.name[i]], many = lane.count[i] > 1;
      said[0].data = place(lane.start[i], to - from) + ' · ' + titleOf(lane.raw) + ' · ' +
        (many ? lane.count[i] + ' events merged, ' + time(lane.busy[i]) + ' in ' : '') + time(lane.end[i] - lane.start[i]) + ' · ';
      said[1].data = lane.value ? valueOf(lane, lane.value[i]) : name[0];
      said[2].data = (many ? ', the longest: ' + time(lane.longest[i]) : '') + ' · ' + data.kinds[name[1]][1] + ' ';
      var where = placeOf(name);
      row_of.hidden = !where;
      if (where) { row_of.href = where[0]; row_of.textContent = where[1]; }
      var of = lane.call && data.ops[lane.op[i]], told = argumentsOf(over.lane, i).join(' · ');
      op_of.hidden = !of;
      if (of) op_of.href = linkTo(of[2]);
      said[3].data = told ? ' · ' + told : '';
    }

    function show(lane, i) {
      over = lane >= 0 && lane < lanes.length && i >= 0 && i < lanes[lane].n ? { lane: lane, box: i } : null;
      tell();
      later();
    }

    /* The box at a place, or the nearest within three pixels. */
    function boxAt(lane, px) {
      var at = ns(px), near = ns(px + 3) - at, of = lanes[lane];
      if (!of) return -1;
      var i = firstBehind(of, at);
      if (i < of.n && of.start[i] <= at) return i;
      if (i < of.n && of.start[i] - at <= near) return i;
      return i > 0 && at - of.end[i - 1] <= near ? i - 1 : -1;
    }

    function laneAt(y) { return Math.floor((y - TOP) / row()); }

    /* ---- moving ---- */

    function set(a, b) {
      var length = Math.min(total, Math.max(LEAST_NS, b - a));
      from = Math.min(Math.max(0, a), total - length);
      to = from + length;
      tell();
      later();
      keep();
    }

    function go(a, b) {
      cancelAnimationFrame(moving);
      if (still.matches) { set(a, b); return; }
      var began = performance.now(), a0 = from, b0 = to;
      (function next() {
        var share = Math.min(1, (performance.now() - began) / MOVE_MS);
        set(a0 + (a - a0) * share, b0 + (b - b0) * share);
        if (share < 1) moving = requestAnimationFrame(next);
      })();
    }

    /* `at` keeps its place. */
    function zoom(factor, at, move) {
      var length = Math.min(total, Math.max(LEAST_NS, (to - from) * factor)), share = (at - from) / (to - from);
      var a = Math.min(Math.max(0, at - share * length), total - length);
      move(a, a + length);
    }

    function middle() { return (from + to) / 2; }
    function pan(share) { var by = (to - from) * share; by = Math.min(total - to, Math.max(-from, by)); go(from + by, to + by); }
    function all() { over = null; go(0, total); }

    /* To the box before or behind the one that is told, or the middle. */
    function step(by) {
      var lane = lanes[chosen], i = over && over.lane === chosen ? over.box + by : firstBehind(lane, middle());
      if (i < 0 || i >= lane.n) return;
      var length = to - from, a = (lane.start[i] + lane.end[i]) / 2 - length / 2;
      show(chosen, i);
      if (lane.start[i] < from || lane.end[i] > to) go(Math.min(Math.max(0, a), total - length), Math.min(Math.max(0, a), total - length) + length);
    }

    function choose(by) {
      chosen = Math.min(lanes.length - 1, Math.max(0, chosen + by));
      var i = Math.min(lanes[chosen].n - 1, firstBehind(lanes[chosen], middle()));
      show(chosen, i);
    }

    function around(a, length) { go(a - length * 0.15, a + length * 1.15); }

    var keys = {
      ArrowLeft: function (e) { if (e.shiftKey) step(-1); else pan(-0.15); },
      ArrowRight: function (e) { if (e.shiftKey) step(1); else pan(0.15); },
      ArrowUp: function () { choose(-1); },
      ArrowDown: function () { choose(1); },
      '+': function () { zoom(0.5, middle(), go); },
      '=': function () { zoom(0.5, middle(), go); },
      '-': function () { zoom(2, middle(), go); },
      Home: all,
      Enter: function () { if (over) around(lanes[over.lane].start[over.box], lanes[over.lane].end[over.box] - lanes[over.lane].start[over.box]); },
      Escape: function () { pinned = false; area = null; sums.textContent = ''; show(-1, -1); }
    };

    canvas.addEventListener('keydown', function (event) {
      if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
      keys[event.key](event);
      event.preventDefault();
    });

    /* The wheel is the page's until the view is used. */
    canvas.addEventListener('wheel', function (event) {
      var pinched = event.ctrlKey || event.metaKey, sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
      if (!pinched && document.activeElement !== canvas) return;
      if (!sideways && event.deltaY > 0 && to - from >= total) return;
      event.preventDefault();
      cancelAnimationFrame(moving);
      var by = (sideways && !event.deltaX ? event.deltaY : event.deltaX) * (to - from) / width();
      if (sideways && !pinched) set(from + by, to + by);
      else zoom(Math.pow(1.0025, Math.max(-400, Math.min(400, event.deltaY * (event.deltaMode ? 16 : 1)))), ns(event.offsetX), set);
    }, { passive: false });

    function spread() {
      var at = Object.keys(fingers).map(function (id) { return fingers[id]; });
      return at.length < 2 ? null : { middle: (at[0] + at[1]) / 2, apart: Math.max(8, Math.abs(at[0] - at[1])) };
    }

    canvas.addEventListener('pointerdown', function (event) {
      if (event.button !== 0) return;
      cancelAnimationFrame(moving);
      fingers[event.pointerId] = event.offsetX;
      canvas.setPointerCapture(event.pointerId);
      pinch = spread();
      canvas.focus({ preventScroll: true });
      var lane = laneAt(event.offsetY);
      if (lanes[lane]) chosen = lane;
      if (event.shiftKey) area = [ns(event.offsetX), ns(event.offsetX)];
      show(lane, boxAt(lane, event.offsetX));
      pinned = Boolean(over);
    });
    canvas.addEventListener('pointermove', function (event) {
      var was = fingers[event.pointerId], px = event.offsetX;
      if (was === undefined) {
        var lane = laneAt(event.offsetY);
        if (!pinned) show(lane, boxAt(lane, px));
        return;
      }
      if (event.shiftKey && area) {
        area[1] = ns(px);
        later();
        return;
      }
      fingers[event.pointerId] = px;
      var now = spread();
      if (now && pinch) {
        var at = ns(pinch.middle), length = Math.max(LEAST_NS, Math.min(total, (to - from) * pinch.apart / now.apart));
        var a = at - (now.middle - left()) / (width() - left()) * length;
        pinch = now;
        set(a, a + length);
        return;
      }
      var by = (was - px) * (to - from) / (width() - left());
      set(from + by, to + by);
    });
    ['pointerup', 'pointercancel'].forEach(function (name) {
      canvas.addEventListener(name, function (event) {
        delete fingers[event.pointerId];
        pinch = spread();
        if (!area || !event.shiftKey) return;
        area.sort(function (a, b) { return a - b; });
        addUp();
      });
    });
    canvas.addEventListener('pointerleave', function () { if (!pinned && document.activeElement !== canvas) show(-1, -1); });
    canvas.addEventListener('dblclick', function (event) { zoom(0.25, ns(event.offsetX), go); });
    canvas.addEventListener('focus', later);
    canvas.addEventListener('blur', later);

    /* ---- around it ---- */

    function goTo(tools) {
      var label = make('label', '', 'Go to '), list = make('select');
      list.appendChild(make('option', '', 'all of it'));
      for (var g = 0; g < data.gaps.length; g += 2) list.appendChild(make('option', '', 'gap ' + (g / 2 + 1) + ', ' + time(data.gaps[g + 1])));
      data.steps.forEach(function (s, k) { list.appendChild(make('option', '', 'step ' + (s[2] < 0 ? k + 1 : s[2]) + ', ' + time(s[1]))); });
      list.addEventListener('change', function () {
        var k = list.selectedIndex - 1, gaps = data.gaps.length / 2;
        if (k < 0) all();
        else if (k < gaps) around(data.gaps[2 * k], data.gaps[2 * k + 1]);
        else around(data.steps[k - gaps][0], data.steps[k - gaps][1]);
      });
      label.appendChild(list);
      tools.appendChild(label);
    }

    /* Boxes whose names have all the words stay, the others fade; Enter goes to the next one. */
    function find(tools) {
      var field = base.searchField('Find', tools), told = base.status(tools), at = null;
      function next() {
        var best = null;
        lanes.forEach(function (lane, k) {
          for (var i = at && at.lane === k ? at.box + 1 : 0; i < lane.n; i++)
            if (found[lane.name[i]] && (!at || k > at.lane || (k === at.lane && i > at.box))) { best = best || { lane: k, box: i }; return; }
        });
        at = best;
        if (!at) return;
        var lane = lanes[at.lane];
        chosen = at.lane;
        pinned = true;
        show(at.lane, at.box);
        around(lane.start[at.box] - 3 * (lane.end[at.box] - lane.start[at.box]), 7 * (lane.end[at.box] - lane.start[at.box]));
      }
      function look() {
        var words = base.wordsOf(field.value), n = 0, sum = 0;
        at = null;
        found = words.length ? data.names.map(function (name) { return base.hasAll(name[0].toLowerCase(), words); }) : null;
        if (found) lanes.forEach(function (lane) {
          if (lane.value) return;
          for (var i = 0; i < lane.n; i++) if (found[lane.name[i]]) { n += lane.count[i]; sum += lane.busy[i]; }
        });
        told.textContent = found ? n + (n === 1 ? ' event, ' : ' events, ') + time(sum) + (n ? ': Enter goes to the next' : '') : '';
        later();
      }
      field.addEventListener('input', look);
      field.addEventListener('keydown', function (event) { if (event.key === 'Enter' && found) next(); });
      return function (text) { field.value = text; look(); next(); };
    }

    function build() {
      var tools = make('div', 'tools'), stage = make('div', 'tools stage');
      [['Zoom in', function () { zoom(0.5, middle(), go); }], ['Zoom out', function () { zoom(2, middle(), go); }],
        ['Earlier', function () { pan(-0.5); }], ['Later', function () { pan(0.5); }], ['All', all], ['Sums', addUp]].forEach(function (one) {
        tools.appendChild(button(one[0], one[1]));
      });
      goTo(tools);
      findText = find(tools);
      canvas.tabIndex = 0;
      canvas.setAttribute('role', 'application');
      canvas.setAttribute('aria-label', 'Streams and threads over time');
      help.id = 'lanes-help';
      canvas.setAttribute('aria-describedby', help.id);
      help.textContent = 'Drag to move; pinch, + and −, or the wheel after a click to zoom; double click to zoom in. ↑ ↓ choose a lane, ' +
        'Shift with ← → goes from box to box, Enter fills the view with it, Home shows all, Esc lets go. Drag with Shift to add up an area by name. ' +
        'Arrows lead from a call to what it launches, once one of them is chosen. Shaded: the longest gaps.';
      var name = make('code');
      name.appendChild(said[1]);
      [said[0], name, said[2], row_of, document.createTextNode(' '), op_of, said[3]].forEach(function (node) { readout.appendChild(node); });
      readout.setAttribute('role', 'status');
      stage.appendChild(canvas);
      stage.appendChild(readout);
      stage.appendChild(sums);
      stage.appendChild(help);
      box.appendChild(tools);
      box.appendChild(stage);
    }

    function repaint() { paint = {}; hatch = {}; later(); }

    build();
    tell();
    later();
    function follow() {
      if (base.told('find')) findText(base.told('find'));
      else if (base.told('t') || !location.hash) fromAddress();
    }
    if (location.hash) follow();
    window.addEventListener('hashchange', follow);
    new ResizeObserver(later).observe(canvas);
    document.querySelectorAll('input[name="theme"]').forEach(function (radio) { radio.addEventListener('change', repaint); });
    window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', repaint);
    return {
      showGap: function (k) {
        around(data.gaps[2 * k], data.gaps[2 * k + 1]);
        canvas.focus({ preventScroll: true });
      }
    };
  }

  var box = document.querySelector('.lanes'), shown = null, waiting = [], seen = false;
  if (!box) return;

  function loaded(data) {
    if (data) shown = view(box, data);
    else box.appendChild(make('p', 'tools context', 'The boxes lie in ' + box.getAttribute('data-lanes') + ', which cannot be loaded here.'));
    waiting.forEach(function (then) { if (shown) then(shown); });
    /* What the address leads to moved down when the view came. */
    var target = /^#[a-z-]+$/.test(location.hash) && document.getElementById(location.hash.slice(1));
    if (target && box.compareDocumentPosition(target) & 4 && !seen) base.settled(function () { target.scrollIntoView(); });
    seen = true;
  }

  /* In one file the boxes are here already. */
  function wanted(then) {
    if (shown) { then(shown); return; }
    waiting.push(then);
    if (waiting.length > 1) return;
    if (window.tracefolioLanes) loaded(window.tracefolioLanes);
    else if (box.getAttribute('data-lanes')) base.loadScript(box.getAttribute('data-lanes'), 'tracefolioLanes', loaded);
  }

  /* The longest gaps lead to their place in the view. */
  base.listOf((box.closest('.sheet') || document).querySelectorAll('[id$="t-gaps"] tbody tr > :first-child')).forEach(function (cell, k) {
    var show = button('Show', function () {
      wanted(function (view) {
        view.showGap(k);
        base.settled(function () { box.scrollIntoView({ block: 'start' }); });
      });
    });
    show.className = 'tools copy-name';
    show.setAttribute('aria-label', 'Show gap ' + (k + 1) + ' in the view');
    cell.appendChild(show);
  });

  /* So do links to them from other pages. */
  function followed() {
    var gap = GAP.test(location.hash) && document.getElementById(location.hash.slice(1));
    var show = gap && gap.querySelector('button');
    if (show) show.click();
  }
  window.addEventListener('hashchange', followed);
  followed();
  if (base.told('t') || base.told('find')) wanted(function () { base.settled(function () { box.scrollIntoView({ block: 'start' }); }); });

  new IntersectionObserver(function (seen, watch) {
    if (!seen.some(function (one) { return one.isIntersecting; })) return;
    watch.disconnect();
    wanted(function () { return; });
  }, { rootMargin: '200px' }).observe(box);
})(window.tracefolio);
