/* alpu: host nanoseconds per match by the matching store, past entries that don't match: none with
 * wildcards; every other with; none, but the search has some.  Each match is followed by the append
 * that restores the depth; both are in the time. Prints for each depth: plain ns, with wildcards
 * ns, search with wildcards ns. */
#include <nicemu.h>
#include <nicemu/alpu_unit.h>
#include <nicemu/match.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 20000, TIMES = 5, ENTRY = 1 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Every other entry leaves the low 16 bits open, if wildcards are among them. */
static struct nic_match_list *store(unsigned depth, bool wildcards)
{
    struct nic_match_list *a = nic_match_list_new();
    for (unsigned i = 0; a && i <= depth; i++) {
        uint64_t bits = i < depth ? (uint64_t)(2 + i) << 32 : ENTRY;
        if (nic_match_list_append(a, bits, wildcards && i % 2 && i < depth ? 0xffff : 0, i)) {
            nic_match_list_delete(a);
            return NULL;
        }
    }
    return a;
}

/* Rounds are fewer where one takes longer, so that a depth
 * is done in some hundredths of a second. */
static double per_match(unsigned depth, bool wildcards, uint64_t mask)
{
    struct nic_match_list *a = store(depth, wildcards);
    if (!a)
        exit(1);
    unsigned rounds = ROUNDS / (1 + depth / 100);
    double best = 1e18;
    for (int k = 0; k < TIMES; k++) {
        double begin = now();
        for (unsigned i = 0; i < rounds; i++) {
            uint32_t tag;
            if (!nic_match_list_match(a, ENTRY, mask, &tag, NULL)
                || nic_match_list_append(a, ENTRY, 0, tag))
                exit(1);
        }
        double each = (now() - begin) / rounds;
        best = each < best ? each : best;
    }
    nic_match_list_delete(a);
    return best;
}

int main(void)
{
    static const unsigned depths[] = { 0, 1, 10, 30, 100, 300, 1000, 3000, 10000 };
    printf("%8s %10s %10s %10s\n", "depth", "plain", "wildcards", "searched");
    for (unsigned i = 0; i < sizeof depths / sizeof *depths; i++)
        printf("%8u %10.1f %10.1f %10.1f\n", depths[i], per_match(depths[i], false, 0),
               per_match(depths[i], true, 0),
               per_match(depths[i], false, 0xffff));
    return 0;
}
