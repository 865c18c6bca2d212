"""job_variant.py FOLDER VARIANT... - rewrites the traces of a made-up job as other recorders write them.

names-by-rank     each rank has names of its own for the groups
one-name          groups for one purpose have one name
no-lists          no group says which ranks it is of
one-number        all collectives of all groups have one number
"""
import glob
import gzip
import json
import sys

for path in glob.glob(sys.argv[1] + '/*.json.gz'):
    with gzip.open(path, 'rt') as f:
        trace = json.load(f)
    events, info = trace['traceEvents'], trace['distributedInfo']
    told = [e['args'] for e in events if 'Process Group Name' in e.get('args', {})]
    for variant in sys.argv[2:]:
        if variant == 'names-by-rank':
            for args in told:
                args['Process Group Name'] += ' of rank %d' % info['rank']
            info.pop('pg_config', None)
        elif variant == 'one-name':
            for args in told:
                args['Process Group Name'] = args['Process Group Description']
        elif variant == 'no-lists':
            for args in told:
                for key in ('Process Group Ranks', 'Global rank start', 'Global rank stride'):
                    args.pop(key, None)
            info.pop('pg_config', None)
        else:
            for e in events:
                args = e.get('args', {})
                if 'Seq' in args:
                    args['Seq'] = 7
                if e.get('name') == 'record_param_comms' and 'Concrete Inputs' in args:
                    args['Concrete Inputs'][1] = '7'
    with gzip.open(path, 'wt', 1) as f:
        json.dump(trace, f)
