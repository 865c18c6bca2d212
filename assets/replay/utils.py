"""Rebuild recorded operator calls: read the description, find the operator, make its arguments.

Needs Python 3.8 and PyTorch 1.13, or later versions of both, and nothing else. Nothing is ever
evaluated: names and values of replay_ir.json are data, looked up in PyTorch's own registry.
"""

import copy
import json
import math
import os
import re

import torch

# The profiler's spelling, and the short one, as the attribute of torch.
DTYPES = {
    "float": "float32", "double": "float64", "Half": "float16", "BFloat16": "bfloat16",
    "long int": "int64", "long": "int64", "int": "int32", "short int": "int16", "short": "int16",
    "signed char": "int8", "unsigned char": "uint8", "bool": "bool",
    "Float8_e4m3fn": "float8_e4m3fn", "Float8_e4m3fnuz": "float8_e4m3fnuz",
    "Float8_e5m2": "float8_e5m2", "Float8_e5m2fnuz": "float8_e5m2fnuz",
    "complex<float>": "complex64", "complex<double>": "complex128", "complex<Half>": "complex32",
}
PLACES = ("host", "pinned", None)
INITS = ("normal", "randint", "bernoulli", "zeros", "ones", None)
# What may be missing, and what it is where it is there; a float is a quantity.
OF_A_CALL = {"schema": str, "count": int, "observed": dict, "work": dict}
OF_OBSERVED = {"device": str, "mean_us": float, "min_us": float, "max_us": float, "kernels": list}
OF_WORK = {"flop": float, "byte": float}
OF_A_TENSOR = {"storage_offset": int, "low": int, "high": int}


class ReplayError(Exception):
    """This call cannot be made; the text is one plain line."""


class UnknownOperator(ReplayError):
    """This PyTorch has no operator of that name, or no implementation of it for the device."""


def shown(text, most=300):
    """Text of a trace, fit for a terminal: control characters are made visible."""
    text = str(text)
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return text if len(text) <= most else text[:most - 3] + "..."


# ---- the description --------------------------------------------------------------------------

def _is(value, kind):
    if kind is float:
        return type(value) in (int, float) and 0 <= value < 1e300
    return type(value) is int and abs(value) < 1 << 63 if kind is int else isinstance(value, kind)


def _check_members(of, kinds):
    for key, kind in kinds.items():
        if key in of and not _is(of[key], kind):
            raise ValueError("%s cannot be %s" % (key, shown(json.dumps(of[key]), 40)))


def _check_tensor(spec):
    for key in ("shape", "strides"):
        sizes = spec.get(key)
        if not isinstance(sizes, list) or not all(_is(n, int) and n >= 0 for n in sizes):
            raise ValueError("a tensor's %s is not a list of sizes" % key)
    _check_members(spec, OF_A_TENSOR)
    if len(spec["shape"]) != len(spec["strides"]) or not isinstance(spec.get("dtype"), str):
        raise ValueError("a tensor has no type, or not as many strides as dimensions")
    if spec.get("place") not in PLACES:
        raise ValueError("place %r is not known" % (spec.get("place"),))
    if spec.get("init") not in INITS:
        raise ValueError("init %r is not known" % (spec.get("init"),))


def is_tensor(value):
    return isinstance(value, dict)


def is_tensor_list(value):
    return isinstance(value, list) and bool(value) and all(is_tensor(v) for v in value)


def arguments_of(entry):
    ir = entry["replay_ir"]
    return ir["list_pos_args"] + ir["list_kwargs"]


def tensors_of(entry):
    """Descriptions of all tensors of a call, those in lists too."""
    for arg in arguments_of(entry):
        value = arg["value"]
        for spec in [value] if is_tensor(value) else value if is_tensor_list(value) else []:
            yield spec


def _without_null(value):
    """A member that is null is one that is not there, except that an argument may be None."""
    if isinstance(value, dict):
        return {k: _without_null(v) for k, v in value.items() if v is not None or k == "value"}
    return [_without_null(v) for v in value] if isinstance(value, list) else value


def load_ir(path):
    """The calls in replay_ir.json; ValueError or OSError if it is not one."""
    with open(path, encoding="utf-8") as f:
        entries = _without_null(json.load(f))
    if not isinstance(entries, list) or not entries:
        raise ValueError("not a list of calls")
    for entry in entries:
        try:
            if not isinstance(entry["op_name"], str):
                raise ValueError("a call has no op_name")
            _check_members(entry, OF_A_CALL)
            _check_members(entry.get("observed", {}), OF_OBSERVED)
            _check_members(entry.get("work", {}), OF_WORK)
            for arg in arguments_of(entry):
                arg["arg_name"], arg["arg_type"], arg["value"]
            for spec in tensors_of(entry):
                _check_tensor(spec)
        except (KeyError, TypeError, AttributeError) as e:
            raise ValueError("a call is not complete (%s)" % e) from None
    return entries


# ---- the operator -----------------------------------------------------------------------------

def overloads_of(op_name):
    """All overloads of "ns::op" or "ns::op.overload" that this PyTorch has, in its order."""
    found = re.fullmatch(r"([A-Za-z_]\w*)::([A-Za-z_]\w*)(?:\.(\w+))?", op_name, re.ASCII)
    packet = None
    if found:
        try:
            packet = getattr(getattr(torch.ops, found.group(1)), found.group(2))
        except (AttributeError, RuntimeError):
            packet = None
    if not isinstance(packet, torch._ops.OpOverloadPacket):
        raise UnknownOperator("PyTorch %s has no operator %s" % (torch.__version__, shown(op_name)))
    result = []
    for name in packet.overloads():
        if found.group(3) not in (None, name):
            continue
        try:
            result.append(getattr(packet, name))
        except (AttributeError, RuntimeError):
            pass
    if not result:
        raise UnknownOperator("PyTorch %s has no operator %s" % (torch.__version__, shown(op_name)))
    return result


def _number(text):
    """inf, nan and complex numbers come as text."""
    text = re.sub(r"\.(?=[-+ej]|$)", ".0", text.strip())
    try:
        return float(text)
    except ValueError:
        try:
            return complex(text)
        except ValueError:
            raise ReplayError("%s is not a number" % shown(text)) from None


class _Mismatch(Exception):
    pass


def _convert_scalar(value, kind):
    if kind == "bool" and isinstance(value, bool):
        return value
    if kind in ("int", "SymInt", "ScalarType") and type(value) is int:
        return value
    if kind in ("number", "Scalar"):
        return _number(value) if isinstance(value, str) else value
    if kind in ("float", "complex") and not isinstance(value, bool):
        number = _number(value) if isinstance(value, str) else value
        if kind == "complex" or not isinstance(number, complex):
            return complex(number) if kind == "complex" else float(number)
    raise _Mismatch()


def _convert(value, type_text):
    """A value as the operator takes it; tensors stay descriptions. _Mismatch: it does not."""
    optional = re.fullmatch(r"Optional\[(.*)\]", type_text)
    kind = optional.group(1) if optional else type_text
    items = re.fullmatch(r"List\[(.*)\]", kind)
    if value is None:
        if optional:
            return None
    elif items and isinstance(value, list):
        inner = re.sub(r"^Optional\[(.*)\]$", r"\1", items.group(1))
        if all(is_tensor(v) for v in value):
            if inner == "Tensor" or not value:
                return value
        else:
            return [_convert_scalar(v, inner) for v in value]
    elif optional and value == []:
        return None
    elif is_tensor(value):
        if kind == "Tensor":
            return value
    elif not isinstance(value, list) and not items:
        return _convert_scalar(value, kind)
    raise _Mismatch()


def _bind(entry, overload):
    """Values for the operator's positional and keyword arguments; _Mismatch if they do not fit."""
    schema = overload._schema
    given = arguments_of(entry)
    names = [a.name for a in schema.arguments]
    by_name = entry.get("schema_resolved") and all(
        g["arg_name"] in names for g in given if g["value"] is not None)
    if by_name:
        values = {g["arg_name"]: g for g in given}
    else:
        if len(given) > len(names) and any(g["value"] is not None for g in given[len(names):]):
            raise _Mismatch()
        values = {name: g for name, g in zip(names, given)}
    args, kwargs, missing = [], {}, None
    for a in schema.arguments:
        g = values.get(a.name)
        value = None if g is None else g["value"]
        try:
            value = _convert(value, str(a.type))
        except _Mismatch:
            if value is not None or not a.has_default_value():
                missing = missing or (a.name if value is None else None)
                if value is not None:
                    raise
                continue
            value = a.default_value
        if g is None and a.has_default_value():
            value = a.default_value
        if a.kwarg_only:
            kwargs[a.name] = value
        else:
            args.append(value)
    if missing:
        raise ReplayError("%s: its argument '%s' was not recorded" % (overload._schema.name, missing))
    return args, kwargs


class Call:
    """An overload with its arguments; tensors are descriptions until build()."""

    def __init__(self, overload, args, kwargs):
        self.overload, self.args, self.kwargs = overload, args, kwargs
        self.schema = str(overload._schema)
        self.writes = any(a.alias_info is not None and a.alias_info.is_write
                          for a in overload._schema.arguments)

    def build(self, device, generator, widen=False):
        """The arguments with tensors made; `widen`: float in place of smaller types."""
        def made(value):
            if is_tensor(value):
                return make_tensor(value, device, generator, widen)
            if is_tensor_list(value):
                return [make_tensor(v, device, generator, widen) for v in value]
            return value
        return [made(v) for v in self.args], {k: made(v) for k, v in self.kwargs.items()}


def resolve(entry):
    """The overload that takes the recorded arguments: the recorded signature, else one that fits."""
    wanted = entry.get("schema", "")
    overload = re.match(r"[^(.]*(?:\.(\w+))?\(", wanted)
    same = (overload.group(1) or "default") if overload else None
    candidates = overloads_of(entry["op_name"])
    candidates.sort(key=lambda o: (str(o._schema) != wanted, o._overloadname != same))
    reason = None
    for o in candidates:
        try:
            return Call(o, *_bind(entry, o))
        except _Mismatch:
            pass
        except ReplayError as e:
            reason = reason or e
    raise reason or ReplayError("no overload of %s in PyTorch %s takes the recorded arguments"
                                % (shown(entry["op_name"]), torch.__version__))


# ---- tensors ----------------------------------------------------------------------------------

def dtype_of(name, widen=False):
    attribute = DTYPES.get(name.replace("c10::", ""))
    dtype = getattr(torch, attribute, None) if attribute else None
    if dtype is None:
        raise UnknownOperator("PyTorch %s has no tensor type %s" % (torch.__version__, shown(name)))
    return _SMALL.get(attribute, dtype) if widen else dtype


_SMALL = {"float16": torch.float32, "bfloat16": torch.float32, "float8_e4m3fn": torch.float32,
          "float8_e4m3fnuz": torch.float32, "float8_e5m2": torch.float32,
          "float8_e5m2fnuz": torch.float32, "complex32": torch.complex64}


def is_small_type(name):
    return DTYPES.get(name.replace("c10::", "")) in _SMALL


def elements_of(spec):
    return math.prod(spec["shape"])


def storage_elements(spec):
    """Elements of memory between the first and the last one that shape and strides reach."""
    if 0 in spec["shape"]:
        return spec.get("storage_offset", 0)
    return spec.get("storage_offset", 0) + 1 + sum(
        (n - 1) * s for n, s in zip(spec["shape"], spec["strides"]))


def bytes_of(entry):
    return sum(storage_elements(t) * (8 if "long" in t["dtype"] or "double" in t["dtype"] else 4)
               for t in tensors_of(entry))


def _filled(n, spec, dtype, device, generator):
    init = spec.get("init")
    if init is None:
        return torch.empty(n, dtype=dtype, device=device)
    if init == "zeros":
        return torch.zeros(n, dtype=dtype, device=device)
    if init == "ones":
        return torch.ones(n, device=device).to(dtype)
    if dtype == torch.bool:
        return torch.rand(n, device=device, generator=generator) < 0.5
    if dtype.is_floating_point or dtype.is_complex:
        # Not every device draws small types itself, so they are drawn as float and converted.
        wide = dtype if dtype in (torch.float32, torch.float64, torch.complex64,
                                  torch.complex128) else (
            torch.complex64 if dtype.is_complex else torch.float32)
        return torch.randn(n, dtype=wide, device=device, generator=generator).to(dtype)
    low = spec.get("low", 0)
    high = max(low + 1, min(spec.get("high", 2), torch.iinfo(dtype).max))
    return torch.randint(low, high, (n,), dtype=dtype, device=device, generator=generator)


def make_tensor(spec, device, generator, widen=False):
    """Memory as large as the strides reach, filled, seen through the recorded shape and strides."""
    dtype = dtype_of(spec["dtype"], widen)
    if spec.get("place") and device != "cpu":
        device, generator = "cpu", None  # the host's own, seeded with torch.manual_seed
    flat = _filled(storage_elements(spec), spec, dtype, device, generator)
    if spec.get("place") == "pinned" and torch.cuda.is_available():
        flat = flat.pin_memory()
    return flat.as_strided(spec["shape"], spec["strides"], spec.get("storage_offset", 0))


def is_dense(spec):
    """Whether the strides are those of a new tensor; of a size of 1 they say nothing."""
    step = 1
    for n, stride in zip(reversed(spec["shape"]), reversed(spec["strides"])):
        if n > 1 and stride != step:
            return 0 in spec["shape"]
        step *= n
    return True


def describe(entry):
    """ "self c10::BFloat16[512], dim -1": the arguments in one line."""
    def one(value):
        if is_tensor(value):
            place = " (%s)" % value["place"] if value.get("place") else ""
            strides = "" if is_dense(value) else " strides (%s)" % ", ".join(map(str, value["strides"]))
            return "%s[%s]%s%s" % (value["dtype"], "x".join(map(str, value["shape"])), strides, place)
        if is_tensor_list(value):
            return "[%s]" % ", ".join(map(one, value))
        return json.dumps(value)

    def named(arg):
        text = "default" if arg.get("default") else one(arg["value"])
        return "%s %s%s" % (arg["arg_name"], text, " (assumed)" if arg.get("value_assumed") else "")
    return shown(", ".join(map(named, arguments_of(entry))))


# ---- scaling down -----------------------------------------------------------------------------

def _scaled_strides(shape, strides, new_shape):
    """Strides for smaller sizes: the same order, gaps and broadcasts."""
    new, reach, new_reach = [0] * len(shape), 1, 1
    for d in sorted(range(len(shape)), key=lambda i: strides[i]):
        if strides[d] == 0:
            continue
        new[d] = max(1, round(strides[d] / reach * new_reach))
        reach, new_reach = strides[d] * max(1, shape[d]), new[d] * max(1, new_shape[d])
    return new


def _mapping(entry, limit, order):
    """Equal sizes shrink alike, so that operands that fitted still do: {size: smaller size}."""
    mapping = {}
    shapes = [t["shape"] for t in tensors_of(entry)]
    while True:
        mapped = [[mapping.get(n, n) for n in s] for s in shapes]
        at = max(range(len(shapes)), key=lambda i: math.prod(mapped[i]))
        if math.prod(mapped[at]) <= limit:
            return mapping
        able = [d for d, n in enumerate(mapped[at]) if n > 1]
        d = able[0] if order == "first" else max(able, key=lambda i: mapped[at][i])
        mapping[shapes[at][d]] = mapped[at][d] // 2


def _apply(entry, mapping, scalars):
    entry = copy.deepcopy(entry)
    sizes = {n for t in tensors_of(entry) for n in t["shape"]}
    for t in tensors_of(entry):
        shape = [mapping.get(n, n) for n in t["shape"]]
        t["strides"] = _scaled_strides(t["shape"], t["strides"], shape)
        t["shape"] = shape
        if t.get("init") == "randint" and t.get("high", 2) > 2:
            t["high"] = mapping.get(t["high"], t["high"]) if t["high"] in sizes else 1
    for arg in arguments_of(entry):
        value = arg["value"]
        if type(value) is int and scalars == "all":
            arg["value"] = mapping.get(value, value)
        elif isinstance(value, list) and scalars != "none":
            arg["value"] = [mapping.get(v, v) if type(v) is int else v for v in value]
    return entry


def scaled_down(entry, limit):
    """Variants of a call with no tensor above `limit` elements, the likeliest first; the call
    itself if it is small enough. Which one an operator takes is found by trying."""
    largest = max((elements_of(t) for t in tensors_of(entry)), default=0)
    if not limit or largest <= limit:
        yield entry
        return
    seen = []
    for scalars in ("all", "lists", "none"):
        for order in ("largest", "first"):
            variant = _apply(entry, _mapping(entry, limit, order), scalars)
            if variant not in seen:
                seen.append(variant)
                yield variant
    if largest <= 64 * limit:
        yield entry


def memory_bytes():
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return 1 << 34
