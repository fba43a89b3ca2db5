/* mistakes WHICH [right]: what goes wrong most often, one at a time; with "right" the same without
 * the mistake, of which nothing is to be said, and "all right" all of these in turn. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LONG = 1 << 20 };
static int rank, size, last;
static bool right;
static char data[LONG], other[LONG];

static void wrong_tag(void)
{
    if (rank == 0)
        MPI_Send(data, 3, MPI_CHAR, 1, 5, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Recv(data, 3, MPI_CHAR, 0, right ? 5 : 6, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

/* Rank 0 has already sent when the others want to be spoken to first. */
static void wrong_communicator(void)
{
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
    MPI_Comm_set_name(comm, "backwards");
    if (right && rank == last)
        for (int i = 0; i < size; i++)
            MPI_Send(other, 1, MPI_CHAR, i, 7, comm);
    MPI_Recv(data, 1, MPI_CHAR, 0, 7, comm, MPI_STATUS_IGNORE);
    if (right)
        MPI_Comm_free(&comm);
}

static void outside(void)
{
    if (right)
        MPI_Send(other, 1, MPI_CHAR, (rank + 1) % size, 8, MPI_COMM_WORLD);
    MPI_Recv(data, 1, MPI_CHAR, right ? (rank + size - 1) % size : size, 8, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
}

/* To rank 0, which receives what can be sent. */
static void send(const void *buffer, int count, MPI_Datatype type, int tag)
{
    MPI_Send(buffer, count, type, 0, tag, MPI_COMM_WORLD);
    for (int i = 0; i < size && right && !rank; i++)
        MPI_Recv(other, 4, MPI_INT, i, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void null_buffer(void) { send(NULL, right ? 0 : 4, MPI_INT, 9); }
static void null_type(void) { send(data, 4, right ? MPI_INT : MPI_DATATYPE_NULL, 9); }
static void null_comm(void) { MPI_Barrier(right ? MPI_COMM_WORLD : MPI_COMM_NULL); }
static void negative_tag(void) { send(data, 1, MPI_INT, right ? 7 : -7); }

static void long_sends(void)
{
    int peer = rank ^ 1;
    if (peer >= size)
        return;
    if (right && (rank & 1))
        MPI_Recv(other, LONG, MPI_CHAR, peer, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(data, LONG, MPI_CHAR, peer, 10, MPI_COMM_WORLD);
    if (right && !(rank & 1))
        MPI_Recv(other, LONG, MPI_CHAR, peer, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void waits_all(void)
{
    MPI_Request r[6];
    for (int i = 0; i < 5; i++)
        MPI_Irecv(data + i, 1, MPI_CHAR, i % 2 ? MPI_ANY_SOURCE : 0, 20 + i, MPI_COMM_WORLD, &r[i]);
    MPI_Irecv(other, 1, MPI_CHAR, rank, 30, MPI_COMM_WORLD, &r[5]);
    MPI_Send(data + 100, 1, MPI_CHAR, rank, 30, MPI_COMM_WORLD);
    for (int i = 0; i < size && right && !rank; i++)
        for (int j = 0; j < 5; j++)
            MPI_Send(data + 100, 1, MPI_CHAR, i, 20 + j, MPI_COMM_WORLD);
    MPI_Waitall(6, r, MPI_STATUSES_IGNORE);
}

/* The first has come, and one behind the array is waited for later. */
static void waits_in_the_middle(void)
{
    MPI_Request r[3];
    MPI_Status s[2];
    MPI_Irecv(data, 1, MPI_CHAR, rank, 31, MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(data + 1, 1, MPI_CHAR, 0, 32, MPI_COMM_WORLD, &r[1]);
    MPI_Irecv(data + 2, 1, MPI_CHAR, 0, 33, MPI_COMM_WORLD, &r[2]);
    MPI_Send(other, 1, MPI_CHAR, rank, 31, MPI_COMM_WORLD);
    for (int i = 0; i < size && right && !rank; i++)
        for (int tag = 32; tag < 34; tag++)
            MPI_Send(other, 1, MPI_CHAR, i, tag, MPI_COMM_WORLD);
    MPI_Waitall(2, r, s);
    MPI_Wait(&r[2], MPI_STATUS_IGNORE);
}

static void waits_some(void)
{
    MPI_Request r[3] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL };
    int done, which[3];
    MPI_Recv_init(data, 9, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &r[0]);
    MPI_Start(&r[0]);
    MPI_Issend(other, 9, MPI_CHAR, (rank + 1) % size, 40, MPI_COMM_WORLD, &r[2]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);     /* takes the neighbour's */
    MPI_Waitsome(3, r, &done, which, MPI_STATUSES_IGNORE);
    if (right) {
        MPI_Request_free(&r[0]);
        return;
    }
    MPI_Start(&r[0]);
    MPI_Waitsome(3, r, &done, which, MPI_STATUSES_IGNORE);
}

static void ibarrier(void)
{
    MPI_Request r;
    if (!rank)
        MPI_Recv(data, 1, MPI_CHAR, 1, 50, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (right && rank == 1)
        MPI_Send(data, 1, MPI_CHAR, 0, 50, MPI_COMM_WORLD);
    MPI_Ibarrier(MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void mprobe(void)
{
    MPI_Message m;
    if (right)
        MPI_Send(data, 1, MPI_CHAR, (rank + 1) % size, 51, MPI_COMM_WORLD);
    MPI_Mprobe(MPI_ANY_SOURCE, 51, MPI_COMM_WORLD, &m, MPI_STATUS_IGNORE);
    if (right)
        MPI_Mrecv(other, 1, MPI_CHAR, &m, MPI_STATUS_IGNORE);
}

static void sendrecv(void)
{
    MPI_Sendrecv(data, LONG, MPI_CHAR, (rank + 1) % size, 52, other, LONG, MPI_CHAR,
                 (rank + (right ? size - 1 : 1)) % size, right ? 52 : 53, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

static void never_received(void)
{
    MPI_Request r;
    if (!rank)
        MPI_Isend(data, LONG, MPI_CHAR, 1, 54, MPI_COMM_WORLD, &r);
    if (right && rank == 1)
        MPI_Recv(other, LONG, MPI_CHAR, 0, 54, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (right && !rank)
        MPI_Wait(&r, MPI_STATUS_IGNORE);
}

/* Sends of two kinds in a list, of a communicator that is not everybody's. */
static void unmatched_sends(void)
{
    MPI_Comm comm;
    MPI_Request r[2];
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, "mine");
    MPI_Issend(data, 1, MPI_CHAR, (rank + 1) % size, 33, comm, &r[0]);
    MPI_Isend(data, LONG, MPI_CHAR, (rank + 1) % size, 33, comm, &r[1]);
    for (int i = 0; i < 2 && right; i++)
        MPI_Recv(other, LONG, MPI_CHAR, (rank + size - 1) % size, 33, comm, MPI_STATUS_IGNORE);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    if (right)
        MPI_Comm_free(&comm);
}

/* Rank 1 waits for messages of two ranks, and has got others of theirs, that of the last first. */
static void wrong_tags(void)
{
    MPI_Request r[2];
    if (rank == last)
        MPI_Send(data, 3, MPI_CHAR, 1, 35, MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Recv(other, 0, MPI_CHAR, 1, 34, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(data, 3, MPI_CHAR, 1, 36, MPI_COMM_WORLD);
    }
    if (rank != 1)
        return;
    MPI_Probe(last, 35, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(data, 0, MPI_CHAR, 0, 34, MPI_COMM_WORLD);
    MPI_Probe(0, 36, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(other, 3, MPI_CHAR, 0, right ? 36 : 37, MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(other + 3, 3, MPI_CHAR, last, right ? 35 : 38, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

/* From rank 0 to rank 1: of three partitions those from `first` on are ready, and all of them have
 * come before rank 1, which has room for so many, waits for the rest. */
static void partitions(int tag, int first, int room)
{
    MPI_Request r;
    if (rank == 0) {
        MPI_Psend_init(data, 3, 1, MPI_INT, 1, tag, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
        MPI_Start(&r);
        MPI_Pready_range(first, 2, r);
    } else if (rank == 1) {
        MPI_Precv_init(other, room, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
        MPI_Start(&r);
        for (int i = first; i < room; i++)
            for (int there = 0; !there;)
                MPI_Parrived(r, i, &there);
    }
    if (rank > 1)
        return;
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Request_free(&r);
}
static void partition_missing(void) { partitions(39, right ? 0 : 1, 3); }
static void partitions_longer(void) { partitions(41, 0, right ? 3 : 2); }

/* -- collectives */

static void missing(void)
{
    if (right || rank != last)
        MPI_Barrier(MPI_COMM_WORLD);
}

static void order(void)
{
    if (right || rank == 0)
        MPI_Bcast(data, 4, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (!right && rank != 0)
        MPI_Bcast(data, 4, MPI_CHAR, 0, MPI_COMM_WORLD);
}

static void long_count(void)
{
    MPI_Bcast(data, right || rank ? LONG : LONG / 2, MPI_CHAR, 0, MPI_COMM_WORLD);
}
static void short_or_long(void)
{
    MPI_Bcast(data, rank || right ? 8 : LONG, MPI_CHAR, 0, MPI_COMM_WORLD);
}
static void long_root(void)
{
    MPI_Reduce(data, other, LONG, MPI_BYTE, MPI_BXOR, !right && rank == last ? 0 : 1,
               MPI_COMM_WORLD);
}
static void gather_count(void)
{
    MPI_Gather(data, !right && rank == last ? 8 : 4, MPI_CHAR, other, 4, MPI_CHAR, 0,
               MPI_COMM_WORLD);
}
static void scan_count(void)
{
    MPI_Scan(data, other, right || rank ? 8 : 4, MPI_BYTE, MPI_BXOR, MPI_COMM_WORLD);
}

/* The lower ranks run ahead of the last one. */
static void scan_or_barrier(void)
{
    for (int i = 0; i < 100; i++)
        MPI_Scan(data, other, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (right || rank < last)
        MPI_Scan(data, other, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    else
        MPI_Barrier(MPI_COMM_WORLD);
}

static void gather_or_scatter(void)
{
    if (right || rank)
        MPI_Gather(data, 4, MPI_CHAR, other, 4, MPI_CHAR, 1, MPI_COMM_WORLD);
    else
        MPI_Scatter(data, 4, MPI_CHAR, other, 4, MPI_CHAR, 1, MPI_COMM_WORLD);
}

static void started(void)
{
    MPI_Request r;
    if (right || rank)
        MPI_Ibarrier(MPI_COMM_WORLD, &r);
    else
        MPI_Iallreduce(data, other, 4, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static int ones[8] = { 1, 1, 1, 1, 1, 1, 1, 1 }, places[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };

static void gather_or_gatherv(void)
{
    if (right || rank)
        MPI_Gather(data, 1, MPI_INT, other, 1, MPI_INT, 0, MPI_COMM_WORLD);
    else
        MPI_Gatherv(data, 1, MPI_INT, other, ones, places, MPI_INT, 0, MPI_COMM_WORLD);
}

static void scatterv_or_scatter(void)
{
    if (right || rank)
        MPI_Scatterv(data, ones, places, MPI_INT, other, 1, MPI_INT, 0, MPI_COMM_WORLD);
    else
        MPI_Scatter(data, 1, MPI_INT, other, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

static void alltoall_or_alltoallv(void)
{
    if (right || rank)
        MPI_Alltoallv(data, ones, places, MPI_INT, other, ones, places, MPI_INT, MPI_COMM_WORLD);
    else
        MPI_Alltoall(data, 1, MPI_INT, other, 1, MPI_INT, MPI_COMM_WORLD);
}

static void alltoall_counts(void)
{
    MPI_Alltoall(data, 1, MPI_INT, other, right ? 1 : 2, MPI_INT, MPI_COMM_WORLD);
}

/* One rank sends shorter blocks than all expect, of a length that goes through windows. */
static void long_blocks(void)
{
    int bytes = LONG / 8;
    MPI_Alltoall(data, !right && rank == last ? bytes / 2 : bytes, MPI_CHAR, other, bytes,
                 MPI_CHAR, MPI_COMM_WORLD);
}

static void started_gather(void)
{
    MPI_Request r;
    int bytes = !right && rank == last ? 8 : 4;
    MPI_Igather(data, bytes, MPI_CHAR, other, 4, MPI_CHAR, 0, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

/* The same without blocking. */
static void started_blocks(void)
{
    MPI_Request r;
    int bytes = LONG / 8;
    MPI_Ialltoall(data, !right && rank == last ? bytes / 2 : bytes, MPI_CHAR, other, bytes,
                  MPI_CHAR, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void started_long(void)
{
    MPI_Request r;
    MPI_Ibcast(data, !right && rank == last ? LONG / 2 : LONG, MPI_CHAR, 0, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void started_any(void)
{
    MPI_Request r[2];
    int which;
    MPI_Irecv(data, 1, MPI_CHAR, MPI_ANY_SOURCE, 60, MPI_COMM_WORLD, &r[0]);
    if (right)
        MPI_Send(other, 1, MPI_CHAR, (rank + 1) % size, 60, MPI_COMM_WORLD);
    if (right || rank)
        MPI_Ibcast(other, 200, MPI_CHAR, 0, MPI_COMM_WORLD, &r[1]);
    else
        MPI_Ibcast(other, 300, MPI_CHAR, 0, MPI_COMM_WORLD, &r[1]);
    MPI_Waitany(2, r, &which, MPI_STATUS_IGNORE);
    MPI_Waitany(2, r, &which, MPI_STATUS_IGNORE);
}

/* By one rank alone, which does not wait for it. */
static void started_alone(void)
{
    MPI_Comm comm;
    MPI_Request r;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (right || rank == 0)
        MPI_Ibarrier(comm, &r);
    if (right) {
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        MPI_Comm_free(&comm);
    }
}

static void started_again(void)
{
    MPI_Request r;
    if (right || rank)
        MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &r);
    else
        MPI_Bcast_init(data, 4, MPI_CHAR, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
    MPI_Start(&r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Request_free(&r);
}

static void split(void)
{
    MPI_Comm comm;
    if (right || rank)
        MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &comm);
    else
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Barrier(comm);
    if (right)
        MPI_Comm_free(&comm);
}

static void dup_or_barrier(void)
{
    MPI_Comm comm;
    if (rank && !right)
        MPI_Barrier(MPI_COMM_WORLD);
    else
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (right)
        MPI_Comm_free(&comm);
}

static void two_dups(void)
{
    MPI_Comm one, two;
    MPI_Comm_dup(MPI_COMM_WORLD, &one);
    MPI_Comm_dup(MPI_COMM_WORLD, &two);
    MPI_Barrier(right || rank ? one : two);
    if (right) {
        MPI_Comm_free(&one);
        MPI_Comm_free(&two);
    }
}

static void grandchild(void)
{
    MPI_Comm part, comm;
    MPI_Group all;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2 + 5, 0, &part);
    MPI_Comm_group(part, &all);
    MPI_Comm_create(part, all, &comm);
    if (right)
        MPI_Bcast(data, 1, MPI_CHAR, 0, comm);
    else
        MPI_Recv(data, 1, MPI_CHAR, 0, 70, comm, MPI_STATUS_IGNORE);
    if (right) {
        MPI_Group_free(&all);
        MPI_Comm_free(&part);
        MPI_Comm_free(&comm);
    }
}

/* Would clear the line and begin another. */
static void evil_name(void)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, "a\r\033[2Kb\nc");
    for (int i = 0; i < size && right && !rank; i++)
        MPI_Send(other, 1, MPI_CHAR, i, 71, comm);
    MPI_Recv(data, 1, MPI_CHAR, 0, 71, comm, MPI_STATUS_IGNORE);
    if (right)
        MPI_Comm_free(&comm);
}

/* Longer than it is shown in a list. */
static void long_name(void)
{
    MPI_Comm comm;
    MPI_Request request;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, "the ranks that have something to say of the eastern part of the grid");
    MPI_Irecv(data, 1, MPI_CHAR, rank, 71, comm, &request);
    if (right)
        MPI_Send(other, 1, MPI_CHAR, rank, 71, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (right)
        MPI_Comm_free(&comm);
}

static void evil_name_in_error(void)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, "a\r\033[2Kb\nc");
    MPI_Send(data, 1, MPI_CHAR, right ? MPI_PROC_NULL : size, 71, comm);
    if (right)
        MPI_Comm_free(&comm);
}

/* No name, so that what is said is where it was made. */
static void outside_of_dup(void)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Send(data, 1, MPI_CHAR, right ? MPI_PROC_NULL : size, 72, comm);
    MPI_Comm_free(&comm);
}

static void evil_key(void)
{
    MPI_Info info;
    MPI_Info_create(&info);
    if (right)
        MPI_Info_set(info, "a\r\033[2Kb\nc", "value");
    MPI_Info_delete(info, "a\r\033[2Kb\nc");
    if (right)
        MPI_Info_free(&info);
}

/* Predefined operations are for predefined types; this one has no name. */
static void sum_of_vectors(void)
{
    MPI_Datatype vector;
    MPI_Type_vector(2, 1, 2, MPI_INT, &vector);
    MPI_Type_commit(&vector);
    MPI_Allreduce(data, other, 1, right ? MPI_INT : vector, MPI_SUM, MPI_COMM_WORLD);
    MPI_Type_free(&vector);
}

/* Of n bytes rank 1 sends or expects fewer. */
static void alltoallv(int n, int fewer_sent, int fewer_expected)
{
    int sent[8], expected[8], at[8];
    for (int i = 0; i < size; i++) {
        sent[i] = expected[i] = n;
        at[i] = i * n;
    }
    if (rank == 1 && !right) {
        sent[0] -= fewer_sent;
        expected[0] -= fewer_expected;
    }
    MPI_Alltoallv(data, sent, at, MPI_CHAR, other, expected, at, MPI_CHAR, MPI_COMM_WORLD);
}

static void sends_less(void) { alltoallv(12, 4, 0); }
static void sends_less_of_much(void) { alltoallv(LONG / 4, 1000, 0); }
static void expects_less(void) { alltoallv(12, 0, 4); }

static void block_counts(void)
{
    MPI_Reduce_scatter_block(data, other, right || rank ? 8 : 4, MPI_BYTE, MPI_BXOR,
                             MPI_COMM_WORLD);
}

static void block_or_not(void)
{
    int counts[8] = { 4, 4, 4, 4, 4, 4, 4, 4 };
    if (right || rank)
        MPI_Reduce_scatter_block(data, other, 4, MPI_BYTE, MPI_BXOR, MPI_COMM_WORLD);
    else
        MPI_Reduce_scatter(data, other, counts, MPI_BYTE, MPI_BXOR, MPI_COMM_WORLD);
}

static void dup_or_create(void)
{
    MPI_Comm comm;
    MPI_Group all;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    if (rank && !right)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    else
        MPI_Comm_create(MPI_COMM_WORLD, all, &comm);
    if (right) {
        MPI_Group_free(&all);
        MPI_Comm_free(&comm);
    }
}

/* Of the same graph, of which no rank has an edge. */
static void graph_or_dist_graph(void)
{
    static const int index[8];
    MPI_Comm comm;
    if (rank && !right)
        MPI_Graph_create(MPI_COMM_WORLD, size, index, index, 0, &comm);
    else
        MPI_Dist_graph_create(MPI_COMM_WORLD, 0, NULL, NULL, NULL, NULL, MPI_INFO_NULL, 0, &comm);
    if (right)
        MPI_Comm_free(&comm);
}

/* Each row of a grid for itself, whose first rank nobody sends to. */
static void row_of_grid(void)
{
    const int dims[] = { size / 2, 2 }, periods[] = { 0, 0 }, remain[] = { 0, 1 };
    int place;
    MPI_Comm grid, row;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    if (grid == MPI_COMM_NULL)
        return;
    MPI_Cart_sub(grid, remain, &row);
    MPI_Comm_rank(row, &place);
    if (place == 1 && right)
        MPI_Send(data, 1, MPI_CHAR, 0, 91, row);
    else if (place == 0)
        MPI_Recv(other, 1, MPI_CHAR, 1, 91, row, MPI_STATUS_IGNORE);
    MPI_Comm_free(&row);
    MPI_Comm_free(&grid);
}

/* Far behind hundreds that there is nothing to wait for. */
static void waits_far_behind(void)
{
    enum { MANY = 600 };
    static MPI_Request r[MANY];
    int which;
    for (int i = 0; i < MANY; i++)
        r[i] = MPI_REQUEST_NULL;
    MPI_Irecv(data, 1, MPI_CHAR, 0, 80, MPI_COMM_WORLD, &r[MANY - 2]);
    for (int i = 0; i < size && right && !rank; i++)
        MPI_Send(other, 1, MPI_CHAR, i, 80, MPI_COMM_WORLD);
    MPI_Waitany(MANY, r, &which, MPI_STATUS_IGNORE);
}

/* The root says how much it sends to all, where MPI wants to know how much to each. */
static void scatter_total(void)
{
    MPI_Scatter(data, right ? 4 : 4 * size, MPI_INT, other, 4, MPI_INT, 0, MPI_COMM_WORLD);
}

/* And all ranks how much they get from all, where MPI wants to know how much from each. */
static void allgather_total(void)
{
    MPI_Allgather(data, 4, MPI_INT, other, right ? 4 : 4 * size, MPI_INT, MPI_COMM_WORLD);
}

/* One rank sends less than all expect, which it expects, too. */
static void allgatherv_own(void)
{
    int counts[8], at[8];
    for (int i = 0; i < size; i++) {
        counts[i] = 2;
        at[i] = 2 * i;
    }
    MPI_Allgatherv(data, rank == 1 && !right ? 1 : 2, MPI_INT, other, counts, at, MPI_INT,
                   MPI_COMM_WORLD);
}

/* One rank takes another's block to be long, where all others know it to be short. */
static void allgatherv_longer(void)
{
    static int long_data[4096];
    int counts[8], at[8];
    for (int i = 0; i < size; i++) {
        counts[i] = i == 2 && rank == 1 && !right ? 2000 : 2;
        at[i] = 2 * i;
    }
    MPI_Allgatherv(data, 2, MPI_INT, long_data, counts, at, MPI_INT, MPI_COMM_WORLD);
}

/* The last two have the same place in the array. */
static void wrong_index(void)
{
    MPI_Request r[3] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL, (MPI_Request)data };
    if (right)
        MPI_Irecv(data + 4, 1, MPI_INT, rank, 90, MPI_COMM_WORLD, &r[2]);
    MPI_Irecv(data, 1, MPI_INT, rank, 90, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(other, 1, MPI_INT, rank, 90, MPI_COMM_WORLD, &r[1]);
    if (right)
        MPI_Send(other, 1, MPI_INT, rank, 90, MPI_COMM_WORLD);
    else
        MPI_Isend(other, 1, MPI_INT, rank, 90, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
}

static void no_contexts(void)
{
    MPI_Comm comm;
    for (int i = 0; i < 9000 || !right; i++) {
        MPI_Comm_dup(MPI_COMM_SELF, &comm);
        if (right)
            MPI_Comm_free(&comm);
    }
}

/* Of any rank's: what it sends would come from the rank, which knows nothing of it. */
static void from_child(void)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        if (!right)
            MPI_Sendrecv(data, 1, MPI_INT, rank, 5, other, 1, MPI_INT, rank, 5, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
        _exit(0);
    }
    waitpid(child, &status, 0);
}

static void session_from_child(void)
{
    MPI_Session session;
    int status;
    pid_t child = fork();
    if (child == 0) {
        if (!right)
            MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
        _exit(0);
    }
    waitpid(child, &status, 0);
}

/* Rank 1 does not look at what its calls return. */
static void returned_error(void)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    if (rank == 1) {
        MPI_Send(data, right ? 1 : -1, MPI_CHAR, 0, 30, comm);
        MPI_Send(data, 1, MPI_CHAR, right ? 0 : size, 31, comm);
    }
    for (int tag = 30; rank == 0 && tag < 32; tag++)
        MPI_Recv(other, 1, MPI_CHAR, 1, tag, comm, MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
}

/* No exit code, and with a text that would clear the line. */
static void own_code(void)
{
    int class, code[2];
    MPI_Add_error_class(&class);
    MPI_Add_error_code(class, &code[0]);
    MPI_Add_error_code(class, &code[1]);
    MPI_Add_error_string(code[1], "a\r\033[2Kb");
    if (!right)
        MPI_Comm_call_errhandler(MPI_COMM_WORLD, code[1]);
}

static void unreadable(void)
{
    int may = right ? PROT_READ : PROT_NONE;
    void *buffer = mmap(NULL, LONG, may, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (rank == 0)
        MPI_Send(buffer, LONG, MPI_CHAR, 1, 32, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Recv(data, LONG, MPI_CHAR, 0, 32, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    munmap(buffer, LONG);
}

/* Nothing is to be received: it is the send that fails.  Rank 1 does not mind. */
static void unreadable_exchange(void)
{
    int may = right ? PROT_READ : PROT_NONE;
    void *buffer = mmap(NULL, LONG, may, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, rank == 1 ? MPI_ERRORS_RETURN : MPI_ERRORS_ARE_FATAL);
    if (rank == 0)
        MPI_Sendrecv(buffer, LONG, MPI_CHAR, 1, 34, NULL, 0, MPI_CHAR, MPI_PROC_NULL, 34, comm,
                     MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Recv(data, LONG, MPI_CHAR, 0, 34, comm, MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
    munmap(buffer, LONG);
}

static void unreadable_root(void)
{
    int may = right ? PROT_READ : PROT_NONE;
    void *buffer = mmap(NULL, LONG, may, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MPI_Bcast(rank ? data : buffer, LONG, MPI_CHAR, 0, MPI_COMM_WORLD);
    munmap(buffer, LONG);
}

/* Behind what is sent by a block, instead of by all. */
static void shifted_blocks(void)
{
    MPI_Alltoall(data, 8, MPI_CHAR, data + (right ? 8 * size : 8), 8, MPI_CHAR, MPI_COMM_WORLD);
}

#define MISTAKE(name) { #name, name }
static const struct { const char *name; void (*make)(void); } mistakes[] = {
    MISTAKE(wrong_tag), MISTAKE(wrong_communicator), MISTAKE(outside), MISTAKE(null_buffer),
        MISTAKE(null_type), MISTAKE(null_comm), MISTAKE(negative_tag),
    MISTAKE(long_sends), MISTAKE(waits_all), MISTAKE(waits_some), MISTAKE(ibarrier),
        MISTAKE(mprobe), MISTAKE(sendrecv), MISTAKE(never_received),
        MISTAKE(unmatched_sends), MISTAKE(wrong_tags), MISTAKE(partition_missing),
        MISTAKE(partitions_longer),
    MISTAKE(missing), MISTAKE(order), MISTAKE(long_count), MISTAKE(short_or_long),
        MISTAKE(long_root), MISTAKE(gather_count), MISTAKE(scan_count),
        MISTAKE(scan_or_barrier),
    MISTAKE(gather_or_gatherv), MISTAKE(scatterv_or_scatter), MISTAKE(alltoall_or_alltoallv),
    MISTAKE(alltoall_counts), MISTAKE(long_blocks), MISTAKE(started_blocks),
    MISTAKE(started_long),
    MISTAKE(gather_or_scatter), MISTAKE(started), MISTAKE(started_any), MISTAKE(started_gather),
        MISTAKE(started_alone), MISTAKE(started_again), MISTAKE(split), MISTAKE(dup_or_barrier),
    MISTAKE(no_contexts), MISTAKE(two_dups), MISTAKE(grandchild), MISTAKE(evil_name),
    MISTAKE(long_name),
    MISTAKE(evil_name_in_error), MISTAKE(evil_key), MISTAKE(sends_less),
        MISTAKE(sends_less_of_much),
    MISTAKE(expects_less), MISTAKE(block_counts), MISTAKE(block_or_not), MISTAKE(dup_or_create),
    MISTAKE(graph_or_dist_graph), MISTAKE(row_of_grid), MISTAKE(waits_in_the_middle),
    MISTAKE(waits_far_behind), MISTAKE(scatter_total), MISTAKE(allgather_total),
    MISTAKE(allgatherv_own), MISTAKE(allgatherv_longer), MISTAKE(wrong_index),
        MISTAKE(sum_of_vectors),
    MISTAKE(outside_of_dup), MISTAKE(from_child), MISTAKE(session_from_child),
    MISTAKE(returned_error), MISTAKE(own_code), MISTAKE(unreadable),
    MISTAKE(unreadable_exchange),
    MISTAKE(unreadable_root), MISTAKE(shifted_blocks),
};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    last = size - 1;
    right = argc > 2;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
        if (argc > 1 && !strcmp(argv[1], mistakes[i].name)) {
            mistakes[i].make();
        } else if (right && !strcmp(argv[1], "all")) {
            mistakes[i].make();
            MPI_Barrier(MPI_COMM_WORLD);        /* some receive from anybody */
        }
    MPI_Finalize();
    return 0;
}
