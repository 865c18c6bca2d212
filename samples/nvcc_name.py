"""Names of kernels as cu++filt spells them, which Nsight Systems uses, from those of c++filt, which PyTorch's profiler
uses: the same symbol in two spellings. Casts before numbers, `<unnamed>`, lambdas in brackets, `const` in front, a blank
before `*` and `&`, what a function template returns, and T1, T2 for parameters that are template arguments."""
import re

CASTS = {'ul': 'unsigned long', 'u': 'unsigned int', 'l': 'long', '': 'int'}


def parts(text, start):
    """The parts of the list that opens at `start`, and where it closes; commas in brackets are part of them."""
    depth, begin, found = 0, start + 1, []
    for i in range(start, len(text)):
        c = text[i]
        if c in '<({[' and not text.startswith('operator', max(0, i - 8)):
            depth += 1
        elif c in '>)}]' and not (c == '>' and text[i - 1] == '-'):
            depth -= 1
            if depth == 0:
                return found + [text[begin:i].strip()], i
        elif c == ',' and depth == 1:
            found.append(text[begin:i].strip())
            begin = i + 1
    return None, -1


def with_numbers(name):
    """T1 and so on for the parameters of a function template that are its arguments; `void` is only before these."""
    at, paren = name.find('<'), -1
    if not name.startswith('void ') or at < 0:
        return name
    args, close = parts(name, at)
    if args is None or not name.startswith('(', close + 1):
        return name
    paren = close + 1
    params, end = parts(name, paren)
    if params is None or end != len(name) - 1:
        return name
    said = [f'T{args.index(p) + 1}' if p in args and not re.fullmatch(r'[a-z ]+', p) else p for p in params]
    return name[:paren + 1] + ', '.join(said) + ')'


def with_returns(name):
    """`void` before function templates that lambdas are in."""
    at = 0
    while m := re.compile(r'(?:<|, )(?=(?:\w+::|\(anonymous namespace\)::)+\w+<)').search(name, at):
        at = m.end()
        close = parts(name, name.index('<', at))[1]
        if close > 0 and name.startswith('(', close + 1):
            name = name[:at] + 'void ' + name[at:]
    return name


def nvcc_name(name):
    while '> >' in name:
        name = name.replace('> >', '>>')
    name = with_returns(with_numbers(name))
    name = re.sub(r'(?<![\w:>])([A-Za-z_][\w:]*) const([*&])', r'const \1\2', name)
    name = re.sub(r'(?<=[\w>])([*&])(?=[,)>])', r' \1', name)
    name = re.sub(r'(?<=[<,(])( ?)(-?\d+)(ul|u|l|)(?=[,>])', lambda m: f'{m[1]}({CASTS[m[3]]}){m[2]}', name)
    name = re.sub(r'(?<=[<,])( ?)(true|false)(?=[,>])', lambda m: f'{m[1]}(bool){int(m[2] == "true")}', name)
    name = name.replace('(anonymous namespace)', '<unnamed>').replace('operator()', 'operator ()')
    return re.sub(r'\{lambda\(([^()]*)\)#(\d+)\}', r'[lambda(\1) (instance \2)]', name)
