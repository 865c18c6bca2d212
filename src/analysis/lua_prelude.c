#include "analysis/lua_prelude.h"

#include "analysis/lua_match.h"

#include <lauxlib.h>
#include <lualib.h>

/* Given the libraries as they are, returns the globals of a file. In pieces, since C
 * promises only 4095 bytes to a literal. */
static const char *const prelude[] = {
    "local base, string, table, math, utf8, find, match = ...\n"
    "local error, next, select, type = base.error, base.next, base.select, base.type\n"
    "local min, unpack = math.min, table.unpack\n"
    "\n"
    "-- Stable, and without a pivot drawn by the clock.\n"
    "local function sort(t, less)\n"
    "  less = less or function(a, b) return a < b end\n"
    "  local n, from, to, width = #t, t, {}, 1\n"
    "  while width < n do\n"
    "    for lo = 1, n, 2 * width do\n"
    "      local mid, hi = min(lo + width, n + 1), min(lo + 2 * width, n + 1)\n"
    "      local i, j = lo, mid\n"
    "      for k = lo, hi - 1 do\n"
    "        if i < mid and (j >= hi or not less(from[j], from[i])) then\n"
    "          to[k], i = from[i], i + 1\n"
    "        else\n"
    "          to[k], j = from[j], j + 1\n"
    "        end\n"
    "      end\n"
    "    end\n"
    "    from, to, width = to, from, 2 * width\n"
    "  end\n"
    "  if from ~= t then for k = 1, n do t[k] = from[k] end end\n"
    "end\n"
    "\n"
    "-- Numbers first, ascending, then texts: the order of a hash shows nowhere.\n"
    "local function pairs(t)\n"
    "  local keys, n, i = {}, 0, 0\n"
    "  for k in next, t do\n"
    "    if type(k) ~= 'number' and type(k) ~= 'string' then\n"
    "      error('pairs wants keys that are numbers or texts', 2)\n"
    "    end\n"
    "    n = n + 1\n"
    "    keys[n] = k\n"
    "  end\n"
    "  sort(keys, function(a, b)\n"
    "    if type(a) == type(b) then return a < b end\n"
    "    return type(a) == 'number'\n"
    "  end)\n"
    "  return function()\n"
    "    i = i + 1\n"
    "    if keys[i] ~= nil then return keys[i], t[keys[i]] end\n"
    "  end\n"
    "end\n",
    "local function insert(t, ...)\n"
    "  local at, value = ...\n"
    "  local n = #t + 1\n"
    "  if select('#', ...) == 1 then t[n] = at return end\n"
    "  if at < 1 or at > n then error('insert: no such place', 2) end\n"
    "  for i = n, at + 1, -1 do t[i] = t[i - 1] end\n"
    "  t[at] = value\n"
    "end\n"
    "\n"
    "local function remove(t, at)\n"
    "  local n = #t\n"
    "  at = at or n\n"
    "  local value = t[at]\n"
    "  for i = at, n - 1 do t[i] = t[i + 1] end\n"
    "  if at >= 1 and at <= n then t[n] = nil end\n"
    "  return value\n"
    "end\n"
    "\n"
    "local function rep(s, n, sep)\n"
    "  sep = sep or ''\n"
    "  if not (n <= 65536 and n * (#s + #sep) <= 65536) then error('rep: too long', 2) "
    "end\n"
    "  return string.rep(s, n, sep)\n"
    "end\n"
    "\n"
    "local function byte(s, i, j)\n"
    "  i = i or 1\n"
    "  j = j or i\n"
    "  if i < 0 then i = #s + i + 1 end\n"
    "  if j < 0 then j = #s + j + 1 end\n"
    "  if j - i >= 200 then error('byte: at most 200 at a time', 2) end\n"
    "  return string.byte(s, i, j)\n"
    "end\n"
    "\n"
    "local function unpack_some(t, i, j)\n"
    "  i, j = i or 1, j or #t\n"
    "  if j - i >= 200 then error('unpack: at most 200 at a time', 2) end\n"
    "  return unpack(t, i, j)\n"
    "end\n"
    "\n"
    "-- A table has an address, which is another on every run.\n"
    "local function tostring(v)\n"
    "  local kind = type(v)\n"
    "  if kind == 'table' or kind == 'function' or kind == 'userdata' then\n"
    "    return kind\n"
    "  end\n"
    "  return base.tostring(v)\n"
    "end\n"
    "\n"
    "local function format(f, ...)\n"
    "  for i = 1, select('#', ...) do\n"
    "    local kind = type((select(i, ...)))\n"
    "    if kind ~= 'number' and kind ~= 'string' and kind ~= 'boolean' and\n"
    "      kind ~= 'nil' then\n"
    "      error('format wants texts and numbers, not a ' .. kind, 2)\n"
    "    end\n"
    "  end\n"
    "  if find(f, '%%[-+ #0-9.]*p') then error('format has no %p here', 2) end\n"
    "  return string.format(f, ...)\n"
    "end\n",
    "local function gmatch(s, p)\n"
    "  local at = 1\n"
    "  return function()\n"
    "    if at > #s + 1 then return nil end\n"
    "    local found = {find(s, p, at)}\n"
    "    if not found[1] then at = #s + 2 return nil end\n"
    "    at = found[2] >= found[1] and found[2] + 1 or found[1] + 1\n"
    "    if found[3] == nil then return s:sub(found[1], found[2]) end\n"
    "    return unpack(found, 3)\n"
    "  end\n"
    "end\n"
    "\n"
    "-- %0 to %9 in a text that replaces.\n"
    "local function filled(repl, whole, captures)\n"
    "  local out, at = {}, 1\n"
    "  while at <= #repl do\n"
    "    local c = repl:sub(at, at)\n"
    "    if c == '%' then\n"
    "      at = at + 1\n"
    "      c = repl:sub(at, at)\n"
    "      if c == '0' then c = whole\n"
    "      elseif c ~= '%' then c = captures[base.tonumber(c)] end\n"
    "      if c == nil then error('gsub: invalid capture', 3) end\n"
    "    end\n"
    "    out[#out + 1] = c\n"
    "    at = at + 1\n"
    "  end\n"
    "  return table.concat(out)\n"
    "end\n"
    "\n"
    "local function gsub(s, p, repl, max)\n"
    "  local out, at, count = {}, 1, 0\n"
    "  while at <= #s + 1 and count < (max or #s + 1) do\n"
    "    local found = {find(s, p, at)}\n"
    "    if not found[1] then break end\n"
    "    local first, last = found[1], found[2]\n"
    "    local whole, captures = s:sub(first, last), {unpack(found, 3)}\n"
    "    if captures[1] == nil then captures[1] = whole end\n"
    "    local by\n"
    "    if type(repl) == 'table' then by = repl[captures[1]]\n"
    "    elseif type(repl) == 'function' then by = repl(unpack(captures))\n"
    "    else by = filled(repl, whole, captures) end\n"
    "    count = count + 1\n"
    "    out[#out + 1] = s:sub(at, first - 1)\n"
    "    out[#out + 1] = by or whole\n"
    "    at = last + 1\n"
    "    if last < first then\n"
    "      out[#out + 1] = s:sub(at, at)\n"
    "      at = at + 1\n"
    "    end\n"
    "    if p:sub(1, 1) == '^' then break end\n"
    "  end\n"
    "  out[#out + 1] = s:sub(at)\n"
    "  return table.concat(out), count\n"
    "end\n",
    "-- A figure that is there: not nil, and not the NaN that stands for unknown.\n"
    "local function known(v) return v ~= nil and v == v and v ~= '' end\n"
    "\n"
    "local safe_string = {\n"
    "  byte = byte, char = string.char, find = find, format = format,\n"
    "  gmatch = gmatch, gsub = gsub, len = string.len, lower = string.lower,\n"
    "  match = match, rep = rep, reverse = string.reverse, sub = string.sub,\n"
    "  upper = string.upper}\n"
    "local safe_math = {}\n"
    "for _, name in base.ipairs {'abs', 'ceil', 'exp', 'floor', 'fmod', 'huge',\n"
    "  'log', 'max', 'maxinteger', 'min', 'mininteger', 'modf', 'pi', 'sqrt',\n"
    "  'tointeger', 'type', 'ult'} do\n"
    "  safe_math[name] = math[name]\n"
    "end\n"
    "return {\n"
    "  assert = base.assert, error = error, ipairs = base.ipairs, pairs = pairs,\n"
    "  select = select, tonumber = base.tonumber, tostring = tostring, type = type,\n"
    "  known = known, string = safe_string, math = safe_math,\n"
    "  table = {concat = table.concat, insert = insert, pack = table.pack,\n"
    "    remove = remove, sort = sort, unpack = unpack_some},\n"
    "  utf8 = {char = utf8.char, len = utf8.len, charpattern = utf8.charpattern},\n"
    "}, safe_string\n"};

static void compile(lua_State *L)
{
    luaL_Buffer text;
    luaL_buffinit(L, &text);
    for (size_t i = 0; i < sizeof prelude / sizeof *prelude; i++)
        luaL_addstring(&text, prelude[i]);
    luaL_pushresult(&text);
    size_t n;
    const char *p = lua_tolstring(L, -1, &n);
    if (luaL_loadbufferx(L, p, n, "=prelude", "t") != LUA_OK)
        lua_error(L);
    lua_remove(L, -2);
}

void lua_prelude_open(lua_State *L)
{
    compile(L);
    luaL_requiref(L, "_G", luaopen_base, 0);
    luaL_requiref(L, "string", luaopen_string, 0);
    luaL_requiref(L, "table", luaopen_table, 0);
    luaL_requiref(L, "math", luaopen_math, 0);
    luaL_requiref(L, "utf8", luaopen_utf8, 0);
    lua_pushcfunction(L, lua_match_find);
    lua_pushcfunction(L, lua_match_match);
    lua_call(L, 7, 2);
    /* s:find() goes through the texts' metatable, which gets the safe functions alone:
     * no arithmetic on texts either. */
    lua_newtable(L);
    lua_insert(L, -2);
    lua_setfield(L, -2, "__index");
    lua_pushliteral(L, "");
    lua_insert(L, -2);
    lua_setmetatable(L, -2);
    lua_pop(L, 1);
}
