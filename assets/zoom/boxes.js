/* boxes.js - the boxes of lanes.js, from the numbers in their file; and how times are told. */
(function (base) {
  'use strict';

  function time(ns) {
    var units = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']];
    for (var k = 0; k < 3 && Math.abs(ns) < units[k][0]; k++);
    var v = ns / units[k][0], digits = k === 3 ? 0 : v < 10 ? 2 : v < 100 ? 1 : 0;
    return v.toFixed(digits) + '\u00a0' + units[k][1];
  }

  /* Where a box is needs more digits than how long it is. */
  function place(ns, window_ns) {
    var digits = Math.max(0, Math.min(6, Math.ceil(7 - Math.log10(Math.max(1, window_ns)))));
    return (ns / 1e6).toFixed(digits) + '\u00a0ms';
  }

  /* The numbers of a lane, each kind in an array of its own; sums as they are told. */
  function laneOf(raw, threads) {
    var n = raw.at.length / 3, end = 0;
    var lane = { raw: raw, n: n, start: new Float64Array(n), end: new Float64Array(n), name: new Int32Array(n),
      busy: new Float64Array(n), count: new Int32Array(n), longest: new Float64Array(n) };
    for (var i = 0; i < n; i++) {
      lane.start[i] = end + raw.at[3 * i];
      lane.end[i] = end = lane.start[i] + raw.at[3 * i + 1];
      lane.name[i] = raw.at[3 * i + 2];
      lane.busy[i] = lane.longest[i] = lane.end[i] - lane.start[i];
      lane.count[i] = 1;
    }
    for (var k = 0, at = 0; k < raw.more.length; k += 4) {
      at += raw.more[k];
      lane.count[at] = raw.more[k + 1];
      lane.busy[at] -= raw.more[k + 2];
      lane.longest[at] = raw.more[k + 3];
    }
    if (raw.calls) comesFrom(lane, raw.calls, threads);
    return lane;
  }

  /* Of each box of one event: when and where it was launched, its operation, its shape. */
  function comesFrom(lane, calls, threads) {
    var each = threads.length > 1 ? 4 : 3;
    lane.call = new Float64Array(lane.n).fill(NaN);
    lane.op = new Int32Array(lane.n).fill(-1);
    lane.shape = new Int32Array(lane.n).fill(-1);
    lane.thread = new Int8Array(lane.n);
    for (var i = 0, k = 0; i < lane.n; i++) {
      if (lane.count[i] > 1) continue;
      if (calls[k] !== null) lane.call[i] = lane.start[i] - calls[k];
      lane.op[i] = calls[k + 1];
      lane.shape[i] = calls[k + 2];
      if (each > 3) lane.thread[i] = calls[k + 3];
      k += each;
    }
  }

  /* A counter is a lane whose boxes are as high as its value; its name is one of those of boxes. */
  function counterOf(raw, data) {
    var values = [], at = raw.at.map(function (v, i) {
      if (i % 3 < 2) return v;
      values.push(v);
      return data.names.length;
    });
    data.names.push([raw.name, data.kinds.length]);
    var lane = laneOf({ of: 'counter', name: raw.name + (raw.device ? ' · GPU ' + raw.device : ''), unit: raw.unit, samples: raw.samples, at: at, more: [] });
    lane.value = values;
    values.forEach(function (v, i) { lane.busy[i] *= Math.max(0, Math.min(1, v / raw.most)); });
    return lane;
  }

  /* Below the streams. */
  function lanesOf(data) {
    var lanes = data.lanes.map(function (raw) { return laneOf(raw, data.threads || []); }), n = lanes.filter(function (lane) { return lane.raw.of === 'stream'; }).length;
    if (!data.counters) return lanes;
    var counters = data.counters.map(function (raw) { return counterOf(raw, data); });
    data.kinds.push(['other', 'counter']);
    return lanes.slice(0, n).concat(counters, lanes.slice(n));
  }

  function valueOf(lane, v) { return Number(v.toPrecision(4)) + (lane.raw.unit ? '\u00a0' + lane.raw.unit : ''); }

  /* The first box that ends behind a time. */
  function firstBehind(lane, at) {
    var low = 0, high = lane.n;
    while (low < high) {
      var mid = (low + high) >> 1;
      if (lane.end[mid] <= at) low = mid + 1;
      else high = mid;
    }
    return low;
  }

  function titleOf(raw) {
    return raw.of === 'stream' || raw.of === 'path' ? raw.name : raw.of === 'counter' ? raw.name + (raw.unit ? ', ' + raw.unit : '') : raw.name + ' · ' + (raw.of === 'host' ? 'what it does' : raw.of === 'notes' ? 'annotations' :
      'level ' + (raw.depth + raw.skipped));
  }

  base.boxes = { time: time, place: place, lanesOf: lanesOf, valueOf: valueOf, firstBehind: firstBehind, titleOf: titleOf };
})(window.tracefolio);
