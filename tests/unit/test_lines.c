/* Copies by lines, in each of the ways that processors differ in: every byte once, none beside, of
 * each length, wherever both ends lie. */
#include "link/lines.c"
#include "loop.h"

enum { MOST = 9 * LINE, GUARD = 2 * LINE };

static unsigned char from[MOST + 2 * GUARD], to[MOST + 2 * GUARD];

/* One that the processor does not have is left out. */
struct way { const char *name; void (*move)(void *, const void *, uint32_t); uint32_t least; };

static unsigned ways(struct way *w)
{
    unsigned n = 0;
    w[n++] = (struct way){ "copy, plain", copy_plain, LINE };
    w[n++] = (struct way){ "take, plain", take_plain, 0 };
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        w[n++] = (struct way){ "copy, AVX2", copy_avx2, LINE };
        w[n++] = (struct way){ "take, AVX2", take_avx2, 0 };
    }
    if (__builtin_cpu_supports("avx512f")) {
        w[n++] = (struct way){ "copy, AVX-512", copy_avx512, LINE };
        w[n++] = (struct way){ "take, AVX-512", take_avx512, 0 };
    }
#endif
    w[n++] = (struct way){ "copy", nic_lines_copy, LINE };
    w[n++] = (struct way){ "take", nic_lines_take, 0 };
    return n;
}

static void move(const struct way *w, uint32_t bytes, unsigned to_at, unsigned from_at)
{
    unsigned char *begin = to + GUARD + to_at;
    memset(to, 0xa5, sizeof to);
    w->move(begin, from + GUARD + from_at, bytes);
    ck_assert_msg(!memcmp(begin, from + GUARD + from_at, bytes), "%s: %u bytes", w->name, bytes);
    unsigned beside = 0;
    for (const unsigned char *p = to; p < to + sizeof to; p++)
        beside += (p < begin || p >= begin + bytes) && *p != 0xa5;
    ck_assert_msg(!beside, "%s: %u bytes and %u beside", w->name, bytes, beside);
}

START_TEST(test_all)
{
    struct way w[8];
    unsigned n = ways(w);
    uint64_t random = loop_seed(1);
    for (size_t i = 0; i < sizeof from; i++)
        from[i] = (unsigned char)loop_random(&random);
    for (unsigned i = 0; i < n; i++)
        for (uint32_t bytes = w[i].least; bytes <= MOST; bytes++) {
            move(&w[i], bytes, 0, 0);
            move(&w[i], bytes, bytes % LINE, 3);
        }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("lines");
    TCase *t = tcase_create("lines");
    tcase_add_test(t, test_all);
    suite_add_tcase(s, t);
    return loop_run(s);
}
