/* base.js - comfort for a page that is whole without it: what the other files share.
 *
 * All files here are sent as one, in the order of their numbers. What they add to a page
 * is in .tools. Nodes are built with createElement and textContent only; classes and
 * properties only. */
window.tracefolio = (function () {
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

  function listOf(nodes) {
    return Array.prototype.slice.call(nodes);
  }

  /* The files lie beside the pages, as scripts that assign one variable: pages from a disk
   * may not read anything else. */
  function loadScript(path, variable, then) {
    var script = make('script');
    script.src = path;
    script.addEventListener('load', function () { then(window[variable]); });
    script.addEventListener('error', function () { then(null); });
    document.head.appendChild(script);
  }

  /* What the address says behind #, as in #t=12.5-18.2,stream=7; and a new address, to which Back
   * returns. */
  function told(key) {
    var found = new RegExp('[#,]' + key + '=([^,]*)').exec(location.hash);
    try { return found ? decodeURIComponent(found[1]) : ''; } catch (ignored) { return ''; }
  }

  function goesTo(text, instead) {
    if (location.hash === (text && '#' + text)) return;
    try { history[instead ? 'replaceState' : 'pushState'](null, '', text ? '#' + text : location.pathname + location.search); } catch (ignored) { return; }
  }

  /* When nothing moves any more: the browser goes to the place in the address on its own, until then. */
  function settled(then) {
    function soon() { requestAnimationFrame(function () { requestAnimationFrame(then); }); }
    if (document.readyState === 'complete') soon();
    else window.addEventListener('load', soon);
  }

  return { told: told, goesTo: goesTo, settled: settled, make: make, remembered: remembered, remember: remember, button: button, searchField: searchField,
    status: status, wordsOf: wordsOf, hasAll: hasAll, listOf: listOf, loadScript: loadScript };
})();
