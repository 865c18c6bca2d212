/* launcher.c - bin/tracefolio of the portable folder: starts the program beside it with
 * the loader and the libraries beside it, and nothing of the system but its kernel.
 *
 * Without any library itself, so that it runs where there is none. LIB is found from
 * where this file lies, through links, too. The environment goes on untouched: what the
 * program starts (ssh) takes the libraries of the system. */
#include <elf.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/syscall.h>

#define LIB "/lib/tracefolio/"
enum { PATH_BYTES = 4096, OWN_ARGUMENTS = 7 };

#if defined __x86_64__
__asm__(".globl _start\n_start: xor %ebp, %ebp\n mov %rsp, %rdi\n and $-16, %rsp\n"
        " call launch\n hlt");

static long call_kernel(long number, long a, long b, long c, long d)
{
    register long fourth __asm__("r10") = d;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"(number), "D"(a), "S"(b), "d"(c), "r"(fourth)
                     : "rcx", "r11", "memory");
    return result;
}
#elif defined __aarch64__
__asm__(".globl _start\n_start: mov x29, xzr\n mov x0, sp\n bl launch\n brk #1");

static long call_kernel(long number, long a, long b, long c, long d)
{
    register long x8 __asm__("x8") = number, x0 __asm__("x0") = a,
                  x1 __asm__("x1") = b, x2 __asm__("x2") = c, x3 __asm__("x3") = d;
    __asm__ volatile("svc #0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3)
                     : "memory");
    return x0;
}
#else
#error "launcher.c: the calls of this processor are not written"
#endif

static long length(const char *text)
{
    long n = 0;
    while (text[n])
        n++;
    return n;
}

/* Behind what the path holds; too long a path is cut, and then not found. */
static long append(char path[PATH_BYTES], long n, const char *text)
{
    while (*text && n < PATH_BYTES - 1)
        path[n++] = *text++;
    path[n] = '\0';
    return n;
}

/* The path of this program: as the kernel knows it, or as it was started where there is
 * no /proc. */
static long own_path(char path[PATH_BYTES], char **environment)
{
    long n = call_kernel(SYS_readlinkat, AT_FDCWD, (long)"/proc/self/exe", (long)path,
                         PATH_BYTES - 1);
    if (n > 0)
        return n;
    while (*environment)
        environment++;
    for (const Elf64_auxv_t *a = (const Elf64_auxv_t *)(environment + 1);
         a->a_type != AT_NULL; a++)
        if (a->a_type == AT_EXECFN)
            return append(path, 0, (const char *)a->a_un.a_val);
    return 0;
}

static void exit_with(const char *line)
{
    call_kernel(SYS_write, 2, (long)line, length(line), 0);
    call_kernel(SYS_exit_group, 1, 0, 0, 0);
}

__attribute__((used)) void launch(long *stack)
{
    long argc = stack[0];
    char **argv = (char **)(stack + 1), **environment = argv + argc + 1;
    char loader[PATH_BYTES], libraries[PATH_BYTES], program[PATH_BYTES];
    long n = own_path(loader, environment);
    while (n > 0 && loader[n - 1] != '/')
        n--;
    append(loader, n, n ? ".." : "./.."); /* the folder that bin lies in */
    append(libraries, append(libraries, 0, loader), LIB);
    append(program, append(program, 0, libraries), "tracefolio");
    append(loader, length(loader), LIB "ld.so");
    char *arguments[argc + OWN_ARGUMENTS];
    char *const own[OWN_ARGUMENTS] = {loader,    "--inhibit-cache", "--library-path",
                                      libraries, "--argv0",         argv[0],
                                      program};
    for (int k = 0; k < OWN_ARGUMENTS; k++)
        arguments[k] = own[k];
    for (long k = 1; k <= argc; k++) /* NULL too */
        arguments[OWN_ARGUMENTS + k - 1] = argv[k];
    call_kernel(SYS_execve, (long)loader, (long)arguments, (long)environment, 0);
    exit_with("tracefolio: cannot be started: lib/tracefolio is not beside its folder "
              "bin; unpack the whole archive\n");
}
