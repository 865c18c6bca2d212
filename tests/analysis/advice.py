"""Advice by its words: which kinds of advice a report gives, whatever pattern they come from.

A kind is matched in what a finding tells to do and in its title, never in its evidence: facts may
name what advice must not.
"""
import re

KINDS = {
    'pin': r'\bpin\b[^.]*\b(memory|host)|(use|from) pinned (host )?memory',
    'graph': r'\b(record|use|capture)\b[^.;]{0,60}\b(GPU|CUDA|HIP) graph(?!s are)|recorded as a GPU graph|graph capture',
    'compile': r'torch\.compile|\bcompile (the|this) (model|region|layer|module)',
    'fused-attention': r'fused attention (call|path|kernel)|scaled_dot_product_attention|flash-style',
    'fused-experts': r'fused[- ]experts?\b|fuse[^.]*\bexperts\b|experts[^.]*\bone fused\b',
    'buckets': r'\bin (larger )?buckets\b|larger bucket|bucket_cap',
    'all-to-all': r'all-to-all',
    'all-gather': r'all-gather|gather the parameters',
    'pad': r'\bpad\b[^.;]*\b(multiple|align)',
    'precision': r'\bTF32\b|mixed precision|autocast|\b16[- ]bit',
    'channels-last': r'channels[-_ ]last',
    'prefetch': r'prefetch input|overlap host work',
    'shapes': r'record_shapes|record(ing)? shapes',
}


def words_of(finding):
    """What a finding says to do, and its title."""
    told = finding['advice']
    return ' '.join([finding['title'], *(told.values() if isinstance(told, dict) else [told])])


def given(report, kind):
    """Keys of the findings that give it. `kind@category`: of the findings of that category."""
    kind, _, category = kind.partition('@')
    return [f['key'] for f in report['findings']
            if re.search(KINDS[kind], words_of(f), re.IGNORECASE) and category in ('', f['category'])]


def is_kind(kind):
    return kind.partition('@')[0] in KINDS
