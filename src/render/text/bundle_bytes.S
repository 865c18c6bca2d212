/* bundle_bytes.S - the files named in bundle.def, byte for byte, in read-only memory. */
        .section .rodata
#define BUNDLE(id, path) BUNDLE_AS(id, path, path)
#define BUNDLE_AS(id, path, on_disk) \
        .globl bundle_##id##_at; bundle_##id##_at: .incbin on_disk; \
        .globl bundle_##id##_end; bundle_##id##_end: .byte 0;
#include "render/text/bundle.def"
        .section .note.GNU-stack, "", %progbits
