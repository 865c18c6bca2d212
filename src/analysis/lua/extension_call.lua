-- What a model may ask of a call: {name, dims, types, strides, concrete, kernels}.

function quote(name) return '`' .. name:gsub('`', "'") .. '`' end

local nan = 0 / 0

-- Entry i of a list, from its end where i is negative.
local function place(list, i)
  if type(list) ~= 'table' then return nil end
  return list[i < 0 and #list + 1 + i or i]
end

function rank(call, i)
  local s = place(call.dims, i)
  return type(s) == 'table' and #s or nan
end

function dim(call, i, j)
  local d = place(place(call.dims, i), j)
  return type(d) == 'number' and d or nan
end

function numel(call, i)
  local n = 1.0
  local s = place(call.dims, i)
  if type(s) ~= 'table' then return nan end
  for _, d in ipairs(s) do n = n * (type(d) == 'number' and d or nan) end
  return n
end

function dtype(call, i)
  local t = place(call.types, i)
  return type(t) == 'string' and t or ''
end

function element_bytes(call, i) return type_bytes(dtype(call, i)) end

function precision(call, i) return type_precision(dtype(call, i)) end

function concrete(call, i)
  local v = place(call.concrete, i)
  return v == nil and '' or type(v) == 'table' and '' or tostring(v)
end

function concrete_number(call, i) return tonumber(concrete(call, i)) or nan end

function concrete_true(call, i)
  return concrete(call, i):lower() == 'true'
end

function contiguous(call, i)
  local s, st = place(call.dims, i), place(call.strides, i)
  if type(s) ~= 'table' or type(st) ~= 'table' or #s ~= #st then
    return false
  end
  local want = 1
  for k = #s, 1, -1 do
    if s[k] ~= 1 and st[k] ~= want then return false end
    want = want * s[k]
  end
  return true
end
