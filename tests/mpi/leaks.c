/* What is made and given back leaves nothing on the heap: rounds of calls of each kind, after which
 * there are no more blocks than before. */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>

#include "t.h"

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if !defined(__GLIBC__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) \
    || __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
enum { COUNTS = 0 };        /* a sanitizer's heap is its own, and looks by itself: few will do */
static _Atomic long blocks;
#else
enum { COUNTS = 1 };

/* -- the heap, that of the C library, with a count of its blocks, in the place of its functions */

#pragma GCC visibility push(default)

static _Atomic long blocks;

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static void *counted(void *p)
{
    blocks += p != NULL;
    return p;
}

void *malloc(size_t n) { return counted(__libc_malloc(n)); }
void *calloc(size_t n, size_t size) { return counted(__libc_calloc(n, size)); }
void *memalign(size_t align, size_t n) { return counted(__libc_memalign(align, n)); }
void *aligned_alloc(size_t align, size_t n) { return memalign(align, n); }

void free(void *p)
{
    blocks -= p != NULL;
    __libc_free(p);
}

void *realloc(void *p, size_t n)
{
    void *q = __libc_realloc(p, n);
    blocks += (!p && q) - (p && !q && !n);
    return q;
}

int posix_memalign(void **p, size_t align, size_t n)
{
    void *made = memalign(align, n);
    if (made)
        *p = made;
    return made ? 0 : ENOMEM;
}
#pragma GCC visibility pop
#endif

enum { SHORT = 40, LONG = 60000, TAG = 3 };

static int out[2 * LONG], in[2 * LONG];
static MPI_Comm world;

/* -- what is made once in a round, of each kind */

static MPI_Datatype halves(int count)       /* every other int */
{
    MPI_Datatype t;
    OK(MPI_Type_vector(count, 1, 2, MPI_INT, &t));
    OK(MPI_Type_commit(&t));
    return t;
}

static void exchange(int count, MPI_Datatype t)
{
    MPI_Request r[2];
    OK(MPI_Irecv(in, count, t, t_prev(), TAG, world, &r[0]));
    OK(MPI_Isend(out, count, t, t_next(), TAG, world, &r[1]));
    OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
    OK(MPI_Sendrecv(out, count, t, t_next(), TAG, in, count, t, t_prev(), TAG, world,
                    MPI_STATUS_IGNORE));
    OK(MPI_Sendrecv_replace(in, count, t, t_next(), TAG, t_prev(), TAG, world,
                            MPI_STATUS_IGNORE));
}

static void messages(void)
{
    MPI_Datatype few = halves(SHORT), many = halves(LONG);
    exchange(SHORT, MPI_INT);
    exchange(LONG, MPI_INT);
    exchange(1, few);
    exchange(1, many);
    OK(MPI_Type_free(&few));
    OK(MPI_Type_free(&many));
}

static void probed(void)
{
    MPI_Message m;
    MPI_Request r[2];
    OK(MPI_Isend(out, SHORT, MPI_INT, t_next(), TAG, world, &r[0]));
    OK(MPI_Mprobe(t_prev(), TAG, world, &m, MPI_STATUS_IGNORE));
    OK(MPI_Mrecv(in, SHORT, MPI_INT, &m, MPI_STATUS_IGNORE));
    OK(MPI_Issend(out, SHORT, MPI_INT, t_next(), TAG, world, &r[1]));
    OK(MPI_Mprobe(t_prev(), TAG, world, &m, MPI_STATUS_IGNORE));
    MPI_Request found;
    OK(MPI_Imrecv(in, SHORT, MPI_INT, &m, &found));
    OK(MPI_Wait(&found, MPI_STATUS_IGNORE));
    OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
    OK(MPI_Irecv(in, SHORT, MPI_INT, t_prev(), TAG + 1, world, &r[0]));
    OK(MPI_Cancel(&r[0]));
    OK(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
    OK(MPI_Isend(out, SHORT, MPI_INT, t_next(), TAG, world, &r[0]));
    OK(MPI_Request_free(&r[0]));
    OK(MPI_Recv(in, SHORT, MPI_INT, t_prev(), TAG, world, MPI_STATUS_IGNORE));
}

static void buffered(void)
{
    static char room[8192];
    void *at;
    int bytes;
    MPI_Comm dup;
    OK(MPI_Comm_dup(world, &dup));
    OK(MPI_Buffer_attach(room, sizeof room));
    OK(MPI_Comm_attach_buffer(dup, MPI_BUFFER_AUTOMATIC, 0));
    OK(MPI_Bsend(out, SHORT, MPI_INT, t_next(), TAG, world));
    OK(MPI_Bsend(out, SHORT, MPI_INT, t_next(), TAG, dup));
    OK(MPI_Recv(in, SHORT, MPI_INT, t_prev(), TAG, world, MPI_STATUS_IGNORE));
    OK(MPI_Recv(in, SHORT, MPI_INT, t_prev(), TAG, dup, MPI_STATUS_IGNORE));
    OK(MPI_Buffer_detach(&at, &bytes));
    OK(MPI_Comm_detach_buffer(dup, &at, &bytes));
    OK(MPI_Comm_free(&dup));
}

static void kept_requests(void)
{
    MPI_Datatype few = halves(SHORT);
    MPI_Request r[4];
    OK(MPI_Recv_init(in, 1, few, t_prev(), TAG, world, &r[0]));
    OK(MPI_Send_init(out, 1, few, t_next(), TAG, world, &r[1]));
    OK(MPI_Precv_init(in, 2, SHORT, MPI_INT, t_prev(), TAG, world, MPI_INFO_NULL, &r[2]));
    OK(MPI_Psend_init(out, 4, SHORT / 2, MPI_INT, t_next(), TAG, world, MPI_INFO_NULL, &r[3]));
    OK(MPI_Type_free(&few));
    OK(MPI_Startall(4, r));
    OK(MPI_Pready_range(0, 3, r[3]));
    OK(MPI_Waitall(4, r, MPI_STATUSES_IGNORE));
    for (int i = 0; i < 4; i++)
        OK(MPI_Request_free(&r[i]));
}

static int query(void *state, MPI_Status *s)
{
    (void)state;
    OK(MPI_Status_set_elements(s, MPI_INT, 1));
    return MPI_SUCCESS;
}
static int release(void *state) { return state ? MPI_ERR_OTHER : MPI_SUCCESS; }
static int cancel(void *state, int done) { return state && done ? MPI_ERR_OTHER : MPI_SUCCESS; }

static void own_requests(void)
{
    MPI_Request r;
    OK(MPI_Grequest_start(query, release, cancel, NULL, &r));
    OK(MPI_Grequest_complete(r));
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
}

/* -- communicators, groups */

static void communicators(void)
{
    MPI_Comm made;
    MPI_Request r;
    MPI_Info info;
    OK(MPI_Comm_dup(world, &made));
    OK(MPI_Comm_set_name(made, "one of many"));
    OK(MPI_Comm_free(&made));
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "mpi_assert_no_any_tag", "true"));
    OK(MPI_Comm_dup_with_info(world, info, &made));
    OK(MPI_Info_free(&info));
    OK(MPI_Comm_get_info(made, &info));
    OK(MPI_Info_free(&info));
    OK(MPI_Comm_free(&made));
    OK(MPI_Comm_idup(world, &made, &r));
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    OK(MPI_Comm_free(&made));
    OK(MPI_Comm_split(world, t_rank % 2, -t_rank, &made));
    OK(MPI_Barrier(made));
    OK(MPI_Comm_disconnect(&made));
    OK(MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made));
    OK(MPI_Comm_free(&made));
    OK(MPI_Comm_dup(MPI_COMM_SELF, &made));
    OK(MPI_Comm_free(&made));
}

static void groups(void)
{
    int first = 0, range[1][3] = { { 0, t_size - 1, 2 } };
    MPI_Group all, some, others, both;
    MPI_Comm made;
    OK(MPI_Comm_group(world, &all));
    OK(MPI_Group_incl(all, 1, &first, &some));
    OK(MPI_Group_excl(all, 1, &first, &others));
    OK(MPI_Group_union(others, some, &both));
    OK(MPI_Comm_create(world, both, &made));
    OK(MPI_Comm_free(&made));
    OK(MPI_Group_free(&both));
    OK(MPI_Group_range_incl(all, 1, range, &both));
    OK(MPI_Comm_create_group(world, both, TAG, &made));
    if (made != MPI_COMM_NULL)
        OK(MPI_Comm_free(&made));
    OK(MPI_Group_free(&both));
    OK(MPI_Group_free(&some));
    OK(MPI_Group_free(&others));
    OK(MPI_Group_free(&all));
}

static void topologies(void)
{
    int dims[2] = { 0, 1 }, periods[2] = { 1, 0 }, remain[2] = { 1, 0 }, one = 1;
    int next = t_next(), prev = t_prev(), value[2];
    MPI_Comm grid, part;
    OK(MPI_Dims_create(t_size, 2, dims));
    OK(MPI_Cart_create(world, 2, dims, periods, 1, &grid));
    OK(MPI_Cart_sub(grid, remain, &part));
    OK(MPI_Comm_free(&part));
    OK(MPI_Comm_dup(grid, &part));
    OK(MPI_Comm_free(&part));
    OK(MPI_Comm_free(&grid));
    OK(MPI_Dist_graph_create_adjacent(world, 1, &prev, &one, 1, &next, &one, MPI_INFO_NULL, 0,
                                      &grid));
    OK(MPI_Neighbor_allgather(&t_rank, 1, MPI_INT, value, 1, MPI_INT, grid));
    OK(MPI_Comm_free(&grid));
    OK(MPI_Dist_graph_create(world, 1, &t_rank, &one, &next, &one, MPI_INFO_NULL, 0, &grid));
    OK(MPI_Comm_free(&grid));
    OK(MPI_Graph_create(world, 1, &one, (int[]){ 0 }, 0, &grid));
    if (grid != MPI_COMM_NULL)
        OK(MPI_Comm_free(&grid));
}

static void two_sides(void)
{
    MPI_Comm half, both, one;
    int upper = t_rank == t_size - 1;
    if (t_size < 2)
        return;
    OK(MPI_Comm_split(world, upper, t_rank, &half));
    OK(MPI_Intercomm_create(half, 0, world, upper ? 0 : t_size - 1, TAG, &both));
    OK(MPI_Intercomm_merge(both, upper, &one));
    OK(MPI_Comm_free(&one));
    OK(MPI_Comm_dup(both, &one));
    OK(MPI_Barrier(one));
    OK(MPI_Comm_free(&one));
    OK(MPI_Comm_free(&both));
    OK(MPI_Comm_free(&half));
}

/* -- attributes, handlers, info objects, operations */

static void handle(MPI_Comm *comm, int *code, ...) { (void)comm, (void)code; }
static void handle_win(MPI_Win *win, int *code, ...) { (void)win, (void)code; }

static void properties(void)
{
    int key, of_types, length, flag;
    char value[8];
    MPI_Comm made, dup;
    MPI_Errhandler handler, again;
    MPI_Info info, copy;
    MPI_Datatype type, second;
    OK(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL));
    OK(MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &of_types, NULL));
    OK(MPI_Comm_dup(world, &made));
    OK(MPI_Comm_set_attr(made, key, &key));
    OK(MPI_Comm_set_attr(made, key, &flag));
    OK(MPI_Comm_dup(made, &dup));
    OK(MPI_Comm_delete_attr(made, key));
    OK(MPI_Comm_free_keyval(&key));
    OK(MPI_Comm_create_errhandler(handle, &handler));
    OK(MPI_Comm_set_errhandler(made, handler));
    OK(MPI_Errhandler_free(&handler));
    OK(MPI_Comm_get_errhandler(made, &again));
    OK(MPI_Errhandler_free(&again));
    OK(MPI_Comm_free(&made));
    OK(MPI_Comm_free(&dup));
    OK(MPI_Type_contiguous(2, MPI_INT, &type));
    OK(MPI_Type_set_attr(type, of_types, &key));
    OK(MPI_Type_set_name(type, "two"));
    OK(MPI_Type_dup(type, &second));
    OK(MPI_Type_free_keyval(&of_types));
    OK(MPI_Type_free(&type));
    OK(MPI_Type_free(&second));
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "first", "1"));
    OK(MPI_Info_set(info, "second", "2"));
    OK(MPI_Info_set(info, "second", "3"));
    OK(MPI_Info_delete(info, "first"));
    OK(MPI_Info_dup(info, &copy));
    length = sizeof value;
    OK(MPI_Info_get_string(copy, "second", &length, value, &flag));
    OK(MPI_Info_free(&info));
    OK(MPI_Info_free(&copy));
    OK(MPI_Info_create_env(0, NULL, &info));
    OK(MPI_Info_free(&info));
}

static void add(void *from, void *to, int *count, MPI_Datatype *type)
{
    MPI_Aint lb, extent;
    OK(MPI_Type_get_extent(*type, &lb, &extent));
    for (int i = 0; i < *count; i++)
        ((int *)to)[i * (int)(extent / 4)] += ((int *)from)[i * (int)(extent / 4)];
}

static void operations(void)
{
    MPI_Op op;
    MPI_Datatype type, padded;
    OK(MPI_Op_create(add, 0, &op));
    OK(MPI_Type_contiguous(1, MPI_INT, &type));
    OK(MPI_Type_create_resized(type, 0, 8, &padded));
    OK(MPI_Type_commit(&padded));
    OK(MPI_Type_free(&type));
    OK(MPI_Allreduce(out, in, SHORT, padded, op, world));
    OK(MPI_Scan(out, in, SHORT, padded, op, world));
    OK(MPI_Reduce_scatter_block(out, in, 2, MPI_INT, op, world));
    OK(MPI_Reduce_local(out, in, SHORT, padded, op));
    OK(MPI_Type_free(&padded));
    OK(MPI_Op_free(&op));
}

/* -- types */

static void commit_and_free(MPI_Datatype t)
{
    OK(MPI_Type_commit(&t));
    OK(MPI_Type_free(&t));
}

static void types(void)
{
    const int length[3] = { 1, 3, 2 }, at[3] = { 9, 0, 5 }, size[2] = { 8, 9 }, part[2] = { 3, 4 };
    const int start[2] = { 5, 1 }, grid[2] = { 2, 1 }, usual[2] = { 3, MPI_DISTRIBUTE_DFLT_DARG };
    const int how[2] = { MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE };
    const MPI_Aint byte[3] = { 80, 8, 40 };
    int integers[16];
    MPI_Aint addresses[16];
    MPI_Datatype inner, t, member[3] = { MPI_DOUBLE, MPI_CHAR, MPI_INT }, got[3];
    OK(MPI_Type_vector(3, 2, 5, MPI_INT, &inner));
    member[2] = inner;
    OK(MPI_Type_create_struct(3, length, byte, member, &t));
    OK(MPI_Type_get_contents(t, 16, 16, 3, integers, addresses, got));
    OK(MPI_Type_free(&got[2]));
    commit_and_free(t);
    OK(MPI_Type_indexed(3, length, at, inner, &t));
    commit_and_free(t);
    OK(MPI_Type_create_hindexed(3, length, byte, inner, &t));
    commit_and_free(t);
    OK(MPI_Type_create_indexed_block(3, 2, at, inner, &t));
    commit_and_free(t);
    OK(MPI_Type_create_hindexed_block_c(3, 2, (MPI_Count[]){ 80, 8, 40 }, inner, &t));
    commit_and_free(t);
    OK(MPI_Type_create_hvector(3, 2, 100, inner, &t));
    commit_and_free(t);
    OK(MPI_Type_create_subarray(2, size, part, start, MPI_ORDER_C, inner, &t));
    commit_and_free(t);
    OK(MPI_Type_create_darray(2, 1, 2, size, how, usual, grid, MPI_ORDER_C, MPI_INT, &t));
    commit_and_free(t);
    OK(MPI_Type_create_resized(inner, -8, 100, &t));
    commit_and_free(t);
    OK(MPI_Type_dup(inner, &t));
    OK(MPI_Type_free(&inner));
    OK(MPI_Type_commit(&t));
    char packed[256];
    int position = 0;
    MPI_Aint end = 0;
    OK(MPI_Pack(out, 2, t, packed, sizeof packed, &position, world));
    OK(MPI_Pack_external("external32", out, 2, t, packed, sizeof packed, &end));
    end = 0;
    OK(MPI_Unpack_external("external32", packed, sizeof packed, &end, in, 2, t));
    OK(MPI_Type_free(&t));
}

/* -- collectives */

static void some_collectives(int count, MPI_Datatype t)
{
    OK(MPI_Bcast(in, count, t, 0, world));
    OK(MPI_Gather(out, 1, t, in, 1, t, 0, world));
    OK(MPI_Scatter(out, 1, t, in, 1, t, 0, world));
    OK(MPI_Allgather(out, 1, t, in, 1, t, world));
    OK(MPI_Alltoall(out, 1, t, in, 1, t, world));
}

static void collectives(void)
{
    int count[16], at[16];
    MPI_Datatype few = halves(SHORT), type[16];
    MPI_Request r[4];
    some_collectives(SHORT, MPI_INT);
    some_collectives(1, few);
    OK(MPI_Bcast(in, LONG, MPI_INT, 0, world));
    OK(MPI_Reduce(out, in, LONG, MPI_INT, MPI_SUM, 0, world));
    OK(MPI_Allreduce(out, in, LONG, MPI_INT, MPI_SUM, world));
    OK(MPI_Exscan(out, in, SHORT, MPI_INT, MPI_MAX, world));
    for (int i = 0; i < t_size; i++) {
        count[i] = 1 + i % 2;
        at[i] = 4 * SHORT * i;
        type[i] = few;
    }
    OK(MPI_Allgatherv(out, 1 + t_rank % 2, few, in, count, at, few, world));
    OK(MPI_Reduce_scatter(out, in, count, MPI_INT, MPI_SUM, world));
    for (int i = 0; i < t_size; i++)
        count[i] = 1;
    OK(MPI_Alltoallw(out, count, at, type, in, count, at, type, world));
    OK(MPI_Ibarrier(world, &r[0]));
    OK(MPI_Ibcast(in, 1, few, 0, world, &r[1]));
    OK(MPI_Iallreduce(out, in + LONG, SHORT, MPI_INT, MPI_SUM, world, &r[2]));
    OK(MPI_Waitall(3, r, MPI_STATUSES_IGNORE));
    OK(MPI_Allgather_init(out, 1, few, in, 1, few, world, MPI_INFO_NULL, &r[0]));
    OK(MPI_Type_free(&few));
    OK(MPI_Start(&r[0]));
    OK(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
    OK(MPI_Request_free(&r[0]));
}

/* -- windows */

static void accesses(MPI_Win win)
{
    MPI_Datatype few = halves(4);
    MPI_Request r;
    int one = 1, old;
    OK(MPI_Win_lock_all(0, win));
    OK(MPI_Put(out, 1, few, t_next(), 0, 1, few, win));
    OK(MPI_Get(in, 4, MPI_INT, t_next(), 0, 4, MPI_INT, win));
    OK(MPI_Accumulate(out, 1, few, t_next(), 0, 1, few, MPI_SUM, win));
    OK(MPI_Fetch_and_op(&one, &old, MPI_INT, t_next(), 0, MPI_SUM, win));
    OK(MPI_Rput(out, 4, MPI_INT, t_next(), 0, 4, MPI_INT, win, &r));
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    OK(MPI_Type_free(&few));
    OK(MPI_Win_unlock_all(win));
}

static void windows(void)
{
    static int memory[64];
    int *mine, key;
    MPI_Aint at;
    MPI_Group all;
    MPI_Info info;
    MPI_Errhandler handler;
    MPIX_Lock lock;
    MPI_Win win;
    OK(MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, world, &win));
    OK(MPI_Win_create_errhandler(handle_win, &handler));
    OK(MPI_Win_set_errhandler(win, handler));
    OK(MPI_Errhandler_free(&handler));
    OK(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &key, NULL));
    OK(MPI_Win_set_attr(win, key, &key));
    OK(MPI_Win_free_keyval(&key));
    OK(MPI_Win_get_info(win, &info));
    OK(MPI_Win_set_info(win, info));
    OK(MPI_Info_free(&info));
    accesses(win);
    OK(MPI_Win_get_group(win, &all));
    OK(MPI_Win_post(all, 0, win));
    OK(MPI_Win_start(all, 0, win));
    OK(MPI_Put(out, 4, MPI_INT, t_next(), 0, 4, MPI_INT, win));
    OK(MPI_Group_free(&all));
    OK(MPI_Win_complete(win));
    OK(MPI_Win_wait(win));
    OK(MPI_Win_free(&win));
    OK(MPI_Win_allocate(256, 4, MPI_INFO_NULL, world, &mine, &win));
    OK(MPI_Win_fence(0, win));
    OK(MPI_Put(out, 4, MPI_INT, t_next(), 0, 4, MPI_INT, win));
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    accesses(win);
    OK(MPI_Win_free(&win));
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, world, &win));
    OK(MPI_Win_attach(win, memory, sizeof memory));
    OK(MPI_Get_address(memory, &at));
    OK(MPI_Win_detach(win, memory));
    OK(MPI_Win_free(&win));
    OK(MPIX_Lock_create(world, 0, &lock));
    OK(MPIX_Lock_acquire(lock));
    OK(MPIX_Lock_release(lock));
    OK(MPIX_Lock_free(&lock));
    OK(MPI_Alloc_mem(100000, MPI_INFO_NULL, &mine));
    OK(MPI_Free_mem(mine));
}

/* -- sessions, tools, codes of the program's own */

static void sessions(void)
{
    const int last = t_size - 1;
    MPI_Session s;
    MPI_Group all, half[2];
    MPI_Comm made;
    MPI_Info info;
    OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &s));
    OK(MPI_Session_get_info(s, &info));
    OK(MPI_Info_free(&info));
    OK(MPI_Group_from_session_pset(s, "mpi://WORLD", &all));
    OK(MPI_Comm_create_from_group(all, "leaks", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &made));
    OK(MPI_Comm_free(&made));
    if (t_size > 1) {       /* the last rank and all others */
        OK(MPI_Group_incl(all, 1, &last, &half[1]));
        OK(MPI_Group_excl(all, 1, &last, &half[0]));
        OK(MPI_Intercomm_create_from_groups(half[t_rank == last], 0, half[t_rank != last], 0,
                                            "leaks", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &made));
        OK(MPI_Comm_free(&made));
        OK(MPI_Group_free(&half[0]));
        OK(MPI_Group_free(&half[1]));
    }
    OK(MPI_Group_free(&all));
    OK(MPI_Session_finalize(&s));
}

static void tools(void)
{
    int provided, count, class, code;
    MPI_T_pvar_session s;
    MPI_T_pvar_handle p, q;
    MPI_T_cvar_handle c;
    MPI_T_event_registration r;
    OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    OK(MPI_T_pvar_session_create(&s));
    OK(MPI_T_pvar_handle_alloc(s, 0, NULL, &p, &count));
    OK(MPI_T_pvar_handle_alloc(s, 1, NULL, &q, &count));
    OK(MPI_T_pvar_handle_free(s, &q));
    OK(MPI_T_pvar_session_free(&s));        /* and the handle that is left */
    OK(MPI_T_cvar_handle_alloc(0, NULL, &c, &count));
    OK(MPI_T_event_handle_alloc(0, NULL, MPI_INFO_NULL, &r));
    OK(MPI_T_event_handle_free(r, NULL, NULL));
    OK(MPI_T_finalize());                   /* and what nobody has freed */
    OK(MPI_Add_error_class(&class));
    OK(MPI_Add_error_code(class, &code));
    OK(MPI_Add_error_string(code, "a text"));
    OK(MPI_Remove_error_string(code));
    OK(MPI_Remove_error_code(code));
    OK(MPI_Remove_error_class(class));
}

/* -- rounds */

enum { FEWER = 8 };         /* so many times, where none are counted */

static const struct { const char *name; void (*round)(void); int rounds; } kinds[] = {
    { "messages", messages, 60 }, { "probes", probed, 100 }, { "buffers", buffered, 60 },
    { "kept requests", kept_requests, 100 }, { "own requests", own_requests, 100 },
    { "communicators", communicators, 40 }, { "groups", groups, 60 },
    { "topologies", topologies, 40 }, { "two sides", two_sides, 40 },
    { "properties", properties, 60 }, { "operations", operations, 60 }, { "types", types, 100 },
    { "collectives", collectives, 60 }, { "windows", windows, 40 }, { "sessions", sessions, 40 },
    { "tools", tools, 100 },
};

/* What is kept for later use is there after some rounds; a block that is lost in each shows. */
static void look(const char *name, void (*round)(void), int rounds)
{
    for (int i = 0; i < rounds; i++)
        round();
    OK(MPI_Barrier(world));
    long before = blocks;
    for (int i = 0; i < rounds; i++)
        round();
    OK(MPI_Barrier(world));
    long more = blocks - before;
    if (COUNTS && more >= rounds * 3 / 4)
        FAIL("%s: %ld blocks more after %d rounds", name, more, rounds);
}

/* What the library takes is seen here. */
static void check_count(void)
{
    long before = blocks;
    MPI_Info info;
    OK(MPI_Info_create(&info));
    CHECK(!COUNTS || blocks > before);
    OK(MPI_Info_free(&info));
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    check_count();
    if (t_size > 16)
        t_skip("too many ranks for its arrays");
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &world));
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        look(kinds[i].name, kinds[i].round,
             COUNTS ? kinds[i].rounds : (kinds[i].rounds + FEWER - 1) / FEWER);
    OK(MPI_Comm_free(&world));
    return t_end();
}
