-- softmax_model.lua - FLOP and bytes of softmax: what a model file looks like.
--
--   tracefolio analyze TRACE -p MI300X --extension softmax_model.lua
--
-- It takes the place of the model built in, which the tables of perf_report_csvs leave out
-- to stay as the reference has them; figures of an extension stand in those as well.

model {
  op = "aten::_softmax", -- _softmax(input, dim, half_to_float)
  category = "reduce",
  unit = "vector",
  cost = function(call)
    local n = numel(call, 1)
    local read = element_bytes(call, 1)
    local write = concrete_true(call, 3) and 4 or read -- half_to_float: fp32 comes out
    return {
      flop = 5 * n, -- maximum, subtract, exponential, sum, divide
      byte = n * (read + write),
      precision = precision(call, 1),
      params = {elements = n, row = dim(call, 1, -1)},
    }
  end,
}

model {
  op = "aten::_softmax_backward_data", -- (grad_output, output, dim, input_dtype)
  category = "reduce",
  unit = "vector",
  cost = function(call)
    local n = numel(call, 1)
    return {
      flop = 4 * n, -- two products, sum, subtract
      byte = n * (2 * element_bytes(call, 1) + element_bytes(call, 2)),
      precision = precision(call, 1),
      params = {elements = n, row = dim(call, 1, -1)},
    }
  end,
}
