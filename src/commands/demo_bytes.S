/* demo_bytes.S - the trace of `tracefolio demo`, made while building (Makefile). */
    .section .rodata
    .globl demo_trace_at, demo_trace_end
demo_trace_at:
    .incbin DEMO_TRACE
demo_trace_end:
    .section .note.GNU-stack,"",%progbits
