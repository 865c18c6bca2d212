#include "formats/hlo_module.c"

#include "base/wire_write.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { F32 = 11, BF16 = 16 };

/* A module that is written from the inside out. */
struct file {
    struct out proto, module, computation, instruction, part;
    struct name_pool texts;
    struct hlo_modules hlo;
};

static void file_open(struct file *f)
{
    struct out *const all[] = {&f->proto, &f->module, &f->computation, &f->instruction,
                               &f->part};
    for (int k = 0; k < 5; k++)
        out_memory(all[k]);
    pool_open(&f->texts);
    hlo_open(&f->hlo, &f->texts);
}

static void file_close(struct file *f)
{
    struct out *const all[] = {&f->proto, &f->module, &f->computation, &f->instruction,
                               &f->part};
    for (int k = 0; k < 5; k++)
        out_free(all[k]);
    hlo_close(&f->hlo);
    pool_close(&f->texts);
}

/* Up to two dimensions; 0: none. */
static void begin(struct file *f, int64_t id, const char *name, const char *opcode,
                  uint64_t type, uint64_t a, uint64_t b)
{
    put_number(&f->part, SHAPE_TYPE, type);
    if (a)
        put_number(&f->part, SHAPE_DIMS, a);
    if (b)
        put_number(&f->part, SHAPE_DIMS, b);
    put_text(&f->instruction, NAME, str_of(name));
    put_text(&f->instruction, OPCODE, str_of(opcode));
    put_message(&f->instruction, SHAPE, &f->part);
    put_number(&f->instruction, ID, (uint64_t)id);
}

static void operand(struct file *f, int64_t id)
{
    put_number(&f->instruction, OPERANDS, (uint64_t)id);
}

static void end(struct file *f)
{
    put_message(&f->computation, COMPUTATION_INSTRUCTION, &f->instruction);
}

static void end_computation(struct file *f, int64_t id)
{
    put_number(&f->computation, COMPUTATION_ID, (uint64_t)id);
    put_message(&f->module, MODULE_COMPUTATION, &f->computation);
}

/* A fusion of id + 1, its body in computation `id`, of one instruction. */
static void body(struct file *f, int64_t id, const char *opcode)
{
    begin(f, 100 * id, "inside", opcode, F32, 8, 4);
    end(f);
    end_computation(f, id);
}

static void fusion(struct file *f, int64_t id, const char *name, int64_t of)
{
    begin(f, id, name, "fusion", F32, 4, 8);
    operand(f, 1);
    put_number(&f->instruction, CALLED, (uint64_t)of);
    end(f);
}

static void write_module(struct file *f)
{
    body(f, 5, "transpose");
    body(f, 6, "dynamic-slice");
    begin(f, 1, "x", "parameter", F32, 8, 4);
    end(f);
    begin(f, 2, "w", "parameter", BF16, 4, 16);
    end(f);
    begin(f, 3, "dot.1", "dot", F32, 8, 16);
    operand(f, 1);
    operand(f, 2);
    put_number(&f->part, DOT_LEFT_SUMMED, 1);
    put_message(&f->instruction, DOT_NUMBERS, &f->part);
    end(f);
    fusion(f, 4, "loop_fusion", 5);
    fusion(f, 7, "slicing_fusion", 6);
    begin(f, 8, "cublas-gemm.1", "custom-call", F32, 8, 16);
    operand(f, 1);
    operand(f, 2);
    put_text(&f->instruction, TARGET, S("__cublas$gemm"));
    put_text(&f->instruction, BACKEND_CONFIG,
             S("{\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"1\"]}}"));
    end(f);
    end_computation(f, 9);
    put_message(&f->proto, PROTO_MODULE, &f->module);
}

static void assert_args(struct file *f, const char *name, const char *dims,
                        const char *types, const char *rest)
{
    const struct hlo_args *a = hlo_args_of(&f->hlo, 15, str_of(name));
    assert_non_null(a);
    assert_true(str_eq(pool_text(&f->texts, a->dims), str_of(dims)));
    assert_true(str_eq(pool_text(&f->texts, a->types), str_of(types)));
    assert_true(str_eq(pool_text(&f->texts, a->rest), str_of(rest)));
}

static void sizes_of_operations(void **state)
{
    (void)state;
    struct file f;
    file_open(&f);
    write_module(&f);
    hlo_read(&f.hlo, 15, out_view(&f.proto));
    static const char product[] =
        "{\"Result Dims\":[[8,16]],\"Result type\":[\"float\"],\"summed\":4}";
    assert_args(&f, "dot.1", "[[8,4],[4,16]]", "[\"float\",\"c10::BFloat16\"]",
                product);
    assert_args(&f, "cublas-gemm.1", "[[8,4],[4,16]]", "[\"float\",\"c10::BFloat16\"]",
                product);
    assert_args(&f, "loop_fusion", "[[8,4]]", "[\"float\"]",
                "{\"Result Dims\":[[4,8]],\"Result type\":[\"float\"],\"summed\":0}");
    /* It reads a part of what it is given; and this is no operation of its own. */
    assert_null(hlo_args_of(&f.hlo, 15, S("slicing_fusion")));
    assert_null(hlo_args_of(&f.hlo, 15, S("inside")));
    assert_null(hlo_args_of(&f.hlo, 16, S("dot.1")));
    file_close(&f);
}

/* A collective in a computation of its own, and what starts it. */
static void collectives(void **state)
{
    (void)state;
    struct file f;
    file_open(&f);
    begin(&f, 1, "inside", "reduce-scatter", F32, 16, 0);
    end(&f);
    end_computation(&f, 5);
    begin(&f, 2, "several", "all-reduce", F32, 16, 0);
    end(&f);
    begin(&f, 3, "others", "all-reduce", F32, 16, 0);
    end(&f);
    end_computation(&f, 6);
    static const struct {
        const char *name;
        int64_t of;
    } starts[] = {{"reduce-scatter-start.1", 5}, {"all-reduce-start.1", 6}};
    for (int k = 0; k < 2; k++) {
        begin(&f, 7 + k, starts[k].name, "async-start", F32, 16, 0);
        put_number(&f.instruction, CALLED, (uint64_t)starts[k].of);
        end(&f);
    }
    end_computation(&f, 9);
    put_message(&f.proto, PROTO_MODULE, &f.module);
    hlo_read(&f.hlo, 15, out_view(&f.proto));
    const struct hlo_args *a = hlo_args_of(&f.hlo, 15, S("reduce-scatter-start.1"));
    assert_non_null(a);
    assert_true(str_starts(pool_text(&f.texts, a->collective),
                           S("\"Collective name\":\"reduce-scatter\"")));
    assert_null(hlo_args_of(&f.hlo, 15, S("all-reduce-start.1")));
    assert_non_null(hlo_args_of(&f.hlo, 15, S("others")));
    file_close(&f);
}

/* Cut anywhere: no more than what is whole. */
static void broken_modules(void **state)
{
    (void)state;
    struct file f;
    file_open(&f);
    write_module(&f);
    for (ptrdiff_t n = 0; n < f.proto.n; n++)
        hlo_read(&f.hlo, n, str_head(out_view(&f.proto), n));
    file_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sizes_of_operations),
                                       cmocka_unit_test(collectives),
                                       cmocka_unit_test(broken_modules)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
