/* signatures WHICH [right]: messages that are received as another type than they were sent as, and
 * collectives that ranks call with other types, operations or roots; with "right" the same. */
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 8 };
static int rank, last;
static bool right;
static int data[COUNT], other[COUNT];

/* -- messages */

/* Of each way to make a type so many pairs of it, with a number behind them. */
struct made { MPI_Datatype type; int pairs; };
enum { WAYS = 11 };

static void make_types(MPI_Datatype pair, struct made *made)
{
    const int threes[] = { 0, 3, 9 }, lengths[] = { 1, 3 }, first[] = { 0, 2 };
    const int whole[] = { 4, 5 }, part[] = { 2, 3 };
    const MPI_Aint far[] = { 0, 64, 128 };
    MPI_Datatype twice;
    struct made *m = made;

    MPI_Type_contiguous(2, pair, &twice);
    MPI_Type_contiguous(4, pair, &m->type), m++->pairs = 4;
    MPI_Type_vector(3, 2, 3, pair, &m->type), m++->pairs = 6;
    MPI_Type_create_hvector(3, 1, 24, pair, &m->type), m++->pairs = 3;
    MPI_Type_indexed(2, lengths, first, pair, &m->type), m++->pairs = 4;
    MPI_Type_create_hindexed(2, lengths, far, pair, &m->type), m++->pairs = 4;
    MPI_Type_create_indexed_block(3, 2, threes, pair, &m->type), m++->pairs = 6;
    MPI_Type_create_hindexed_block(3, 1, far, pair, &m->type), m++->pairs = 3;
    MPI_Type_create_subarray(2, whole, part, first, MPI_ORDER_C, pair, &m->type), m++->pairs = 6;
    MPI_Type_create_resized(twice, 0, 64, &m->type), m++->pairs = 2;
    MPI_Type_dup(twice, &m->type), m++->pairs = 2;
    MPI_Type_create_struct(2, lengths, far, (MPI_Datatype[]){ pair, twice }, &m->type);
    m++->pairs = 7;
    MPI_Type_free(&twice);
}

static void put_behind(MPI_Datatype *type, int count, MPI_Datatype number)
{
    MPI_Datatype with;
    const MPI_Aint at[] = { 0, 800 };
    MPI_Type_create_struct(2, (int[]){ count, 1 }, at, (MPI_Datatype[]){ *type, number }, &with);
    MPI_Type_commit(&with);
    MPI_Type_free(type);
    *type = with;
}

static void mismatch_made(void)
{
    static char out[1024], in[1024];
    struct made made[WAYS];
    MPI_Datatype pair, pairs;
    const MPI_Aint at[] = { 0, 4 };
    MPI_Type_create_struct(2, (int[]){ 1, 1 }, at, (MPI_Datatype[]){ MPI_INT, MPI_FLOAT }, &pair);
    make_types(pair, made);
    for (int i = 0; i < WAYS; i++) {
        put_behind(&made[i].type, 1, MPI_DOUBLE);
        MPI_Type_dup(pair, &pairs);
        put_behind(&pairs, made[i].pairs, right ? MPI_DOUBLE : MPI_LONG);
        if (!rank)
            MPI_Send(out, 1, made[i].type, last, 60 + i, MPI_COMM_WORLD);
        if (rank == last)
            MPI_Recv(in, 1, pairs, 0, 60 + i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Type_free(&pairs);
        MPI_Type_free(&made[i].type);
    }
    MPI_Type_free(&pair);
}

/* Each type is sent, and received as one that is as long but of another kind. */
static void mismatch_kinds(const MPI_Datatype *kinds, int count)
{
    static char out[64], in[64];
    for (int i = 0; i < count; i++) {
        if (!rank)
            MPI_Send(out, 1, kinds[2 * i], last, 60 + i, MPI_COMM_WORLD);
        if (rank == last)
            MPI_Recv(in, 1, kinds[2 * i + !right], 0, 60 + i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void mismatch_signed(void)
{
    const MPI_Datatype kinds[] = {
        MPI_CHAR, MPI_UINT8_T, MPI_SIGNED_CHAR, MPI_UINT8_T, MPI_CHARACTER, MPI_UINT8_T,
        MPI_SHORT, MPI_UINT16_T, MPI_INT, MPI_UINT32_T, MPI_LONG, MPI_UINT64_T,
        MPI_LONG_LONG, MPI_UINT64_T, MPI_INT8_T, MPI_UINT8_T, MPI_INT16_T, MPI_UINT16_T,
        MPI_INT32_T, MPI_UINT32_T, MPI_INT64_T, MPI_UINT64_T, MPI_AINT, MPI_UINT64_T,
        MPI_COUNT, MPI_UINT64_T, MPI_OFFSET, MPI_UINT64_T, MPI_WCHAR, MPI_UINT32_T,
    };
    mismatch_kinds(kinds, sizeof kinds / sizeof *kinds / 2);
}

static void mismatch_fortran(void)
{
    const MPI_Datatype kinds[] = {
        MPI_INTEGER, MPI_UINT32_T, MPI_INTEGER1, MPI_UINT8_T, MPI_INTEGER2, MPI_UINT16_T,
        MPI_INTEGER4, MPI_UINT32_T, MPI_INTEGER8, MPI_UINT64_T, MPI_REAL, MPI_INT32_T,
        MPI_DOUBLE_PRECISION, MPI_INT64_T, MPI_REAL4, MPI_INT32_T, MPI_REAL8, MPI_INT64_T,
        MPI_REAL16, MPI_C_DOUBLE_COMPLEX, MPI_COMPLEX, MPI_INT64_T, MPI_COMPLEX8, MPI_INT64_T,
        MPI_DOUBLE_COMPLEX, MPI_REAL16, MPI_COMPLEX16, MPI_REAL16,
    };
    mismatch_kinds(kinds, sizeof kinds / sizeof *kinds / 2);
}

static void mismatch_numbers(void)
{
    const MPI_Datatype kinds[] = {
        MPI_UNSIGNED_CHAR, MPI_INT8_T, MPI_UNSIGNED_SHORT, MPI_INT16_T, MPI_UNSIGNED, MPI_INT32_T,
        MPI_UNSIGNED_LONG, MPI_INT64_T, MPI_UNSIGNED_LONG_LONG, MPI_INT64_T, MPI_UINT8_T,
        MPI_INT8_T, MPI_UINT16_T, MPI_INT16_T, MPI_UINT32_T, MPI_INT32_T, MPI_UINT64_T,
        MPI_INT64_T, MPI_FLOAT, MPI_INT32_T, MPI_DOUBLE, MPI_INT64_T, MPI_C_FLOAT_COMPLEX,
        MPI_INT64_T, MPI_CXX_FLOAT_COMPLEX, MPI_INT64_T, MPI_C_DOUBLE_COMPLEX, MPI_LONG_DOUBLE,
        MPI_CXX_DOUBLE_COMPLEX, MPI_LONG_DOUBLE,
    };
    mismatch_kinds(kinds, sizeof kinds / sizeof *kinds / 2);
}

/* Each call that sends, to rank `last`, or prepares to: what it sends are integers.  Ready: its
 * receive must be posted before; sync: it waits for that. */
enum { NOTHING = MPI_PROC_NULL };
static const struct { bool ready, sync; } modes[] = {
    { 0, 0 }, { 0, 0 }, { 0, 1 }, { 0, 1 }, { 1, 0 }, { 1, 0 }, { 0, 0 }, { 0, 0 },
    { 0, 0 }, { 0, 0 }, { 0, 0 }, { 0, 0 },
    { 0, 0 }, { 0, 0 }, { 0, 1 }, { 0, 1 }, { 1, 0 }, { 1, 0 }, { 0, 0 }, { 0, 0 },
    { 0, 0 }, { 0, 0 }, { 0, 0 }, { 0, 0 },
    { 0, 0 }, { 0, 0 }, { 0, 1 }, { 0, 1 }, { 1, 0 }, { 1, 0 }, { 0, 0 }, { 0, 0 },
};
enum { BLOCKING = 12, STARTED = 24, SENDS = sizeof modes / sizeof *modes };

static MPI_Request send_by(int call, int to, int tag)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Request r = MPI_REQUEST_NULL;
    MPI_Status s;
    switch (call) {
    case 0: MPI_Send(data, 1, MPI_INT, to, tag, comm); break;
    case 1: MPI_Send_c(data, 1, MPI_INT, to, tag, comm); break;
    case 2: MPI_Ssend(data, 1, MPI_INT, to, tag, comm); break;
    case 3: MPI_Ssend_c(data, 1, MPI_INT, to, tag, comm); break;
    case 4: MPI_Rsend(data, 1, MPI_INT, to, tag, comm); break;
    case 5: MPI_Rsend_c(data, 1, MPI_INT, to, tag, comm); break;
    case 6: MPI_Bsend(data, 1, MPI_INT, to, tag, comm); break;
    case 7: MPI_Bsend_c(data, 1, MPI_INT, to, tag, comm); break;
    case 8:
        MPI_Sendrecv(data, 1, MPI_INT, to, tag, other, 1, MPI_INT, NOTHING, tag, comm, &s);
        break;
    case 9:
        MPI_Sendrecv_c(data, 1, MPI_INT, to, tag, other, 1, MPI_INT, NOTHING, tag, comm, &s);
        break;
    case 10: MPI_Sendrecv_replace(data, 1, MPI_INT, to, tag, NOTHING, tag, comm, &s); break;
    case 11: MPI_Sendrecv_replace_c(data, 1, MPI_INT, to, tag, NOTHING, tag, comm, &s); break;
    case 12: MPI_Isend(data, 1, MPI_INT, to, tag, comm, &r); break;
    case 13: MPI_Isend_c(data, 1, MPI_INT, to, tag, comm, &r); break;
    case 14: MPI_Issend(data, 1, MPI_INT, to, tag, comm, &r); break;
    case 15: MPI_Issend_c(data, 1, MPI_INT, to, tag, comm, &r); break;
    case 16: MPI_Irsend(data, 1, MPI_INT, to, tag, comm, &r); break;
    case 17: MPI_Irsend_c(data, 1, MPI_INT, to, tag, comm, &r); break;
    case 18: MPI_Ibsend(data, 1, MPI_INT, to, tag, comm, &r); break;
    case 19: MPI_Ibsend_c(data, 1, MPI_INT, to, tag, comm, &r); break;
    case 20:
        MPI_Isendrecv(data, 1, MPI_INT, to, tag, other, 1, MPI_INT, NOTHING, tag, comm, &r);
        break;
    case 21:
        MPI_Isendrecv_c(data, 1, MPI_INT, to, tag, other, 1, MPI_INT, NOTHING, tag, comm, &r);
        break;
    case 22: MPI_Isendrecv_replace(data, 1, MPI_INT, to, tag, NOTHING, tag, comm, &r); break;
    case 23: MPI_Isendrecv_replace_c(data, 1, MPI_INT, to, tag, NOTHING, tag, comm, &r); break;
    case 24: MPI_Send_init(data, 1, MPI_INT, to, tag, comm, &r); break;
    case 25: MPI_Send_init_c(data, 1, MPI_INT, to, tag, comm, &r); break;
    case 26: MPI_Ssend_init(data, 1, MPI_INT, to, tag, comm, &r); break;
    case 27: MPI_Ssend_init_c(data, 1, MPI_INT, to, tag, comm, &r); break;
    case 28: MPI_Rsend_init(data, 1, MPI_INT, to, tag, comm, &r); break;
    case 29: MPI_Rsend_init_c(data, 1, MPI_INT, to, tag, comm, &r); break;
    case 30: MPI_Bsend_init(data, 1, MPI_INT, to, tag, comm, &r); break;
    case 31: MPI_Bsend_init_c(data, 1, MPI_INT, to, tag, comm, &r); break;
    }
    return r;
}

/* What has been prepared is no send yet: its buffer may be written. */
static void send_whole(int call, int tag)
{
    MPI_Request r = send_by(call, last, tag);
    if (call >= STARTED) {
        data[0]++;
        MPI_Start(&r);
    }
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    if (call >= STARTED)
        MPI_Request_free(&r);
}

/* One place for all receives.  But for ready sends they come when the message is there. */
static void mismatch_by(int begin, int end)
{
    static float real;
    MPI_Request r = MPI_REQUEST_NULL;
    for (int call = begin; call < end; call++) {
        const int tag = 60 + call - begin;
        bool early = modes[call].ready;
        for (int turn = 0; turn < 2; turn++) {
            if (rank == last && early == !turn)
                MPI_Irecv(&real, 1, right ? MPI_INT : MPI_FLOAT, 0, tag, MPI_COMM_WORLD, &r);
            if (!turn)
                MPI_Barrier(MPI_COMM_WORLD);
            if (!turn && !rank)
                send_whole(call, tag);
            if (!turn && !modes[call].sync)
                MPI_Barrier(MPI_COMM_WORLD);
        }
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
}

static void mismatch_sent(void) { mismatch_by(0, BLOCKING); }
static void mismatch_started(void) { mismatch_by(BLOCKING, STARTED); }
static void mismatch_prepared(void) { mismatch_by(STARTED, SENDS); }

/* Ready sends whose receives are posted too late. */
static void ready_each(void)
{
    MPI_Request r = MPI_REQUEST_NULL;
    int tag = 60;
    for (int call = 0; call < SENDS; call++) {
        if (!modes[call].ready)
            continue;
        if (right && rank == last)
            MPI_Irecv(other, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, &r);
        MPI_Barrier(MPI_COMM_WORLD);
        if (!rank)
            send_whole(call, tag);
        MPI_Barrier(MPI_COMM_WORLD);
        if (!right && rank == last)
            MPI_Irecv(other, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        tag++;
    }
}

/* Each call that receives, from rank 0. */
static void take_by(int call, int tag)
{
    static float in;
    MPI_Datatype type = right ? MPI_INT : MPI_FLOAT;
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Request r = MPI_REQUEST_NULL;
    MPI_Status s;
    switch (call) {
    case 0: MPI_Recv(&in, 1, type, 0, tag, comm, &s); break;
    case 1: MPI_Recv_c(&in, 1, type, 0, tag, comm, &s); break;
    case 2: MPI_Sendrecv(data, 1, MPI_INT, NOTHING, tag, &in, 1, type, 0, tag, comm, &s); break;
    case 3: MPI_Sendrecv_c(data, 1, MPI_INT, NOTHING, tag, &in, 1, type, 0, tag, comm, &s); break;
    case 4: MPI_Sendrecv_replace(&in, 1, type, NOTHING, tag, 0, tag, comm, &s); break;
    case 5: MPI_Sendrecv_replace_c(&in, 1, type, NOTHING, tag, 0, tag, comm, &s); break;
    case 6: MPI_Irecv(&in, 1, type, 0, tag, comm, &r); break;
    case 7: MPI_Irecv_c(&in, 1, type, 0, tag, comm, &r); break;
    case 8: MPI_Isendrecv(data, 1, MPI_INT, NOTHING, tag, &in, 1, type, 0, tag, comm, &r); break;
    case 9: MPI_Isendrecv_c(data, 1, MPI_INT, NOTHING, tag, &in, 1, type, 0, tag, comm, &r); break;
    case 10: MPI_Isendrecv_replace(&in, 1, type, NOTHING, tag, 0, tag, comm, &r); break;
    case 11: MPI_Isendrecv_replace_c(&in, 1, type, NOTHING, tag, 0, tag, comm, &r); break;
    case 12: MPI_Recv_init(&in, 1, type, 0, tag, comm, &r); break;
    case 13: MPI_Recv_init_c(&in, 1, type, 0, tag, comm, &r); break;
    }
    if (call >= 12)
        MPI_Start(&r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    if (call >= 12)
        MPI_Request_free(&r);
}

static void mismatch_taken(void)
{
    for (int call = 0; call < 14; call++)
        if (!rank)
            MPI_Send(data, 1, MPI_INT, last, 60 + call, MPI_COMM_WORLD);
        else if (rank == last)
            take_by(call, 60 + call);
}

/* -- requests of each call, to oneself, that are left behind */

static void leave(MPI_Request *r, bool prepared)
{
    if (right && prepared)
        MPI_Request_free(r);
    else if (right)
        MPI_Wait(r, MPI_STATUS_IGNORE);
}

static void leave_message(bool large)
{
    MPI_Message m;
    MPI_Request r;
    MPI_Send(data, 1, MPI_INT, rank, 90, MPI_COMM_WORLD);
    MPI_Mprobe(rank, 90, MPI_COMM_WORLD, &m, MPI_STATUS_IGNORE);
    if (large)
        MPI_Imrecv_c(other, 1, MPI_INT, &m, &r);
    else
        MPI_Imrecv(other, 1, MPI_INT, &m, &r);
    leave(&r, false);
}

static void leave_each(bool large)
{
    static int in[SENDS];
    MPI_Request r, to_come;
    for (int call = BLOCKING + large; call < SENDS; call += 2) {
        const bool started = call < STARTED, early = modes[call].ready;
        if (started && early)
            MPI_Irecv(&in[call], 1, MPI_INT, rank, 60, MPI_COMM_WORLD, &to_come);
        r = send_by(call, rank, 60);
        if (started && !early)
            MPI_Irecv(&in[call], 1, MPI_INT, rank, 60, MPI_COMM_WORLD, &to_come);
        if (started)
            MPI_Wait(&to_come, MPI_STATUS_IGNORE);
        leave(&r, !started);
    }
    leave_message(large);
}

static void left_each(void) { leave_each(false); }
static void left_each_c(void) { leave_each(true); }

/* -- collectives */

/* On a communicator each, of which the first difference is told. */
static void operations(void)
{
    const MPI_Op ops[] = { MPI_SUM, MPI_MIN, MPI_MAX, MPI_PROD, MPI_BAND, MPI_BOR, MPI_BXOR,
                           MPI_LAND, MPI_LOR, MPI_LXOR };
    enum { OPS = sizeof ops / sizeof *ops };
    MPI_Comm dup;
    for (int i = 0; i < OPS; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &dup);
        MPI_Allreduce(data, other, 1, MPI_INT, ops[(i + (!right && !rank)) % OPS], dup);
        MPI_Comm_free(&dup);
    }
}

enum { CALLS = 10 };
static void call(int which, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    static int in[COUNT];
    switch (which) {
    case 0: MPI_Bcast(in, 1, type, 0, comm); break;
    case 1: MPI_Reduce(data, in, 1, MPI_INT, op, 0, comm); break;
    case 2: MPI_Allreduce(data, in, 1, MPI_INT, op, comm); break;
    case 3: MPI_Scan(data, in, 1, MPI_INT, op, comm); break;
    case 4: MPI_Exscan(data, in, 1, MPI_INT, op, comm); break;
    case 5: MPI_Reduce_scatter_block(data, in, 1, MPI_INT, op, comm); break;
    case 6: MPI_Gather(data, 1, type, in, 1, type, 0, comm); break;
    case 7: MPI_Scatter(data, 1, MPI_INT, in, 1, type, 0, comm); break;
    case 8: MPI_Allgather(data, 1, MPI_INT, in, 1, type, comm); break;
    case 9: MPI_Alltoall(data, 1, MPI_INT, in, 1, type, comm); break;
    }
}

static void call_c(int which, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    static int in[COUNT];
    switch (which) {
    case 0: MPI_Bcast_c(in, 1, type, 0, comm); break;
    case 1: MPI_Reduce_c(data, in, 1, MPI_INT, op, 0, comm); break;
    case 2: MPI_Allreduce_c(data, in, 1, MPI_INT, op, comm); break;
    case 3: MPI_Scan_c(data, in, 1, MPI_INT, op, comm); break;
    case 4: MPI_Exscan_c(data, in, 1, MPI_INT, op, comm); break;
    case 5: MPI_Reduce_scatter_block_c(data, in, 1, MPI_INT, op, comm); break;
    case 6: MPI_Gather_c(data, 1, type, in, 1, type, 0, comm); break;
    case 7: MPI_Scatter_c(data, 1, MPI_INT, in, 1, type, 0, comm); break;
    case 8: MPI_Allgather_c(data, 1, MPI_INT, in, 1, type, comm); break;
    case 9: MPI_Alltoall_c(data, 1, MPI_INT, in, 1, type, comm); break;
    }
}

static void call_started(int which, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    static int in[COUNT];
    MPI_Request r = MPI_REQUEST_NULL;
    switch (which) {
    case 0: MPI_Ibcast(in, 1, type, 0, comm, &r); break;
    case 1: MPI_Ireduce(data, in, 1, MPI_INT, op, 0, comm, &r); break;
    case 2: MPI_Iallreduce(data, in, 1, MPI_INT, op, comm, &r); break;
    case 3: MPI_Ibcast_c(in, 1, type, 0, comm, &r); break;
    case 4: MPI_Ireduce_c(data, in, 1, MPI_INT, op, 0, comm, &r); break;
    case 5: MPI_Iallreduce_c(data, in, 1, MPI_INT, op, comm, &r); break;
    }
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

/* Rank 0 calls each with another operation, or another type of the same length. */
static void call_all(void (*one)(int, MPI_Datatype, MPI_Op, MPI_Comm), int count)
{
    bool odd = !right && !rank;
    MPI_Comm dup;
    for (int i = 0; i < count; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &dup);
        one(i, odd ? MPI_FLOAT : MPI_INT, odd ? MPI_MAX : MPI_SUM, dup);
        MPI_Comm_free(&dup);
    }
}

static void calls(void) { call_all(call, CALLS); }
static void calls_c(void) { call_all(call_c, CALLS); }
static void calls_started(void) { call_all(call_started, 6); }

/* One place for all: the call is not the last thing that it does. */
__attribute__((noinline)) static void reduce(MPI_Op op, MPI_Datatype type, int root)
{
    if (root < 0 ? MPI_Allreduce(data, other, 1, type, op, MPI_COMM_WORLD)
                 : MPI_Reduce(data, other, 1, type, op, root, MPI_COMM_WORLD))
        MPI_Abort(MPI_COMM_WORLD, 3);
}

static void again(MPI_Op op, MPI_Datatype type, int root)
{
    bool odd = !right && !rank;
    reduce(MPI_SUM, MPI_INT, root < 0 ? root : 0);
    reduce(odd ? op : MPI_SUM, odd ? type : MPI_INT, root < 0 ? root : odd ? root : 0);
}

static void again_operation(void) { again(MPI_MAX, MPI_INT, -1); }
static void again_type(void) { again(MPI_SUM, MPI_FLOAT, -1); }
static void again_root(void) { again(MPI_SUM, MPI_INT, 1); }

static void unrolled(void)
{
    for (int i = 0; i < 2; i++)
        reduce(MPI_MIN, MPI_INT, -1);
    if (rank) {
        MPI_Allreduce(data, other, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        reduce(MPI_MIN, MPI_INT, -1);
    } else {
        for (int i = 0; i < 2; i++)
            reduce(MPI_MIN, MPI_INT, -1);
    }
    reduce(right || rank ? MPI_BXOR : MPI_BAND, MPI_INT, -1);
}

static const struct { const char *name; void (*run)(void); } mistakes[] = {
    { "mismatch_made", mismatch_made }, { "mismatch_signed", mismatch_signed },
    { "mismatch_fortran", mismatch_fortran }, { "mismatch_numbers", mismatch_numbers },
    { "mismatch_sent", mismatch_sent }, { "mismatch_started", mismatch_started },
    { "mismatch_prepared", mismatch_prepared }, { "mismatch_taken", mismatch_taken },
    { "ready_each", ready_each }, { "left_each", left_each }, { "left_each_c", left_each_c },
    { "operations", operations }, { "calls", calls }, { "calls_c", calls_c },
    { "calls_started", calls_started }, { "again_operation", again_operation },
    { "again_type", again_type }, { "again_root", again_root }, { "unrolled", unrolled },
};

int main(int argc, char **argv)
{
    static char room[4096];
    int bytes = sizeof room;
    void *buffer;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &last);
    last--;
    right = argc > 2;
    MPI_Buffer_attach(room, bytes);
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
        if (argc > 1 && !strcmp(mistakes[i].name, argv[1]))
            mistakes[i].run();
    MPI_Buffer_detach(&buffer, &bytes);
    MPI_Finalize();
    return 0;
}
