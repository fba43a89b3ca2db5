/* Balanced factors: a search through the divisors, from the one nearest to the root upwards. */
#include "core/dims.h"

#include <stdbool.h>

enum { DIVISORS_MAX = 1600 };       /* no int has more */

struct search { int divisor[DIVISORS_MAX], count; };

static void find_divisors(struct search *s, int n)
{
    int large = 0, great[DIVISORS_MAX / 2 + 1];
    s->count = 0;
    for (int d = 1; d <= n / d; d++) {
        if (n % d)
            continue;
        s->divisor[s->count++] = d;
        if (d != n / d)
            great[large++] = n / d;
    }
    while (large)
        s->divisor[s->count++] = great[--large];
}

/* Whether `factors` numbers of at most d can have the product n. */
static bool reaches(int d, int factors, int n)
{
    long long product = 1;
    for (int i = 0; i < factors && product < n; i++)
        product *= d;
    return product >= n;
}

/* The first divisor that is large enough for the greatest of `factors` factors of n. */
static int first_candidate(const struct search *s, int n, int factors)
{
    int low = 0, high = s->count - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (reaches(s->divisor[middle], factors, n))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Writes the best factors of n that are no greater than `most`; false: there are none. */
static bool split(const struct search *s, int n, int factors, int most, int *factor)
{
    if (!factors)
        return n == 1;
    for (int i = first_candidate(s, n, factors); i < s->count && s->divisor[i] <= most; i++) {
        int d = s->divisor[i];
        if (n % d || !split(s, n / d, factors - 1, d, factor + 1))
            continue;
        *factor = d;
        return true;
    }
    return false;
}

void mpi_dims_balance(int n, int count, int *factor)
{
    struct search s;
    find_divisors(&s, n);
    while (count > 31)              /* no int has so many factors above 1 */
        factor[--count] = 1;
    split(&s, n, count, n, factor);
}
