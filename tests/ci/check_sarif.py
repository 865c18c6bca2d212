#!/usr/bin/env python3
"""Check SARIF against the classes that python3-sarif-python-om was generated with from the schema
of the standard: every member is known to its object, and those required are there.

    check_sarif.py FILE

Every difference is a line; status 1 if there is one.
"""
import json
import sys

import attr
import sarif_om

# The class of a member that is an object, or of the items of a list; of other members the value
# is plain, or a bag of the writer's own.
OBJECTS = {'runs': 'Run', 'tool': 'Tool', 'driver': 'ToolComponent', 'rules': 'ReportingDescriptor',
           'results': 'Result', 'shortDescription': 'MultiformatMessageString', 'help': 'MultiformatMessageString',
           'message': 'Message', 'description': 'Message', 'locations': 'Location', 'logicalLocations': 'LogicalLocation',
           'physicalLocation': 'PhysicalLocation', 'artifactLocation': 'ArtifactLocation', 'region': 'Region',
           'suppressions': 'Suppression', 'automationDetails': 'RunAutomationDetails'}
BAGS = {'properties': None, 'partialFingerprints': None, 'originalUriBaseIds': 'ArtifactLocation'}


def check(value, name, path):
    known = {a.metadata['schema_property_name']: a.default is attr.NOTHING for a in attr.fields(getattr(sarif_om, name))}
    for key in set(value) - set(known):
        yield f'{path}: a {name} has no {key}'
    for key, required in known.items():
        if required and key not in value:
            yield f'{path}: a {name} needs {key}'
    for key, member in value.items():
        where = f'{path}.{key}'
        if key not in known:
            continue
        if key in BAGS:
            for inner, item in member.items():
                if BAGS[key]:
                    yield from check(item, BAGS[key], f'{where}.{inner}')
        elif isinstance(member, list):
            for i, item in enumerate(member):
                yield from check(item, OBJECTS[key], f'{where}[{i}]')
        elif isinstance(member, dict):
            yield from check(member, OBJECTS[key], where)


def main(path):
    with open(path, encoding='utf-8') as f:
        log = json.load(f)
    wrong = list(check(log, 'SarifLog', 'log'))
    for run in log['runs']:
        rules = [rule['id'] for rule in run['tool']['driver']['rules']]
        for result in run['results']:
            if rules[result['ruleIndex']] != result['ruleId']:
                wrong.append(f'{result["ruleId"]}: its index is that of {rules[result["ruleIndex"]]}')
            if (result['level'] == 'none') == (result['kind'] == 'fail'):
                wrong.append(f'{result["ruleId"]}: level {result["level"]} of a result that is {result["kind"]}')
            for location in result['locations']:
                base = location.get('physicalLocation', {}).get('artifactLocation', {}).get('uriBaseId')
                if base and base not in run['originalUriBaseIds']:
                    wrong.append(f'{base} is not among the bases of the run')
    for line in wrong:
        print(f'{path}: {line}')
    return 1 if wrong else 0


if __name__ == '__main__':
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
