-- What a model may ask of a call: {name, dims, types, strides, concrete, kernels}.

-- Where a text is filled in, a brace begins a placeholder: one of a name is doubled.
function quote(name) return '`' .. name:gsub('`', "'"):gsub('{', '{{') .. '`' end

local nan = 0 / 0

-- Entry i of a list, from its end where i is negative.
local function place(list, i)
  if type(list) ~= 'table' then return nil end
  return list[i < 0 and #list + 1 + i or i]
end

-- A list of tensors has the sizes of each: {{2, 3}, {2, 5}}.
local function is_list(s) return type(s) == 'table' and type(s[1]) == 'table' end

function tensors(call, i)
  local s = place(call.dims, i)
  return is_list(s) and #s or type(s) == 'table' and 1 or nan
end

function rank(call, i)
  local s = place(call.dims, i)
  return type(s) == 'table' and not is_list(s) and #s or nan
end

function dim(call, i, j)
  local d = place(place(call.dims, i), j)
  return type(d) == 'number' and d or nan
end

local function product(s)
  local n = 1.0
  if type(s) ~= 'table' then return nan end
  for _, d in ipairs(s) do n = n * (type(d) == 'number' and d or nan) end
  return n
end

-- Of a list: of all its tensors.
function numel(call, i)
  local s = place(call.dims, i)
  if not is_list(s) then return product(s) end
  local n = 0.0
  for _, one in ipairs(s) do n = n + product(one) end
  return n
end

-- Of a list: of its first tensor, where types are recorded one by one.
function dtype(call, i)
  local t = place(call.types, i)
  if type(t) == 'table' then t = t[1] end
  return type(t) == 'string' and t or ''
end

-- Traces call the type of a list "TensorList": there the kernels' names tell.
function element_bytes(call, i)
  local bytes = type_bytes(dtype(call, i))
  if bytes == bytes or not is_list(place(call.dims, i)) then return bytes end
  for _, k in ipairs(type(call.kernels) == 'table' and call.kernels or {}) do
    local b = kernel_bytes(type(k) == 'string' and k or k.name)
    if b == b then return b end
  end
  return nan
end

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
