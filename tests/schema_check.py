#!/usr/bin/env python3
"""Check JSON documents against a JSON Schema: the part of it that ours use.

    schema_check.py SCHEMA FILE...            a file each
    schema_check.py --folder SCHEMAS OUT      every JSON file of an output folder

type, required, properties, additionalProperties, items, enum and minimum. Every difference is a
line; status 1 if there is one, or if a schema says something this does not know.
"""
import gzip
import json
import os
import sys

KNOWN = {'$schema', 'title', 'description', 'type', 'required', 'properties',
         'additionalProperties', 'items', 'enum', 'minimum'}

# The files of an output folder; CATEGORY is a placeholder for a category name.
SYSTEM = ('cpu_idle', 'multi_kernel', 'kernel_fusion')


def type_of(value):
    if value is None:
        return {'null'}
    if isinstance(value, bool):
        return {'boolean'}
    if isinstance(value, (int, float)):
        return {'number', 'integer'} if value == int(value) else {'number'}
    return {{str: 'string', list: 'array', dict: 'object'}[type(value)]}


def check(schema, value, path, wrong):
    unknown = set(schema) - KNOWN
    if unknown:
        wrong.append(f'{path}: the schema says {sorted(unknown)}, which is not checked')
    types = schema.get('type')
    types = [types] if isinstance(types, str) else types
    if types and not type_of(value) & set(types):
        wrong.append(f'{path}: {json.dumps(value)[:60]} is not {" or ".join(types)}')
        return
    if 'enum' in schema and value not in schema['enum']:
        wrong.append(f'{path}: {json.dumps(value)[:60]} is none of {schema["enum"]}')
    if 'minimum' in schema and isinstance(value, (int, float)) and value < schema['minimum']:
        wrong.append(f'{path}: {value} is below {schema["minimum"]}')
    if isinstance(value, dict):
        for key in schema.get('required', []):
            if key not in value:
                wrong.append(f'{path}: {key} is missing')
        more = schema.get('additionalProperties', {})
        for key, item in value.items():
            inner = schema.get('properties', {}).get(key, more)
            if inner is False:
                wrong.append(f'{path}: {key} is not expected')
            else:
                check(inner, item, f'{path}/{key}', wrong)
    if isinstance(value, list) and 'items' in schema:
        for i, item in enumerate(value):
            check(schema['items'], item, f'{path}[{i}]', wrong)


def not_json(word):
    raise ValueError(f'{word} is not JSON')


def load(path):
    with (gzip.open if path.endswith('.gz') else open)(path, 'rt', encoding='utf-8') as f:
        return json.load(f, parse_constant=not_json)


def schema_of(name):
    """The schema's stem for a path inside an output folder, or None."""
    folder, stem = os.path.split(name.removesuffix('.gz').removesuffix('.json'))
    if folder == 'metadata' and stem.endswith('_metadata'):
        return 'category_metadata'
    if folder == 'category_data':
        if stem.endswith('_tree_data'):
            return 'tree_data'
        if stem.endswith('_metrics') and stem[:-len('_metrics')] not in SYSTEM:
            return 'category_metrics'
    return stem if folder in ('', 'metadata', 'category_data') else None


def json_files(out):
    for folder, _, names in sorted(os.walk(out)):
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), out)
            if name.endswith('.json') and schema_of(path) or name == 'capture.json.gz':
                yield path


def main(args):
    if len(args) == 3 and args[0] == '--folder':
        pairs = [(os.path.join(args[1], schema_of(p) + '.schema.json'),
                  os.path.join(args[2], p)) for p in json_files(args[2])]
    elif len(args) >= 2 and args[0] != '--folder':
        pairs = [(args[0], path) for path in args[1:]]
    else:
        sys.exit(__doc__)
    wrong, n = [], 0
    for schema, path in pairs:
        try:
            check(load(schema), load(path), os.path.basename(path) + ':', wrong)
            n += 1
        except (OSError, ValueError) as e:
            wrong.append(f'{path}: {e}')
    for line in wrong[:40]:
        print(line)
    print(f'{n} documents, {len(wrong)} differences')
    sys.exit(1 if wrong or not n else 0)


if __name__ == '__main__':
    main(sys.argv[1:])
