/* triton_bytes.S - the words of triton_words.txt, byte for byte, in read-only memory. */
        .section .rodata
        .globl triton_words_at; triton_words_at: .incbin "src/perf/triton_words.txt"
        .globl triton_words_end; triton_words_end: .byte 0
        .section .note.GNU-stack, "", %progbits
