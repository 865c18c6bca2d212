#include "formats/copy_name.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void assert_copy(const char *type, const char *name)
{
    struct event ev;
    event_clear(&ev);
    bool is = copy_of_type(&ev, str_of(type));
    struct str got = ev.name;
    if (is != (ev.role != 0) ||
        (is && role_way(ev.role) != role_way(role_of_name(got))) ||
        is != (name != NULL) || (name && !str_eq(got, str_of(name))))
        fail_msg("%s: '%.*s'", type, STRF(got));
}

static void directions_of_both_spellings(void **state)
{
    (void)state;
    assert_copy("CopyHostToDevice", "Memcpy HtoD (Host -> Device)");
    assert_copy("CopyDeviceToHost", "Memcpy DtoH (Device -> Host)");
    assert_copy("MEMORY_COPY_DEVICE_TO_DEVICE", "Memcpy DtoD (Device -> Device)");
    assert_copy("MEMORY_COPY_HOST_TO_HOST", "Memcpy HtoH (Host -> Host)");
    assert_copy("CopyImage", "Memcpy Unknown (Unknown -> Unknown)");
    assert_copy("CopyToDevice", "Memcpy Unknown (Unknown -> Unknown)");
    assert_copy("KernelExecution", NULL);
    assert_copy("", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(directions_of_both_spellings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
