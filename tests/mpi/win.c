/* Windows as objects: kinds, attributes, names, hints, error handlers, groups, memory that is
 * attached, shared memory; and what wrong use of them and of the calls on them gives. */
#include <stdbool.h>
#include "t.h"

static MPI_Win made(int64_t **mine)
{
    MPI_Win win;
    OK(MPI_Win_allocate(8 * sizeof **mine, sizeof **mine, MPI_INFO_NULL, MPI_COMM_WORLD, mine,
                        &win));
    return win;
}

/* -- attributes */

static void predefined(MPI_Win win, const void *base, MPI_Aint size, int unit, int flavor)
{
    void *at;
    MPI_Aint *bytes;
    int *number, flag;
    OK(MPI_Win_get_attr(win, MPI_WIN_BASE, &at, &flag));
    CHECK(flag && at == base);
    OK(MPI_Win_get_attr(win, MPI_WIN_SIZE, &bytes, &flag));
    CHECK(flag);
    SAME(*bytes, size);
    OK(MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &number, &flag));
    SAME(*number, unit);
    OK(MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &number, &flag));
    SAME(*number, flavor);
    OK(MPI_Win_get_attr(win, MPI_WIN_MODEL, &number, &flag));
    SAME(*number, MPI_WIN_UNIFIED);
}

static int deleted;
static MPI_Win owner;           /* of the value that goes */
static int on_delete(MPI_Win win, int key, void *value, void *extra)
{
    (void)key;
    CHECK(win == owner);
    CHECK(extra == &deleted);
    deleted += *(int *)value;
    return MPI_SUCCESS;
}

static void attributes(void)
{
    int64_t *mine;
    int key, other, flag, value = 5, more = 7, *got;
    MPI_Win win = made(&mine);
    owner = win;
    predefined(win, mine, 64, 8, MPI_WIN_FLAVOR_ALLOCATE);
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, on_delete, &key, &deleted));
    OK(MPI_Win_get_attr(win, key, &got, &flag));
    CHECK(!flag);
    OK(MPI_Win_set_attr(win, key, &value));
    OK(MPI_Win_get_attr(win, key, &got, &flag));
    CHECK(flag && got == &value);
    OK(MPI_Win_set_attr(win, key, &more));
    SAME(deleted, 5);
    OK(MPI_Win_delete_attr(win, key));
    SAME(deleted, 12);
    OK(MPI_Win_set_attr(win, key, &value));
    CLASS(MPI_Win_set_attr(win, MPI_WIN_SIZE, &value), MPI_ERR_KEYVAL);
    CLASS(MPI_Win_get_attr(win, 123456, &got, &flag), MPI_ERR_KEYVAL);
    OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &other, NULL));
    CLASS(MPI_Win_set_attr(win, other, &value), MPI_ERR_KEYVAL);
    OK(MPI_Comm_free_keyval(&other));
    int number = key;
    OK(MPI_Win_free_keyval(&key));
    SAME(key, MPI_KEYVAL_INVALID);
    CLASS(MPI_Win_set_attr(win, number, &more), MPI_ERR_KEYVAL);
    OK(MPI_Win_get_attr(win, number, &got, &flag));
    CHECK(flag && got == &value);
    OK(MPI_Win_free(&win));
    SAME(deleted, 17);
    CHECK(win == MPI_WIN_NULL);
}

/* The key goes with its last value, which the program takes away. */
static void freed_key(MPI_Win win)
{
    int key, flag, value = 5, *got;
    OK(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, on_delete, &key, &deleted));
    int number = key;
    OK(MPI_Win_set_attr(win, key, &value));
    OK(MPI_Win_free_keyval(&key));
    deleted = 0;
    OK(MPI_Win_delete_attr(win, number));
    SAME(deleted, 5);
    CLASS(MPI_Win_get_attr(win, number, &got, &flag), MPI_ERR_KEYVAL);
    CLASS(MPI_Win_delete_attr(win, number), MPI_ERR_KEYVAL);
}

static int refusal;
static int refuse(MPI_Win win, int key, void *value, void *extra)
{
    (void)key, (void)value, (void)extra;
    CHECK(win == owner);
    return refusal;
}

/* The value stays, as does the window. */
static void delete_refused(MPI_Win win)
{
    int key, flag, value, *got;
    MPI_Win same = win;
    OK(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, refuse, &key, NULL));
    OK(MPI_Win_set_attr(win, key, &value));
    refusal = MPI_ERR_ARG;
    CLASS(MPI_Win_delete_attr(win, key), MPI_ERR_ARG);
    refusal = MPI_ERR_INTERN;
    CLASS(MPI_Win_set_attr(win, key, &refusal), MPI_ERR_INTERN);
    CLASS(MPI_Win_free(&same), MPI_ERR_INTERN);
    CHECK(same == win);
    OK(MPI_Win_get_attr(win, key, &got, &flag));
    CHECK(flag && got == &value);
    refusal = MPI_SUCCESS;
    OK(MPI_Win_delete_attr(win, key));
    OK(MPI_Win_free_keyval(&key));
}

static void ends_of_values(void)
{
    int64_t *mine;
    MPI_Win win = owner = made(&mine);
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    freed_key(win);
    delete_refused(win);
    OK(MPI_Win_free(&win));
}

/* -- names, hints, groups, integers */

static void hint_is(MPI_Win win, const char *key, const char *want)
{
    char value[MPI_MAX_INFO_VAL];
    int flag, length = sizeof value;
    MPI_Info info;
    OK(MPI_Win_get_info(win, &info));
    OK(MPI_Info_get_string(info, key, &length, value, &flag));
    if (!flag || strcmp(value, want))
        FAIL("the hint %s is %s, should be %s", key, flag ? value : "not there", want);
    OK(MPI_Info_free(&info));
}

static void give_hint(MPI_Win win, const char *key, const char *value)
{
    MPI_Info info;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, key, value));
    OK(MPI_Win_set_info(win, info));
    OK(MPI_Info_free(&info));
}

/* What a program has not said is as the standard has it; what it says holds until it says something
 * else that makes sense. */
static void hints(void)
{
    static const struct { const char *key, *usual; bool truth; } all[] = {
        { "no_locks", "false", true }, { "accumulate_ordering", "rar,raw,war,waw", false },
        { "accumulate_ops", "same_op_no_op", false }, { "mpi_accumulate_granularity", "0", false },
        { "same_size", "false", true }, { "same_disp_unit", "false", true },
        { "alloc_shared_noncontig", "false", true },
    };
    int64_t *mine;
    MPI_Win win = made(&mine);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const char *said = all[i].truth ? "true" : "whatever";
        hint_is(win, all[i].key, all[i].usual);
        give_hint(win, all[i].key, said);
        hint_is(win, all[i].key, said);
        give_hint(win, "no_such_hint", "true");
        if (all[i].truth)
            give_hint(win, all[i].key, "perhaps");
        hint_is(win, all[i].key, said);
    }
    OK(MPI_Win_set_info(win, MPI_INFO_NULL));
    hint_is(win, "no_locks", "true");
    OK(MPI_Win_free(&win));
}

static void questions(void)
{
    char name[MPI_MAX_OBJECT_NAME];
    int64_t *mine;
    int length, size, result;
    MPI_Group group, world;
    MPI_Win win = made(&mine);
    OK(MPI_Win_get_name(win, name, &length));
    SAME(length, 0);
    OK(MPI_Win_set_name(win, "halo"));
    OK(MPI_Win_get_name(win, name, &length));
    CHECK(length == 4 && !strcmp(name, "halo"));
    OK(MPI_Win_get_name(MPI_WIN_NULL, name, &length));
    CHECK(length == 12 && !strcmp(name, "MPI_WIN_NULL"));
    OK(MPI_Win_get_group(win, &group));
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_compare(group, world, &result));
    SAME(result, MPI_IDENT);
    OK(MPI_Group_size(group, &size));
    SAME(size, t_size);
    OK(MPI_Group_free(&group));
    OK(MPI_Group_free(&world));
    CHECK(MPI_Win_fromint(MPI_Win_toint(win)) == win);
    CHECK(MPI_Win_f2c(MPI_Win_c2f(win)) == win);
    CHECK(MPI_Win_fromint(MPI_Win_toint(MPI_WIN_NULL)) == MPI_WIN_NULL);
    OK(MPI_Win_free(&win));
}

/* -- error handlers */

static int raised, raised_class;
static MPI_Win raised_on;
static void on_error(MPI_Win *win, int *code, ...)
{
    raised++;
    raised_on = *win;
    MPI_Error_class(*code, &raised_class);
}

static void handlers(void)
{
    int64_t *mine;
    MPI_Errhandler handler, got;
    MPI_Win win = made(&mine);
    OK(MPI_Win_get_errhandler(win, &got));
    CHECK(got == MPI_ERRORS_ARE_FATAL);
    OK(MPI_Win_create_errhandler(on_error, &handler));
    OK(MPI_Win_set_errhandler(win, handler));
    OK(MPI_Win_get_errhandler(win, &got));
    CHECK(got == handler);
    OK(MPI_Errhandler_free(&got));
    OK(MPI_Errhandler_free(&handler));
    CLASS(MPI_Win_fence(1, win), MPI_ERR_ASSERT);
    SAME(raised, 1);
    SAME(raised_class, MPI_ERR_ASSERT);
    CHECK(raised_on == win);
    OK(MPI_Win_call_errhandler(win, MPI_ERR_OTHER));
    SAME(raised, 2);
    SAME(raised_class, MPI_ERR_OTHER);
    OK(MPI_Win_free(&win));
}

/* -- shared memory */

static void shared(const char *spread)
{
    int32_t *mine, *theirs, *first;
    const MPI_Aint bytes = 4 * (t_rank + 1);
    MPI_Aint size;
    MPI_Info info;
    MPI_Win win;
    int unit;
    if (t_apart())
        return;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "alloc_shared_noncontig", spread));
    OK(MPI_Win_allocate_shared(bytes, 4, info, MPI_COMM_WORLD, &mine, &win));
    OK(MPI_Info_free(&info));
    predefined(win, mine, bytes, 4, MPI_WIN_FLAVOR_SHARED);
    OK(MPI_Win_shared_query(win, MPI_PROC_NULL, &size, &unit, &first));
    OK(MPI_Win_fence(0, win));
    for (int i = 0; i <= t_rank; i++)
        mine[i] = 100 * t_rank + i;
    OK(MPI_Win_fence(0, win));
    for (int r = 0; r < t_size; r++) {
        OK(MPI_Win_shared_query(win, r, &size, &unit, &theirs));
        SAME(size, 4 * (r + 1));
        SAME(unit, 4);
        CHECK(*spread == 't' || theirs == first + r * (r + 1) / 2);
        for (int i = 0; i <= r; i++)
            SAME(theirs[i], 100 * r + i);
    }
    OK(MPI_Win_fence(0, win));
    OK(MPI_Win_free(&win));
}

/* Asked for nobody's, the first memory that there is. */
static void shared_by_some(void)
{
    int32_t *mine, *first, *want = NULL;
    MPI_Aint size;
    MPI_Win win;
    int unit, one = t_size > 1;
    if (t_apart())
        return;
    OK(MPI_Win_allocate_shared(t_rank < one ? 0 : 8, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &mine,
                               &win));
    OK(MPI_Win_shared_query(win, one, &size, &unit, &want));
    SAME(size, 8);
    OK(MPI_Win_shared_query(win, MPI_PROC_NULL, &size, &unit, &first));
    SAME(size, 8);
    CHECK(first == want);
    OK(MPI_Win_free(&win));
}

/* What is allocated begins where the info object says; side by side the first rank's does.  What
 * makes no sense, or is more than there is room for, counts as none. */
static void begins_at(const char *value, size_t align, int kind)
{
    static const char *const spread[] = { "false", "false", "true" };
    char *mine;
    MPI_Info info;
    MPI_Win win;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "mpi_minimum_memory_alignment", value));
    OK(MPI_Info_set(info, "alloc_shared_noncontig", spread[kind]));
    if (kind)
        OK(MPI_Win_allocate_shared(100, 1, info, MPI_COMM_WORLD, &mine, &win));
    else
        OK(MPI_Win_allocate(100, 1, info, MPI_COMM_WORLD, &mine, &win));
    OK(MPI_Info_free(&info));
    CHECK((kind == 1 && t_rank) || (uintptr_t)mine % align == 0);
    memset(mine, t_rank, 100);
    OK(MPI_Win_free(&win));
}

static void alignments(void)
{
    for (int kind = 0; kind < (t_apart() ? 1 : 3); kind++) {
        begins_at("256", 256, kind);
        begins_at("4096", 4096, kind);
        begins_at("65536", 65536, kind);
        begins_at("96", 64, kind);
        begins_at("x", 64, kind);
        begins_at("1073741824", 64, kind);
    }
}

/* -- dynamic windows */

/* Pieces without a gap between them, attached in an order that is none of addresses: an access goes
 * over their borders, until one of them goes. */
static void row_of_pieces(int64_t *block)
{
    static const int order[] = { 2, 0, 3, 1 };
    enum { PIECE = 8, PIECES = 4, N = PIECE * PIECES };
    int64_t out[N], in[N], one = 1;
    MPI_Aint mine, theirs;
    MPI_Win win;
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    for (int i = 0; i < PIECES; i++)
        OK(MPI_Win_attach(win, block + order[i] * PIECE, PIECE * 8));
    for (int i = 0; i < N; i++) {
        out[i] = 100 * t_rank + i;
        block[i] = in[i] = -1;
    }
    OK(MPI_Get_address(block, &mine));
    OK(MPI_Sendrecv(&mine, 1, MPI_AINT, t_prev(), 0, &theirs, 1, MPI_AINT, t_next(), 0,
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Win_lock_all(0, win));
    OK(MPI_Put(out, N, MPI_INT64_T, t_next(), theirs, N, MPI_INT64_T, win));
    OK(MPI_Win_flush(t_next(), win));
    OK(MPI_Get(in + 5, 20, MPI_INT64_T, t_next(), theirs + 5 * 8, 20, MPI_INT64_T, win));
    OK(MPI_Win_flush(t_next(), win));
    OK(MPI_Accumulate(out, 2, MPI_INT64_T, t_next(), theirs + 15 * 8, 2, MPI_INT64_T, MPI_SUM,
                      win));
    OK(MPI_Accumulate(&one, 1, MPI_INT64_T, t_next(), theirs + 16 * 8, 1, MPI_INT64_T, MPI_SUM,
                      win));
    CLASS(MPI_Get(in, 2, MPI_INT64_T, t_next(), theirs + (N - 1) * 8, 2, MPI_INT64_T, win),
          MPI_ERR_RMA_RANGE);
    CLASS(MPI_Get(in, 2, MPI_INT64_T, t_next(), theirs - 8, 2, MPI_INT64_T, win),
          MPI_ERR_RMA_RANGE);
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < N; i++) {
        const int more = i == 15 ? 100 * t_prev() : i == 16 ? 100 * t_prev() + 2 : 0;
        SAME(block[i], 100 * t_prev() + i + more);
        SAME(in[i], i < 5 || i >= 25 ? -1 : 100 * t_rank + i);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_detach(win, block + PIECE));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock_all(0, win));
    CLASS(MPI_Put(out, N, MPI_INT64_T, t_next(), theirs, N, MPI_INT64_T, win), MPI_ERR_RMA_RANGE);
    OK(MPI_Put(out, 2 * PIECE, MPI_INT64_T, t_next(), theirs + 2 * PIECE * 8, 2 * PIECE,
               MPI_INT64_T, win));
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    SAME(block[2 * PIECE], 100 * t_prev());
    SAME(block[N - 1], 100 * t_prev() + 2 * PIECE - 1);
    OK(MPI_Win_free(&win));
}

static void rows_of_pieces(void)
{
    int64_t on_stack[32], *in_heap;
    row_of_pieces(on_stack);
    OK(MPI_Alloc_mem(sizeof on_stack, MPI_INFO_NULL, &in_heap));
    row_of_pieces(in_heap);
    OK(MPI_Free_mem(in_heap));
}

/* Many small pieces, as of a program that attaches each block of its own heap: a peer finds the
 * first, the last and one that took the place of another. */
static void many_pieces(void)
{
    enum { PIECES = 900, WORDS = 16 };
    int64_t (*block)[WORDS], value = 500 + t_rank;
    MPI_Aint mine, theirs;
    MPI_Win win;
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Alloc_mem(PIECES * sizeof *block, MPI_INFO_NULL, &block));
    memset(block, 0, PIECES * sizeof *block);
    for (int i = 0; i < PIECES; i++)
        OK(MPI_Win_attach(win, block[i], 8 * WORDS / 2));
    CLASS(MPI_Win_attach(win, &block[PIECES - 1][1], 8), MPI_ERR_RMA_ATTACH);
    OK(MPI_Win_detach(win, block[PIECES / 2]));
    OK(MPI_Win_attach(win, &block[PIECES / 2][8], 8));
    OK(MPI_Get_address(block, &mine));
    OK(MPI_Sendrecv(&mine, 1, MPI_AINT, t_prev(), 0, &theirs, 1, MPI_AINT, t_next(), 0,
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Win_lock_all(0, win));
    OK(MPI_Put(&value, 1, MPI_INT64_T, t_next(), theirs, 1, MPI_INT64_T, win));
    OK(MPI_Put(&value, 1, MPI_INT64_T, t_next(),
               theirs + (PIECES - 1) * (MPI_Aint)sizeof *block + 56, 1, MPI_INT64_T, win));
    OK(MPI_Put(&value, 1, MPI_INT64_T, t_next(),
               theirs + PIECES / 2 * (MPI_Aint)sizeof *block + 64, 1, MPI_INT64_T, win));
    CLASS(MPI_Put(&value, 1, MPI_INT64_T, t_next(),
                  theirs + PIECES / 2 * (MPI_Aint)sizeof *block, 1, MPI_INT64_T, win),
          MPI_ERR_RMA_RANGE);
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    SAME(block[0][0], 500 + t_prev());
    SAME(block[PIECES - 1][7], 500 + t_prev());
    SAME(block[PIECES / 2][8], 500 + t_prev());
    OK(MPI_Win_detach(win, &block[PIECES / 2][8]));
    for (int i = 0; i < PIECES; i++)
        if (i != PIECES / 2)
            OK(MPI_Win_detach(win, block[i]));
    CLASS(MPI_Win_detach(win, block[0]), MPI_ERR_BASE);
    OK(MPI_Win_free(&win));
    OK(MPI_Free_mem(block));
}

/* There is room for so many pieces: for one more when one has gone. */
static void most_pieces(void)
{
    enum { MOST = 4096 };
    int64_t (*block)[2], value = 600 + t_rank;
    MPI_Aint mine, theirs;
    MPI_Win win;
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Alloc_mem((MOST + 1) * sizeof *block, MPI_INFO_NULL, &block));
    for (int i = 0; i < MOST; i++)
        OK(MPI_Win_attach(win, block[i], 8));
    CLASS(MPI_Win_attach(win, block[MOST], 8), MPI_ERR_RMA_ATTACH);
    OK(MPI_Win_detach(win, block[5]));
    OK(MPI_Win_attach(win, block[MOST], 8));
    CLASS(MPI_Win_attach(win, block[5], 8), MPI_ERR_RMA_ATTACH);
    OK(MPI_Get_address(block[MOST], &mine));
    OK(MPI_Sendrecv(&mine, 1, MPI_AINT, t_prev(), 0, &theirs, 1, MPI_AINT, t_next(), 0,
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Win_lock_all(0, win));
    OK(MPI_Put(&value, 1, MPI_INT64_T, t_next(), theirs, 1, MPI_INT64_T, win));
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    SAME(block[MOST][0], 600 + t_prev());
    OK(MPI_Win_free(&win));
    OK(MPI_Free_mem(block));
}

static void dynamic(void)
{
    int64_t on_stack[4] = { 0 }, *in_heap, value = 40 + t_rank, got[2] = { -1, -1 };
    MPI_Aint mine[2], theirs[2];
    MPI_Win win;
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    predefined(win, MPI_BOTTOM, 0, 1, MPI_WIN_FLAVOR_DYNAMIC);
    OK(MPI_Alloc_mem(64, MPI_INFO_NULL, &in_heap));
    memset(in_heap, 0, 64);
    OK(MPI_Win_attach(win, on_stack, sizeof on_stack));
    OK(MPI_Win_attach(win, in_heap, 64));
    CLASS(MPI_Win_attach(win, &on_stack[1], 8), MPI_ERR_RMA_ATTACH);
    CLASS(MPI_Win_detach(win, &on_stack[1]), MPI_ERR_BASE);
    OK(MPI_Win_attach(win, NULL, 0));
    OK(MPI_Win_attach(win, &on_stack[1], 0));       /* stays to the end */
    OK(MPI_Win_attach(win, &on_stack[2], 0));
    OK(MPI_Win_detach(win, NULL));
    CLASS(MPI_Win_detach(win, NULL), MPI_ERR_BASE);
    OK(MPI_Win_detach(win, &on_stack[2]));
    CLASS(MPI_Win_detach(win, &on_stack[2]), MPI_ERR_BASE);
    OK(MPI_Get_address(&on_stack[2], &mine[0]));
    OK(MPI_Get_address(&in_heap[3], &mine[1]));
    OK(MPI_Sendrecv(mine, 2, MPI_AINT, t_prev(), 0, theirs, 2, MPI_AINT, t_next(), 0,
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Win_lock_all(0, win));
    for (int i = 0; i < 2; i++) {
        OK(MPI_Put(&value, 1, MPI_INT64_T, t_next(), theirs[i], 1, MPI_INT64_T, win));
        OK(MPI_Win_flush(t_next(), win));
        OK(MPI_Accumulate(&value, 1, MPI_INT64_T, t_next(), theirs[i], 1, MPI_INT64_T, MPI_SUM,
                          win));
        OK(MPI_Win_flush(t_next(), win));
        OK(MPI_Get(&got[i], 1, MPI_INT64_T, t_next(), theirs[i], 1, MPI_INT64_T, win));
        OK(MPI_Win_flush(t_next(), win));
        SAME(got[i], 2 * value);
    }
    CLASS(MPI_Put(&value, 1, MPI_INT64_T, t_next(), 64, 1, MPI_INT64_T, win), MPI_ERR_RMA_RANGE);
    /* beside what is attached, at both ends, and half of it inside */
    CLASS(MPI_Put(&value, 1, MPI_INT64_T, t_next(), theirs[0] + 16, 1, MPI_INT64_T, win),
          MPI_ERR_RMA_RANGE);
    CLASS(MPI_Get(got, 1, MPI_INT64_T, t_next(), theirs[0] + 12, 1, MPI_INT64_T, win),
          MPI_ERR_RMA_RANGE);
    CLASS(MPI_Get(got, 1, MPI_INT64_T, t_next(), theirs[0] - 24, 1, MPI_INT64_T, win),
          MPI_ERR_RMA_RANGE);
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    SAME(on_stack[2], 2 * (40 + t_prev()));
    SAME(in_heap[3], 2 * (40 + t_prev()));
    OK(MPI_Win_detach(win, in_heap));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock(MPI_LOCK_SHARED, t_next(), 0, win));
    CLASS(MPI_Get(got, 1, MPI_INT64_T, t_next(), theirs[1], 1, MPI_INT64_T, win),
          MPI_ERR_RMA_RANGE);
    OK(MPI_Get(got, 1, MPI_INT64_T, t_next(), theirs[0], 1, MPI_INT64_T, win));
    OK(MPI_Win_unlock(t_next(), win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_free(&win));         /* what is still attached goes with it */
    OK(MPI_Free_mem(in_heap));
}

/* -- the end */

static MPI_Win of_kind(int kind)
{
    const MPI_Aint bytes = 1 << 20;
    void *base;
    MPI_Win win;
    if (kind == 0)
        OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    else if (kind == 1 || t_apart())
        OK(MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    else
        OK(MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    return win;
}

/* Of its heap, in bytes. */
static uint64_t most_in_use(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
    uint64_t value = 0;
    OK(MPI_T_pvar_read(session, handle, &value));
    return value;
}

/* A window's memory, the library's own for it too, serves the next one. */
static void given_back(void)
{
    enum { WINDOWS = 40, SPARE = 1 << 20 };
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
    int provided, index, values;
    OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    OK(MPI_T_pvar_get_index("heap", MPI_T_PVAR_CLASS_HIGHWATERMARK, &index));
    OK(MPI_T_pvar_session_create(&session));
    OK(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &values));
    for (int kind = 0; kind < 3; kind++) {
        MPI_Win win = of_kind(kind);
        OK(MPI_Win_free(&win));
        const uint64_t before = most_in_use(session, handle);
        for (int i = 0; i < WINDOWS; i++) {
            win = of_kind(kind);
            OK(MPI_Win_free(&win));
        }
        CHECK(most_in_use(session, handle) < before + SPARE);
    }
    OK(MPI_T_pvar_session_free(&session));
    OK(MPI_T_finalize());
}

/* -- wrong use */

static void wrong_windows(void)
{
    MPI_Win win = MPI_WIN_NULL;
    char memory[8];
    void *base;
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    CLASS(MPI_Win_create(memory, -1, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win), MPI_ERR_SIZE);
    CLASS(MPI_Win_create(memory, (MPI_Aint)1 << 47, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win),
          MPI_ERR_SIZE);
    CLASS(MPI_Win_create(memory, 8, 0, MPI_INFO_NULL, MPI_COMM_SELF, &win), MPI_ERR_DISP);
    CLASS(MPI_Win_create(NULL, 8, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win), MPI_ERR_BASE);
    CLASS(MPI_Win_create(memory, 8, 1, MPI_INFO_NULL, MPI_COMM_SELF, NULL), MPI_ERR_ARG);
    if (!getenv("ASAN_OPTIONS") && !getenv("TSAN_OPTIONS"))     /* they end who asks for as much */
        CLASS(MPI_Win_allocate((MPI_Aint)1 << 46, 1, MPI_INFO_NULL, MPI_COMM_SELF, &base, &win),
              MPI_ERR_NO_MEM);
    CHECK(win == MPI_WIN_NULL);
    CLASS(MPI_Win_free(&win), MPI_ERR_WIN);
    CLASS(MPI_Win_fence(0, MPI_WIN_NULL), MPI_ERR_WIN);
    OK(MPI_Win_create(memory, 8, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win));
    MPI_Win stale = win;
    OK(MPI_Win_free(&win));
    CLASS(MPI_Put(memory, 1, MPI_BYTE, 0, 0, 1, MPI_BYTE, stale), MPI_ERR_WIN);
    CLASS(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, stale), MPI_ERR_WIN);
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));
}

static void wrong_accesses(MPI_Win win)
{
    int64_t v = 0, w = 0;
    MPI_Request request;
    MPI_Datatype type, before;
    MPI_Op op;
    const MPI_Datatype l = MPI_INT64_T;
    OK(MPI_Type_create_hindexed_block(1, 1, (MPI_Aint[]){ -8 }, l, &before));
    OK(MPI_Type_commit(&before));
    OK(MPI_Win_lock(MPI_LOCK_SHARED, t_next(), 0, win));
    CLASS(MPI_Put(&v, 1, l, t_size, 0, 1, l, win), MPI_ERR_RANK);
    CLASS(MPI_Put(&v, 1, l, -5, 0, 1, l, win), MPI_ERR_RANK);
    CLASS(MPI_Put(&v, 1, l, t_next(), 8, 1, l, win), MPI_ERR_RMA_RANGE);
    CLASS(MPI_Get(&v, 1, l, t_next(), INT64_MAX / 4, 1, l, win), MPI_ERR_RMA_RANGE);
    CLASS(MPI_Get(&v, 1, l, t_next(), -1, 1, l, win), MPI_ERR_DISP);
    CLASS(MPI_Get(&v, 1, l, t_next(), 0, 1, before, win), MPI_ERR_RMA_RANGE);
    OK(MPI_Get(&v, 1, l, t_next(), 1, 1, before, win));
    OK(MPI_Type_free(&before));
    CLASS(MPI_Put(&v, -1, l, t_next(), 0, 1, l, win), MPI_ERR_COUNT);
    CLASS(MPI_Put(&v, 1, MPI_DATATYPE_NULL, t_next(), 0, 1, l, win), MPI_ERR_TYPE);
    CLASS(MPI_Put(NULL, 1, l, t_next(), 0, 1, l, win), MPI_ERR_BUFFER);
    OK(MPI_Type_create_f90_integer(12, &type));         /* predefined, though it was made */
    CLASS(MPI_Put(NULL, 1, type, t_next(), 0, 1, l, win), MPI_ERR_BUFFER);
    CLASS(MPI_Get(MPI_IN_PLACE, 1, l, t_next(), 0, 1, l, win), MPI_ERR_BUFFER);
    CLASS(MPI_Put(&v, 1, l, t_next(), 0, 1, MPI_INT32_T, win), MPI_ERR_TYPE);
    CLASS(MPI_Put(&v, 1, MPI_INT32_T, t_next(), 0, 1, l, win), MPI_ERR_TYPE);
    CLASS(MPI_Get(&v, 1, l, t_next(), 0, 2, l, win), MPI_ERR_TYPE);
    CLASS(MPI_Accumulate(&v, 1, l, t_next(), 0, 2, l, MPI_SUM, win), MPI_ERR_TYPE);
    CLASS(MPI_Accumulate(&v, 1, l, t_next(), 0, 1, MPI_DOUBLE, MPI_SUM, win), MPI_ERR_TYPE);
    CLASS(MPI_Accumulate(&v, 1, MPI_DOUBLE, t_next(), 0, 1, MPI_DOUBLE, MPI_BAND, win),
          MPI_ERR_OP);
    CLASS(MPI_Accumulate(&v, 1, l, t_next(), 0, 1, l, MPI_NO_OP, win), MPI_ERR_OP);
    CLASS(MPI_Accumulate(&v, 1, l, t_next(), 0, 1, l, MPI_OP_NULL, win), MPI_ERR_OP);
    CLASS(MPI_Get_accumulate(&v, 1, l, &w, 1, MPI_DATATYPE_NULL, t_next(), 0, 1, l, MPI_SUM, win),
          MPI_ERR_TYPE);
    CLASS(MPI_Fetch_and_op(&v, &w, MPI_DATATYPE_NULL, t_next(), 0, MPI_NO_OP, win), MPI_ERR_TYPE);
    OK(MPI_Op_create((MPI_User_function *)abort, 1, &op));
    CLASS(MPI_Accumulate(&v, 1, l, t_next(), 0, 1, l, op, win), MPI_ERR_OP);
    OK(MPI_Op_free(&op));
    OK(MPI_Type_contiguous(1, l, &type));
    CLASS(MPI_Put(&v, 1, type, t_next(), 0, 1, l, win), MPI_ERR_TYPE);
    OK(MPI_Type_commit(&type));
    CLASS(MPI_Fetch_and_op(&v, &w, type, t_next(), 0, MPI_SUM, win), MPI_ERR_TYPE);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_create_struct(2, (int[]){ 1, 1 }, (MPI_Aint[]){ 0, 4 },
                              (MPI_Datatype[]){ MPI_INT32_T, MPI_FLOAT }, &type));
    OK(MPI_Type_commit(&type));
    CLASS(MPI_Accumulate(&v, 1, type, t_next(), 0, 1, type, MPI_SUM, win), MPI_ERR_TYPE);
    OK(MPI_Type_free(&type));
    CLASS(MPI_Compare_and_swap(&v, &v, &w, MPI_DOUBLE, t_next(), 0, win), MPI_ERR_TYPE);
    CLASS(MPI_Fetch_and_op(&v, &w, MPI_C_BOOL, t_next(), 0, MPI_SUM, win), MPI_ERR_OP);
    CLASS(MPI_Fetch_and_op(MPI_IN_PLACE, &w, l, t_next(), 0, MPI_SUM, win), MPI_ERR_BUFFER);
    CLASS(MPI_Fetch_and_op(&v, MPI_IN_PLACE, l, t_next(), 0, MPI_SUM, win), MPI_ERR_BUFFER);
    CLASS(MPI_Compare_and_swap(&v, MPI_IN_PLACE, &w, l, t_next(), 0, win), MPI_ERR_BUFFER);
    OK(MPI_Type_contiguous_c((MPI_Count)1 << 37, l, &type));
    OK(MPI_Type_commit(&type));
    CHECK(MPI_Put(&v, 1 << 24, type, t_next(), 0, 1 << 24, type, win) != MPI_SUCCESS);
    OK(MPI_Type_free(&type));
    CLASS(MPI_Rput(&v, 1, l, t_next(), 0, 1, l, win, NULL), MPI_ERR_ARG);
    OK(MPI_Put(&v, 1, l, MPI_PROC_NULL, 99, 1, l, win));
    OK(MPI_Rget(&v, 1, l, MPI_PROC_NULL, 99, 1, l, win, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Put(&v, 0, l, t_next(), 8, 0, l, win));
    OK(MPI_Win_unlock(t_next(), win));
}

/* One kind of epoch after another, and none inside another. */
static void mixed_epochs(MPI_Win win, MPI_Group all)
{
    const MPI_Datatype l = MPI_INT64_T;
    int64_t v = 0;
    OK(MPI_Win_lock_all(0, win));
    CLASS(MPI_Win_start(all, 0, win), MPI_ERR_RMA_SYNC);
    CLASS(MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC);
    CLASS(MPI_Win_lock(MPI_LOCK_SHARED, t_next(), 0, win), MPI_ERR_RMA_SYNC);
    CLASS(MPI_Win_free(&win), MPI_ERR_RMA_SYNC);
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Win_start(MPI_GROUP_EMPTY, 0, win));
    CLASS(MPI_Win_free(&win), MPI_ERR_RMA_SYNC);
    OK(MPI_Win_complete(win));
    OK(MPI_Win_lock(MPI_LOCK_SHARED, t_next(), 0, win));
    CLASS(MPI_Win_start(all, 0, win), MPI_ERR_RMA_SYNC);
    OK(MPI_Win_unlock(t_next(), win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_fence(0, win));              /* opens an epoch, which the next one closes */
    OK(MPI_Win_post(all, MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT, win));
    CLASS(MPI_Put(&v, 1, l, t_next(), 0, 1, l, win), MPI_ERR_RMA_SYNC);
    CLASS(MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_start(all, MPI_MODE_NOCHECK, win));
    CLASS(MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC);
    OK(MPI_Win_complete(win));
    OK(MPI_Win_wait(win));
    CLASS(MPI_Put(&v, 1, l, t_next(), 0, 1, l, win), MPI_ERR_RMA_SYNC);
    CLASS(MPI_Win_post(all, MPI_MODE_NOPRECEDE, win), MPI_ERR_ASSERT);
    CLASS(MPI_Win_start(all, MPI_MODE_NOPUT, win), MPI_ERR_ASSERT);
    OK(MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE, win));
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
}

static void wrong_epochs(MPI_Win win)
{
    int64_t v = 0;
    int flag;
    MPI_Request request;
    MPI_Group all;
    const MPI_Datatype l = MPI_INT64_T;
    CLASS(MPI_Put(&v, 1, l, t_next(), 0, 1, l, win), MPI_ERR_RMA_SYNC);
    CLASS(MPI_Get(&v, 1, l, t_next(), 0, 1, l, win), MPI_ERR_RMA_SYNC);
    CLASS(MPI_Accumulate(&v, 1, l, t_next(), 0, 1, l, MPI_SUM, win), MPI_ERR_RMA_SYNC);
    CLASS(MPI_Fetch_and_op(&v, &v, l, t_next(), 0, MPI_NO_OP, win), MPI_ERR_RMA_SYNC);
    CLASS(MPI_Win_unlock(t_next(), win), MPI_ERR_RMA_SYNC);
    CLASS(MPI_Win_unlock_all(win), MPI_ERR_RMA_SYNC);
    CLASS(MPI_Win_flush(t_next(), win), MPI_ERR_RMA_SYNC);
    CLASS(MPI_Win_flush_all(win), MPI_ERR_RMA_SYNC);
    CLASS(MPI_Win_complete(win), MPI_ERR_RMA_SYNC);
    CLASS(MPI_Win_wait(win), MPI_ERR_RMA_SYNC);
    CLASS(MPI_Win_test(win, &flag), MPI_ERR_RMA_SYNC);
    CLASS(MPI_Win_lock(77, t_next(), 0, win), MPI_ERR_LOCKTYPE);
    CLASS(MPI_Win_lock(MPI_LOCK_SHARED, t_size, 0, win), MPI_ERR_RANK);
    CLASS(MPI_Win_lock(MPI_LOCK_SHARED, t_next(), MPI_MODE_NOPUT, win), MPI_ERR_ASSERT);
    OK(MPI_Win_lock(MPI_LOCK_SHARED, t_next(), 0, win));
    CLASS(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t_next(), 0, win), MPI_ERR_RMA_SYNC);
    CLASS(MPI_Win_lock_all(0, win), MPI_ERR_RMA_SYNC);
    OK(MPI_Win_flush_all(win));             /* of the one that there is */
    OK(MPI_Win_flush_local_all(win));
    CLASS(MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC);
    CLASS(MPI_Win_free(&win), MPI_ERR_RMA_SYNC);
    if (t_size > 1)
        CLASS(MPI_Put(&v, 1, l, t_rank, 0, 1, l, win), MPI_ERR_RMA_SYNC);
    OK(MPI_Win_unlock(t_next(), win));
    OK(MPI_Win_fence(0, win));
    OK(MPI_Put(&v, 1, l, t_next(), 0, 1, l, win));
    CLASS(MPI_Win_lock(MPI_LOCK_SHARED, t_next(), 0, win), MPI_ERR_RMA_SYNC);
    CLASS(MPI_Rput(&v, 1, l, t_next(), 0, 1, l, win, &request), MPI_ERR_RMA_SYNC);
    OK(MPI_Win_fence(0, win));              /* a lock ends the epoch that it has opened, unused */
    OK(MPI_Win_lock(MPI_LOCK_SHARED, t_next(), 0, win));
    OK(MPI_Win_unlock(t_next(), win));
    CLASS(MPI_Put(&v, 1, l, t_next(), 0, 1, l, win), MPI_ERR_RMA_SYNC);
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    CLASS(MPI_Win_start(MPI_GROUP_NULL, 0, win), MPI_ERR_GROUP);
    OK(MPI_Win_get_group(win, &all));
    OK(MPI_Win_post(all, 0, win));
    CLASS(MPI_Win_post(all, 0, win), MPI_ERR_RMA_SYNC);
    OK(MPI_Win_start(all, 0, win));
    CLASS(MPI_Win_start(all, 0, win), MPI_ERR_RMA_SYNC);
    CLASS(MPI_Win_lock_all(0, win), MPI_ERR_RMA_SYNC);
    OK(MPI_Win_complete(win));
    CLASS(MPI_Put(&v, 1, l, t_next(), 0, 1, l, win), MPI_ERR_RMA_SYNC);
    CLASS(MPI_Win_free(&win), MPI_ERR_RMA_SYNC);
    OK(MPI_Win_wait(win));
    mixed_epochs(win, all);
    OK(MPI_Group_free(&all));
}

static void wrong_flavors(MPI_Win win)
{
    int64_t v[2];
    CLASS(MPI_Win_attach(win, v, sizeof v), MPI_ERR_RMA_FLAVOR);
    CLASS(MPI_Win_detach(win, v), MPI_ERR_RMA_FLAVOR);
}

int main(int argc, char **argv)
{
    int64_t *mine;
    MPI_Win win;
    t_start(&argc, &argv);
    attributes();
    ends_of_values();
    questions();
    hints();
    handlers();
    shared("false");
    shared("true");
    shared_by_some();
    alignments();
    dynamic();
    rows_of_pieces();
    many_pieces();
    most_pieces();
    given_back();
    wrong_windows();
    win = made(&mine);
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    wrong_accesses(win);
    wrong_epochs(win);
    wrong_flavors(win);
    OK(MPI_Win_free(&win));
    return t_end();
}
