"""wire_write.py - fields of protobuf messages, for the makers of traces beside it."""
import struct


def varint(n):
    n &= (1 << 64) - 1
    out = bytearray()
    while n >= 0x80:
        out.append(n & 0x7f | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def num(field, n):
    return varint(field << 3) + varint(int(n))


def text(field, s):
    s = s if isinstance(s, bytes) else s.encode('utf-8', 'surrogatepass')
    return varint(field << 3 | 2) + varint(len(s)) + s


def real(field, x):
    return varint(field << 3 | 1) + struct.pack('<d', x)
