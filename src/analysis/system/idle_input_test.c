#include "idle_input.c"

#include "analysis/system/follow_case.h"

/* The first work of a step is a copy to the device, 5 ms after the step began: input.
 * The same before a kernel, or within a step, is the host's. */
static void what_comes_before_the_first_copy_of_a_step_is_input(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        struct follow_case x;
        case_begin(&x.c);
        case_event(&x.c, "user_annotation", "ProfilerStep#1", 1, 0, 100, "");
        case_launch(&x.c, "k0", 5, 10, 10, 1);
        case_event(&x.c, "user_annotation", "ProfilerStep#2", 1, k == 2 ? 6000 : 101,
                   8000, "");
        case_call(&x.c, "cudaMemcpyAsync", 5000, 5, 2);
        case_copy(&x.c,
                  k == 1 ? "Memcpy DtoH (Device -> Pinned)"
                         : "Memcpy HtoD (Pinned -> Device)",
                  5010, 10, 2, 64);
        case_launch(&x.c, "k1", 7000, 7010, 10, 3);
        open_follow(&x);
        assert_int_equal(x.r.pool_ns[POOL_INPUT] > 0, k == 0);
        case_close(&x.c);
    }
}

/* Marked steps that each end by reading results, 5 ms before the first copy of the
 * next: a few numbers for several that were read are scheduled, in the first step, too;
 * a loss and the labels behind it, or a batch of many bytes, are of a loop over inputs.
 */
static void a_server_schedules_by_what_it_read(void **state)
{
    (void)state;
    static const struct {
        int read, sent;
        bool input;
    } cases[] = {{768, 384, false}, {768, 768, false}, {4, 4, true},
                 {8, 8, true},      {768, 1024, true}, {768, 1 << 20, true}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct follow_case x;
        case_begin(&x.c);
        for (int i = 0; i < 3; i++) {
            char name[32];
            double from = 8000 * i;
            snprintf(name, sizeof name, "ProfilerStep#%d", i);
            case_event(&x.c, "user_annotation", name, 1, from, 7990, "");
            case_call(&x.c, "cudaMemcpyAsync", from + 5000, 5, 10 + i);
            case_copy(&x.c, "Memcpy HtoD (Pinned -> Device)", from + 5010, 5, 10 + i,
                      cases[k].sent);
            case_launch(&x.c, "k", from + 5030, from + 5040, 2000, 20 + i);
            case_call(&x.c, "cudaMemcpyAsync", from + 5050, 5, 30 + i);
            case_copy(&x.c, "Memcpy DtoH (Device -> Pinned)", from + 7050, 5, 30 + i,
                      cases[k].read);
        }
        open_follow(&x);
        assert_int_equal(x.r.pool_ns[POOL_INPUT] > 0, cases[k].input);
        case_close(&x.c);
    }
}

/* 5 ms before a copy with which each turn begins: in a loader, or in the step of an
 * optimizer that runs on the host in most of this time, or for a little of it. */
static void an_optimizer_makes_no_input(void **state)
{
    (void)state;
    static const struct {
        const char *frame;
        double us;
        bool input;
    } cases[] = {{"loader.py(9): load", 4000, true},
                 {"deepspeed/ops/adam/cpu_adam.py(104): step", 4000, false},
                 {"deepspeed/ops/adam/cpu_adam.py(104): step", 1500, true}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct follow_case x;
        case_begin(&x.c);
        for (int i = 0; i < 3; i++) {
            double from = 6000 * i;
            case_frame(&x.c, cases[k].frame, from + 200, cases[k].us);
            case_frame(&x.c, "cpu_adam.py(9): group", from + 210, 10);
            case_call(&x.c, "cudaMemcpyAsync", from + 5000, 10, 10 + i);
            case_copy(&x.c, "Memcpy HtoD (Pageable -> Device)", from + 5010, 5, 10 + i,
                      1 << 20);
            case_launch(&x.c, "k", from + 5030, from + 5040, 100, 20 + i);
        }
        open_follow(&x);
        assert_int_equal(x.r.pool_ns[POOL_INPUT] > 0, cases[k].input);
        case_close(&x.c);
    }
}

/* The device is more than a step behind the host, so that steps begin with its work: a
 * copy that it waits for, or a kernel before that copy. */
static void steps_of_a_late_device_have_inputs_too(void **state)
{
    (void)state;
    for (int first = 0; first < 2;
         first++) { /* the copy: first work of a step, or not */
        struct follow_case x;
        case_begin(&x.c);
        for (int k = 0; k < 3; k++) {
            char name[32];
            double from = 30000 * k;
            snprintf(name, sizeof name, "ProfilerStep#%d", k);
            case_event(&x.c, "user_annotation", name, 1, from, 20000, "");
            if (!first)
                case_launch(&x.c, "k", from + 11000, from + 25000, 100, 20 + k);
            case_call(&x.c, "cudaMemcpyAsync", from + 12000, 9000, 2 + k);
            case_copy(&x.c, "Memcpy HtoD (Pageable -> Device)", from + 35000, 10, 2 + k,
                      64);
            case_launch(&x.c, "k", from + 19000, from + 36000, 9000, 10 + k);
        }
        open_follow(&x);
        assert_true(x.c.view.steps.by_device);
        const uint8_t *input = idle_input_find(&x.c.perm, x.c.tmp, &x.t, &x.g);
        int n = 0;
        for (int32_t k = 0; k < x.g.n; k++)
            n += input[k] != INPUT_NONE;
        assert_int_equal(n > 0, first);
        case_close(&x.c);
    }
}

/* A loop that nobody marks: 5 ms of host work, a copy to the device, a kernel. */
struct loop_case {
    const char *kernels[3], *back, *module;
    const char *frame;
    enum input_gap want;
    double reader_us; /* that a function lasts which reads the results; 0: none does */
    int bytes;        /* of each copy to the device */
    double
        module_us; /* before each copy that a module of its own begins; 0: none does */
};

static enum input_gap input_of(const struct loop_case *l)
{
    struct follow_case x;
    case_begin(&x.c);
    if (l->module)
        case_frame(&x.c, l->module, 0, 20000);
    else if (l->frame)
        case_frame(&x.c, l->frame, 0, 20000);
    for (int k = 0; k < 40; k++) /* short gaps before the loop */
        case_launch(&x.c, "first", 100 + 40 * k, 105 + 40 * k, 10, 100 + k);
    for (int k = 0; k < 3; k++) {
        double from = 6000 * k;
        if (l->module_us > 0)
            case_frame(&x.c, "nn.Module: Lookup_0", from + 5000 - l->module_us,
                       l->module_us + 20);
        case_call(&x.c, "cudaMemcpyAsync", from + 5000, 10, 10 + k);
        case_copy(&x.c, "Memcpy HtoD (Pageable -> Device)", from + 5010, 5, 10 + k,
                  l->bytes ? l->bytes : 1 << 20);
        case_launch(&x.c, l->kernels[k], from + 5030, from + 5040, 100, 20 + k);
        if (!l->back)
            continue;
        case_call(&x.c, "cudaMemcpyAsync", from + 5060, 10, 30 + k);
        case_copy(&x.c, l->back, from + 5150, 5, 30 + k, 64);
        if (l->reader_us > 0)
            case_frame(&x.c, "pick.py(9): pick", from + 5050, l->reader_us);
    }
    open_follow(&x);
    const uint8_t *input = idle_input_find(&x.c.perm, x.c.tmp, &x.t, &x.g);
    enum input_gap found = INPUT_NONE;
    for (int32_t k = 0; k < x.g.n; k++)
        found = input[k] > found ? input[k] : found;
    if (found != INPUT_RESULTS) /* the first gap has none before it */
        assert_int_equal(x.r.pool_ns[POOL_INPUT] > 0, found != INPUT_NONE);
    case_close(&x.c);
    return found;
}

#define SAME                                                                           \
    {                                                                                  \
        "conv", "conv", "conv"                                                         \
    }
#define READS "Memcpy DtoH (Device -> Pageable)"
#define LOOP  "infer.py(3): loop"

static const struct loop_case cases[] = {
    {SAME, NULL, NULL, NULL, INPUT_MADE, 0, 0, 0},
    /* weights, each for another layer */
    {{"conv", "gemm", "norm"}, NULL, NULL, NULL, INPUT_NONE, 0, 0, 0},
    /* results are read back: by a loop, or for attention on the host */
    {SAME, READS, NULL, NULL, INPUT_OR_DETOUR, 0, 0, 0},
    {SAME, READS, NULL, LOOP, INPUT_MADE, 0, 0, 0},
    /* a function reads them and works on, for most of the time or a little */
    {SAME, READS, NULL, LOOP, INPUT_RESULTS, 5000, 0, 0},
    {SAME, READS, NULL, LOOP, INPUT_MADE, 2000, 0, 0},
    /* the function copies what it makes of them, or more; it goes on with it */
    {SAME, READS, NULL, LOOP, INPUT_RESULTS, 5970, 64, 0},
    {SAME, READS, NULL, LOOP, INPUT_MADE, 5970, 1 << 20, 0},
    {SAME, READS, NULL, LOOP, INPUT_NONE, 6000, 64, 0},
    /* as many bytes as tokens take, or as pictures do; without results, of a form
     */
    {SAME, READS, NULL, LOOP, INPUT_NONE, 0, 65536, 0},
    {SAME, READS, NULL, LOOP, INPUT_MADE, 0, 65537, 0},
    {SAME, NULL, NULL, NULL, INPUT_MADE, 0, 64, 0},
    {SAME, NULL, "nn.Module: Attention_0", NULL, INPUT_NONE, 0, 0, 0},
};

static void a_loop_without_marks_has_inputs(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_int_equal(input_of(&cases[k]), cases[k].want);
}

/* What was read is of 8 x 32,768 numbers of 4 bytes, and argmax takes 4 ms of as many,
 * or of half: then it is no result. Few numbers are for decisions. */
static void an_operator_works_on_what_was_read(void **state)
{
    (void)state;
    static const struct {
        int64_t bytes;
        int columns;
        enum input_gap want;
    } kinds[] = {{1 << 20, 32768, INPUT_RESULTS},
                 {1 << 20, 16384, INPUT_OR_DETOUR},
                 {65536, 2048, INPUT_OR_DETOUR}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct follow_case x;
        char args[100];
        case_begin(&x.c);
        for (int i = 0; i < 3; i++) {
            double from = 6000 * i;
            case_call(&x.c, "cudaMemcpyAsync", from + 5000, 10, 10 + i);
            case_copy(&x.c, "Memcpy HtoD (Pageable -> Device)", from + 5010, 5, 10 + i,
                      1 << 20);
            case_launch(&x.c, "conv", from + 5030, from + 5040, 100, 20 + i);
            case_call(&x.c, "cudaMemcpyAsync", from + 5060, 10, 30 + i);
            case_copy(&x.c, READS, from + 5150, 5, 30 + i, kinds[k].bytes);
            snprintf(args, sizeof args,
                     "\"Input Dims\":[[8,%d],[]],\"Input type\":[\"float\",\"\"]",
                     kinds[k].columns);
            case_event(&x.c, "cpu_op", "aten::argmax", 1, from + 5200, 4000, args);
        }
        open_follow(&x);
        const uint8_t *input = idle_input_find(&x.c.perm, x.c.tmp, &x.t, &x.g);
        enum input_gap found = INPUT_NONE;
        for (int32_t i = 0; i < x.g.n; i++)
            found = input[i] > found ? input[i] : found;
        assert_int_equal(found, kinds[k].want);
        int32_t reads = 0;
        for (int32_t i = 0; i < x.r.n_groups; i++)
            reads += x.r.groups[i].class == IDLE_CPU_WORK ? x.r.groups[i].n_results : 0;
        assert_int_equal(reads, found == INPUT_RESULTS ? 2 : 0);
        case_close(&x.c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_optimizer_makes_no_input),
        cmocka_unit_test(a_server_schedules_by_what_it_read),
        cmocka_unit_test(what_comes_before_the_first_copy_of_a_step_is_input),
        cmocka_unit_test(steps_of_a_late_device_have_inputs_too),
        cmocka_unit_test(an_operator_works_on_what_was_read),
        cmocka_unit_test(a_loop_without_marks_has_inputs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
