#!/usr/bin/env python3
"""Check SARIF against the schema of the standard, and what a schema cannot say.

    check_sarif.py FILE...

Every difference is a line; status 1 if there is one.
"""
import json
import os
import sys

import jsonschema

SCHEMA = os.path.join(os.path.dirname(__file__), 'sarif-2.1.0-rtm.5.json')


def check(schema, log):
    for error in schema.iter_errors(log):
        yield f'{"/".join(map(str, error.absolute_path))}: {error.message}'
    for run in log['runs']:
        rules = [rule['id'] for rule in run['tool']['driver']['rules']]
        for result in run['results']:
            if rules[result['ruleIndex']] != result['ruleId']:
                yield f'{result["ruleId"]}: its index is that of {rules[result["ruleIndex"]]}'
            if (result['level'] == 'none') == (result['kind'] == 'fail'):
                yield f'{result["ruleId"]}: level {result["level"]} of a result that is {result["kind"]}'
            for location in result['locations']:
                base = location.get('physicalLocation', {}).get('artifactLocation', {}).get('uriBaseId')
                if base and base not in run['originalUriBaseIds']:
                    yield f'{base} is not among the bases of the run'


def main(paths):
    wrong = 0
    with open(SCHEMA, encoding='utf-8') as f:
        schema = jsonschema.Draft4Validator(json.load(f))
    for path in paths:
        with open(path, encoding='utf-8') as f:
            for line in check(schema, json.load(f)):
                print(f'{path}: {line}')
                wrong = 1
    return wrong


if __name__ == '__main__':
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
