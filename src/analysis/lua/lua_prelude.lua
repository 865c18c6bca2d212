-- What a file of patterns finds in its room. Given the libraries as they are, returns the
-- globals of a file, and the functions that texts have.
local base, string, table, math, utf8, find, match = ...
local error, next, select, type = base.error, base.next, base.select, base.type
local min, unpack = math.min, table.unpack

-- Stable, and without a pivot drawn by the clock.
local function sort(t, less)
  less = less or function(a, b) return a < b end
  local n, from, to, width = #t, t, {}, 1
  while width < n do
    for lo = 1, n, 2 * width do
      local mid, hi = min(lo + width, n + 1), min(lo + 2 * width, n + 1)
      local i, j = lo, mid
      for k = lo, hi - 1 do
        if i < mid and (j >= hi or not less(from[j], from[i])) then
          to[k], i = from[i], i + 1
        else
          to[k], j = from[j], j + 1
        end
      end
    end
    from, to, width = to, from, 2 * width
  end
  if from ~= t then for k = 1, n do t[k] = from[k] end end
end

-- Numbers first, ascending, then texts: the order of a hash shows nowhere.
local function pairs(t)
  local keys, n, i = {}, 0, 0
  for k in next, t do
    if type(k) ~= 'number' and type(k) ~= 'string' then
      error('pairs expects keys that are numbers or texts', 2)
    end
    n = n + 1
    keys[n] = k
  end
  sort(keys, function(a, b)
    if type(a) == type(b) then return a < b end
    return type(a) == 'number'
  end)
  return function()
    i = i + 1
    if keys[i] ~= nil then return keys[i], t[keys[i]] end
  end
end

local function insert(t, ...)
  local at, value = ...
  local n = #t + 1
  if select('#', ...) == 1 then t[n] = at return end
  if at < 1 or at > n then error('insert: no such place', 2) end
  for i = n, at + 1, -1 do t[i] = t[i - 1] end
  t[at] = value
end

local function remove(t, at)
  local n = #t
  at = at or n
  local value = t[at]
  for i = at, n - 1 do t[i] = t[i + 1] end
  if at >= 1 and at <= n then t[n] = nil end
  return value
end

local function rep(s, n, sep)
  sep = sep or ''
  if not (n <= 65536 and n * (#s + #sep) <= 65536) then
    error('rep: too long', 2)
  end
  return string.rep(s, n, sep)
end

local function byte(s, i, j)
  i = i or 1
  j = j or i
  if i < 0 then i = #s + i + 1 end
  if j < 0 then j = #s + j + 1 end
  if j - i >= 200 then error('byte: at most 200 at a time', 2) end
  return string.byte(s, i, j)
end

local function unpack_some(t, i, j)
  i, j = i or 1, j or #t
  if j - i >= 200 then error('unpack: at most 200 at a time', 2) end
  return unpack(t, i, j)
end

-- A table has an address, which is another on every run.
local function tostring(v)
  local kind = type(v)
  if kind == 'table' or kind == 'function' or kind == 'userdata' then
    return kind
  end
  return base.tostring(v)
end

local function format(f, ...)
  for i = 1, select('#', ...) do
    local kind = type((select(i, ...)))
    if kind ~= 'number' and kind ~= 'string' and kind ~= 'boolean' and
      kind ~= 'nil' then
      error('format expects texts and numbers, not a ' .. kind, 2)
    end
  end
  if find(f, '%%[-+ #0-9.]*p') then error('format has no %p here', 2) end
  return string.format(f, ...)
end

local function gmatch(s, p)
  local at = 1
  return function()
    if at > #s + 1 then return nil end
    local found = {find(s, p, at)}
    if not found[1] then at = #s + 2 return nil end
    at = found[2] >= found[1] and found[2] + 1 or found[1] + 1
    if found[3] == nil then return s:sub(found[1], found[2]) end
    return unpack(found, 3)
  end
end

-- %0 to %9 in a text that replaces.
local function filled(repl, whole, captures)
  local out, at = {}, 1
  while at <= #repl do
    local c = repl:sub(at, at)
    if c == '%' then
      at = at + 1
      c = repl:sub(at, at)
      if c == '0' then c = whole
      elseif c ~= '%' then c = captures[base.tonumber(c)] end
      if c == nil then error('gsub: invalid capture', 3) end
    end
    out[#out + 1] = c
    at = at + 1
  end
  return table.concat(out)
end

local function gsub(s, p, repl, max)
  local out, at, count = {}, 1, 0
  while at <= #s + 1 and count < (max or #s + 1) do
    local found = {find(s, p, at)}
    if not found[1] then break end
    local first, last = found[1], found[2]
    local whole, captures = s:sub(first, last), {unpack(found, 3)}
    if captures[1] == nil then captures[1] = whole end
    local by
    if type(repl) == 'table' then by = repl[captures[1]]
    elseif type(repl) == 'function' then by = repl(unpack(captures))
    else by = filled(repl, whole, captures) end
    count = count + 1
    out[#out + 1] = s:sub(at, first - 1)
    out[#out + 1] = by or whole
    at = last + 1
    if last < first then
      out[#out + 1] = s:sub(at, at)
      at = at + 1
    end
    if p:sub(1, 1) == '^' then break end
  end
  out[#out + 1] = s:sub(at)
  return table.concat(out), count
end

-- A figure that is there: not nil, and not the NaN that stands for unknown.
local function known(v) return v ~= nil and v == v and v ~= '' end

local safe_string = {
  byte = byte, char = string.char, find = find, format = format,
  gmatch = gmatch, gsub = gsub, len = string.len, lower = string.lower,
  match = match, rep = rep, reverse = string.reverse, sub = string.sub,
  upper = string.upper}
local safe_math = {}
for _, name in base.ipairs {'abs', 'ceil', 'exp', 'floor', 'fmod', 'huge',
  'log', 'max', 'maxinteger', 'min', 'mininteger', 'modf', 'pi', 'sqrt',
  'tointeger', 'type', 'ult'} do
  safe_math[name] = math[name]
end
return {
  assert = base.assert, error = error, ipairs = base.ipairs, pairs = pairs,
  select = select, tonumber = base.tonumber, tostring = tostring, type = type,
  known = known, string = safe_string, math = safe_math,
  table = {concat = table.concat, insert = insert, pack = table.pack,
    remove = remove, sort = sort, unpack = unpack_some},
  utf8 = {char = utf8.char, len = utf8.len, charpattern = utf8.charpattern},
}, safe_string
