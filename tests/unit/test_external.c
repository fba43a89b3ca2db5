/* Instructions that ask something of the world: a loop that has one may end by itself, and is no
 * loop without end for mpirun --check; one without may be. */
#include "check/external.h"
#include "suite.h"

/* With room behind it: up to three bytes of an instruction are looked at. */
struct code { const char *name; unsigned char bytes[8]; };

static void all_are(bool external, const struct code *code, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(check_is_external(code[i].bytes) == external, "%s", code[i].name);
}

START_TEST(external)
{
    static const struct code codes[] = {
        { "syscall", { 0x0f, 0x05 } }, { "sysenter", { 0x0f, 0x34 } }, { "int", { 0xcd, 0x80 } },
        { "int3", { 0xcc } },
        { "rdtsc", { 0x0f, 0x31 } }, { "rdpmc", { 0x0f, 0x33 } }, { "cpuid", { 0x0f, 0xa2 } },
        { "rdtscp", { 0x0f, 0x01, 0xf9 } }, { "rdpru", { 0x0f, 0x01, 0xfd } },
        { "rdrand eax", { 0x0f, 0xc7, 0xf0 } }, { "rdrand rax", { 0x48, 0x0f, 0xc7, 0xf0 } },
        { "rdrand r15d", { 0x41, 0x0f, 0xc7, 0xf7 } }, { "rdrand cx", { 0x66, 0x0f, 0xc7, 0xf1 } },
        { "rdseed eax", { 0x0f, 0xc7, 0xf8 } }, { "rdpid rdi", { 0xf3, 0x0f, 0xc7, 0xff } },
        { "tpause", { 0x66, 0x0f, 0xae, 0xf1 } }, { "umwait", { 0xf2, 0x0f, 0xae, 0xf1 } },
        { "in", { 0xe4, 0x10 } }, { "out", { 0xe7, 0x10 } }, { "in dx", { 0xec } },
        { "out dx", { 0xef } }, { "insb", { 0x6c } }, { "rep outsd", { 0xf3, 0x6f } },
    };

    all_are(true, codes, sizeof codes / sizeof *codes);
}
END_TEST

START_TEST(internal)
{
    static const struct code codes[] = {
        { "cmpxchg8b", { 0x0f, 0xc7, 0x0f } }, { "memory of group 9", { 0x0f, 0xc7, 0x37 } },
        { "xsaveopt", { 0x0f, 0xae, 0x37 } }, { "lfence", { 0x0f, 0xae, 0xe8 } },
        { "mfence", { 0x0f, 0xae, 0xf0 } }, { "sfence", { 0x0f, 0xae, 0xf8 } },
        { "lock cmpxchg", { 0xf0, 0x0f, 0xb1, 0x0f } }, { "nop", { 0x0f, 0x1f, 0x00 } },
        { "imul", { 0x0f, 0xaf, 0xc7 } }, { "bt", { 0x0f, 0xa3, 0xc1 } },
        { "mov", { 0x48, 0x89, 0xc7 } }, { "imul of a byte", { 0x6b, 0xc0, 0x05 } },
        { "jo", { 0x70, 0x00 } }, { "jrcxz", { 0xe3, 0x00 } }, { "call", { 0xe8 } },
        { "jmp", { 0xeb, 0x00 } }, { "ret", { 0xc3 } }, { "leave", { 0xc9 } },
    };

    all_are(false, codes, sizeof codes / sizeof *codes);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("external");
    TCase *t = tcase_create("external");
    tcase_add_test(t, external);
    tcase_add_test(t, internal);
    suite_add_tcase(s, t);
    return suite_run(s);
}
