/* Waiting for variables: one, all, any or some of many. */
#include "shmem/wait.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "shmem/error.h"

/* Who sleeps in a barrier is not disturbed.  acquire: who is seen asleep has counted itself before,
 * if it waits for a variable. */
void mpi_shmem_ring(int pe)
{
    const uint32_t *waits = mpi_shmem.waits[pe];
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (!waits || __atomic_load_n(waits, __ATOMIC_RELAXED))
        mpi_door.nic_notify(mpi_shmem.nic, (unsigned)pe);
}

void mpi_shmem_wait(bool (*ready)(void *), const char *(*note)(void *, char *, size_t),
                    void *argument, bool rung)
{
    struct nic_wait wait = { .note = note, .argument = argument, .ready = ready,
                             .polled = !rung };
    if (!mpi_shmem.modelled && ready(argument))
        return;
    uint32_t *waits = mpi_shmem.waits[mpi_shmem.me];
    __atomic_fetch_add(waits, 1, __ATOMIC_SEQ_CST);
    mpi_door.nic_enter(mpi_shmem.nic);
    while (!ready(argument))
        mpi_door.nic_wait_turn(mpi_shmem.nic, &wait);
    mpi_door.nic_leave(mpi_shmem.nic);
    __atomic_fetch_sub(waits, 1, __ATOMIC_RELAXED);
}

/* Programs poll in loops.  Packets are taken in, and on the model clock time goes on; who shall
 * store the variable may need this processor. */
void mpi_shmem_look(void)
{
    enum { LOOKS = 64 };
    static _Thread_local unsigned looks;
    if (!mpi_shmem.local || mpi_shmem.modelled) {
        mpi_door.nic_enter(mpi_shmem.nic);
        mpi_door.nic_step(mpi_shmem.nic);
        mpi_door.nic_leave(mpi_shmem.nic);
    }
    if (++looks % LOOKS == 0)
        sched_yield();
}

/* -- variables */

/* How those of a type are read and shown: bytes, and whether there is a sign. */
struct kind { size_t bytes; bool sign; };

/* Many variables; vector: `values` has one for each, else one for all. */
struct set {
    const char *call;
    struct kind kind;
    const void *vars;
    size_t n;
    const int *status;          /* those that are not 0 are left out; NULL: none */
    int cmp;
    const void *values;
    bool vector;
    size_t next;                /* where the search for any begins */
};

/* acquire: what was stored before the variable is seen behind it */
static uint64_t load(const void *at, struct kind k)
{
    switch (k.bytes) {
    case 2: {
        uint16_t v = __atomic_load_n((const uint16_t *)at, __ATOMIC_ACQUIRE);
        return k.sign ? (uint64_t)(int64_t)(int16_t)v : v;
    }
    case 4: {
        uint32_t v = __atomic_load_n((const uint32_t *)at, __ATOMIC_ACQUIRE);
        return k.sign ? (uint64_t)(int64_t)(int32_t)v : v;
    }
    default:
        return __atomic_load_n((const uint64_t *)at, __ATOMIC_ACQUIRE);
    }
}

static bool compare(uint64_t a, int cmp, uint64_t b, bool sign)
{
    const bool less = sign ? (int64_t)a < (int64_t)b : a < b;
    switch (cmp) {
    case SHMEM_CMP_EQ: return a == b;
    case SHMEM_CMP_NE: return a != b;
    case SHMEM_CMP_GT: return !less && a != b;
    case SHMEM_CMP_LE: return less || a == b;
    case SHMEM_CMP_LT: return less;
    default: return !less;
    }
}

static const char *at(const void *base, size_t i, struct kind k)
{
    return (const char *)base + i * k.bytes;
}

static bool left_out(const struct set *s, size_t i) { return s->status && s->status[i]; }

static uint64_t wanted(const struct set *s, size_t i)
{
    return load(s->vector ? at(s->values, i, s->kind) : s->values, s->kind);
}

static bool holds(const struct set *s, size_t i)
{
    return compare(load(at(s->vars, i, s->kind), s->kind), s->cmp, wanted(s, i), s->kind.sign);
}

static bool nothing(const struct set *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (!left_out(s, i))
            return false;
    return true;
}

static void check(const struct set *s)
{
    SHMEM_ENTER(s->call);
    if (s->cmp < SHMEM_CMP_EQ || s->cmp > SHMEM_CMP_GE)
        mpi_shmem_die(s->call, "%d is no comparison", s->cmp);
}

/* -- what a wait is for */

static bool all_hold(void *argument)
{
    const struct set *s = argument;
    for (size_t i = 0; i < s->n; i++)
        if (!left_out(s, i) && !holds(s, i))
            return false;
    return true;
}

/* The first that holds from `next` on, in a circle; n: none. */
static size_t first(const struct set *s)
{
    for (size_t k = 0; k < s->n; k++) {
        size_t i = (s->next + k) % s->n;
        if (!left_out(s, i) && holds(s, i))
            return i;
    }
    return s->n;
}

static bool any_holds(void *argument)
{
    const struct set *s = argument;
    return first(s) < s->n;
}

static size_t gather(const struct set *s, size_t *indices)
{
    size_t found = 0;
    for (size_t i = 0; i < s->n; i++)
        if (!left_out(s, i) && holds(s, i))
            indices[found++] = i;
    return found;
}

static const char *note(void *argument, char *text, size_t size)
{
    static const char *const names[] = { "", "==", "!=", ">", "<=", "<", ">=" };
    const struct set *s = argument;
    size_t i = 0;
    while (i + 1 < s->n && (left_out(s, i) || holds(s, i)))
        i++;
    int used = snprintf(text, size, s->kind.sign ? "%s: %p is %lld, and shall be %s %lld"
                        : "%s: %p is %llu, and shall be %s %llu", s->call,
                        (const void *)at(s->vars, i, s->kind),
                        (long long)load(at(s->vars, i, s->kind), s->kind), names[s->cmp],
                        (long long)wanted(s, i));
    if (s->n > 1 && used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, ", of %zu variables", s->n);
    return text;
}

/* -- the calls */

/* What a PE stores through shmem_ptr, or MPI puts there, rings no bell. */
static void wait_for(bool (*ready)(void *), struct set *s)
{
    mpi_shmem_wait(ready, note, s, false);
}

static void wait_all(struct set *s)
{
    check(s);
    wait_for(all_hold, s);
}

/* Each in its turn, if several hold all the time. */
static size_t look_any(struct set *s)
{
    static _Thread_local size_t turn;
    s->next = s->n ? turn++ % s->n : 0;
    size_t i = first(s);
    return i < s->n ? i : SIZE_MAX;
}

static size_t wait_any(struct set *s)
{
    check(s);
    if (nothing(s))
        return SIZE_MAX;
    size_t i;
    while ((i = look_any(s)) == SIZE_MAX)
        wait_for(any_holds, s);
    return i;
}

/* What held may have changed back before it is gathered. */
static size_t wait_some(struct set *s, size_t *indices)
{
    size_t found;
    check(s);
    if (nothing(s))
        return 0;
    do
        wait_for(any_holds, s);
    while (!(found = gather(s, indices)));
    return found;
}

static int test_all(struct set *s)
{
    check(s);
    bool all = all_hold(s);
    if (!all || unlikely(mpi_shmem.modelled))
        mpi_shmem_look();
    return all;
}

static size_t test_any(struct set *s)
{
    check(s);
    size_t i = look_any(s);
    if (i == SIZE_MAX || unlikely(mpi_shmem.modelled))
        mpi_shmem_look();
    return i;
}

static size_t test_some(struct set *s, size_t *indices)
{
    check(s);
    size_t found = gather(s, indices);
    if (!found || unlikely(mpi_shmem.modelled))
        mpi_shmem_look();
    return found;
}

#define SET(NAME, T, VARS, N, STATUS, VALUES, VECTOR) \
    struct set s = { .call = "shmem_" #NAME, .kind = { sizeof(T), (T)-1 < (T)1 }, \
                     .vars = VARS, .n = N, .status = STATUS, .cmp = cmp, .values = VALUES, \
                     .vector = VECTOR }

#define ONE(NAME, T, RET, DO) \
    RET pshmem_##NAME(T *ivar, int cmp, T value) \
    { \
        SET(NAME, T, ivar, 1, NULL, &value, false); \
        DO; \
    } \
    SHMEM_ALIAS(NAME);
#define MANY_OF(NAME, T, RET, DO, VALUE, VALUES, VECTOR) \
    RET pshmem_##NAME(T *ivars, size_t nelems, const int *status, int cmp, VALUE) \
    { \
        SET(NAME, T, ivars, nelems, status, VALUES, VECTOR); \
        DO; \
    } \
    SHMEM_ALIAS(NAME);
#define SOME_OF(NAME, T, RET, DO, VALUE, VALUES, VECTOR) \
    RET pshmem_##NAME(T *ivars, size_t nelems, size_t *indices, const int *status, int cmp, \
                      VALUE) \
    { \
        SET(NAME, T, ivars, nelems, status, VALUES, VECTOR); \
        DO; \
    } \
    SHMEM_ALIAS(NAME);
#define MANY(FORM, NAME, T, RET, DO) \
    FORM(NAME, T, RET, DO, T value, &value, false) \
    FORM(NAME##_vector, T, RET, DO, T *values, values, true)

#define TYPED(N, T) \
    ONE(N##_wait_until, T, void, wait_all(&s)) \
    ONE(N##_test, T, int, return test_all(&s)) \
    MANY(MANY_OF, N##_wait_until_all, T, void, wait_all(&s)) \
    MANY(MANY_OF, N##_wait_until_any, T, size_t, return wait_any(&s)) \
    MANY(SOME_OF, N##_wait_until_some, T, size_t, return wait_some(&s, indices)) \
    MANY(MANY_OF, N##_test_all, T, int, return test_all(&s)) \
    MANY(MANY_OF, N##_test_any, T, size_t, return test_any(&s)) \
    MANY(SOME_OF, N##_test_some, T, size_t, return test_some(&s, indices))
SHMEM_SYNC_TYPES(TYPED)
ONE(wait_until, long, void, wait_all(&s))

uint64_t pshmem_signal_wait_until(uint64_t *sig_addr, int cmp, uint64_t value)
{
    const struct kind kind = { sizeof value, false };
    SET(signal_wait_until, uint64_t, sig_addr, 1, NULL, &value, false);
    check(&s);
    uint64_t seen;
    while (!compare(seen = load(sig_addr, kind), cmp, value, false))
        wait_for(all_hold, &s);
    return seen;
}
SHMEM_ALIAS(signal_wait_until);

uint64_t pshmem_signal_fetch(const uint64_t *sig_addr)
{
    SHMEM_ENTER("shmem_signal_fetch");
    if (!mpi_shmem.local)
        mpi_shmem_look();
    return load(sig_addr, (struct kind){ sizeof *sig_addr, false });
}
SHMEM_ALIAS(signal_fetch);

/* Deprecated: until it is something else. */
#define OLD(NAME, T) \
    void pshmem_##NAME(T *ivar, T value) \
    { \
        const int cmp = SHMEM_CMP_NE; \
        SET(NAME, T, ivar, 1, NULL, &value, false); \
        wait_all(&s); \
    } \
    SHMEM_ALIAS(NAME);
#define OLD_TYPED(N, T) OLD(N##_wait, T)
SHMEM_OLD_WAIT_TYPES(OLD_TYPED)
OLD(wait, long)
