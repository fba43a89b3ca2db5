/* Balanced factors: a search through the divisors, from the one nearest to the root upwards. */
#include "core/dims.h"

#include <stdbool.h>
#include <string.h>

enum { DIVISORS_MAX = 1600, FACTORS_MAX = 31 };     /* no int has more (factors: above 1) */

struct search {
    int divisor[DIVISORS_MAX], divisors;
    int n, factors;
    int factor[FACTORS_MAX];            /* those of the walk, non-increasing */
    int best[FACTORS_MAX], spread;      /* the greatest less the least of the best */
    long long surface;                  /* and what lies at the faces of a grid with these sides */
};

static void find_divisors(struct search *s, int n)
{
    int large = 0, great[DIVISORS_MAX / 2 + 1];
    s->divisors = 0;
    for (int d = 1; d <= n / d; d++) {
        if (n % d)
            continue;
        s->divisor[s->divisors++] = d;
        if (d != n / d)
            great[large++] = n / d;
    }
    while (large)
        s->divisor[s->divisors++] = great[--large];
}

/* d to the power of k, or something greater than `most`. */
static long long power(int d, int k, int most)
{
    long long product = 1;
    for (int i = 0; i < k && product <= most; i++)
        product *= d;
    return product;
}

/* The first divisor that is large enough for the greatest of `factors` factors of n. */
static int first_candidate(const struct search *s, int n, int factors)
{
    int low = 0, high = s->divisors - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (power(s->divisor[middle], factors, n) >= n)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The factors of a whole walk: the best so far, or not. */
static void consider(struct search *s)
{
    const int spread = s->factor[0] - s->factor[s->factors - 1];
    long long surface = 0;
    for (int i = 0; i < s->factors; i++)
        surface += s->n / s->factor[i];
    if (spread > s->spread || (spread == s->spread && surface >= s->surface))
        return;
    s->spread = spread;
    s->surface = surface;
    memcpy(s->best, s->factor, sizeof s->best);
}

/* Whether `factors` factors of n can be so great that with `first` they are as close as the best
 * are. */
static bool close_enough(const struct search *s, int first, int factors, int n)
{
    const int least = first > s->spread ? first - s->spread : 1;
    return power(least, factors, n) <= n;
}

/* All factors of `left`, from place `at` on, that are no greater than `most`. */
static void walk(struct search *s, int at, int left, int most)
{
    const int behind = s->factors - at - 1;
    if (behind < 0) {
        consider(s);
        return;
    }
    for (int i = first_candidate(s, left, behind + 1); i < s->divisors; i++) {
        const int d = s->divisor[i];
        if (d > most || !close_enough(s, at ? s->factor[0] : d, behind, left / d))
            return;
        s->factor[at] = d;
        if (left % d == 0)
            walk(s, at + 1, left / d, d);
    }
}

void mpi_dims_balance(int n, int count, int *factor)
{
    struct search s = { .n = n, .spread = n };
    if (!count)
        return;
    while (count > FACTORS_MAX)
        factor[--count] = 1;
    find_divisors(&s, n);
    s.factors = count;
    walk(&s, 0, n, n);
    memcpy(factor, s.best, (size_t)count * sizeof *factor);
}
