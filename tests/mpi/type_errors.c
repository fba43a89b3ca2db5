/* Wrong arguments of the calls that make and free datatypes, and types that may not be used. */
#include "t.h"

static void freed(void)
{
    MPI_Datatype t, stale, predefined = MPI_INT, none = MPI_DATATYPE_NULL;
    OK(MPI_Type_contiguous(3, MPI_INT, &t));
    stale = t;
    OK(MPI_Type_free(&t));
    CHECK(t == MPI_DATATYPE_NULL);
    CLASS(MPI_Type_free(&stale), MPI_ERR_TYPE);
    CLASS(MPI_Type_commit(&stale), MPI_ERR_TYPE);
    CLASS(MPI_Type_free(&predefined), MPI_ERR_TYPE);
    CHECK(predefined == MPI_INT);
    CLASS(MPI_Type_free(&none), MPI_ERR_TYPE);
    CLASS(MPI_Type_commit(&none), MPI_ERR_TYPE);
    OK(MPI_Type_commit(&predefined));
}

static void uncommitted(void)
{
    int buffer[3] = { 0 }, position = 0;
    MPI_Datatype t, copy;
    MPI_Request r;
    OK(MPI_Type_contiguous(1, MPI_INT, &t));
    OK(MPI_Type_dup(t, &copy));         /* it is as its original */
    CLASS(MPI_Bcast(buffer, 1, copy, 0, MPI_COMM_SELF), MPI_ERR_TYPE);
    OK(MPI_Type_free(&copy));
    CLASS(MPI_Send(buffer, 1, t, 0, 0, MPI_COMM_SELF), MPI_ERR_TYPE);
    CLASS(MPI_Isend(buffer, 1, t, 0, 0, MPI_COMM_SELF, &r), MPI_ERR_TYPE);
    CLASS(MPI_Recv(buffer, 1, t, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE), MPI_ERR_TYPE);
    CLASS(MPI_Irecv(buffer, 1, t, 0, 0, MPI_COMM_SELF, &r), MPI_ERR_TYPE);
    CLASS(MPI_Recv_init(buffer, 1, t, 0, 0, MPI_COMM_SELF, &r), MPI_ERR_TYPE);
    CLASS(MPI_Pack(buffer, 1, t, buffer, 4, &position, MPI_COMM_SELF), MPI_ERR_TYPE);
    CLASS(MPI_Bcast(buffer, 1, t, 0, MPI_COMM_SELF), MPI_ERR_TYPE);
    OK(MPI_Type_commit(&t));
    OK(MPI_Bcast(buffer, 1, t, 0, MPI_COMM_SELF));
    OK(MPI_Type_dup(t, &copy));
    OK(MPI_Bcast(buffer, 1, copy, 0, MPI_COMM_SELF));
    OK(MPI_Type_free(&copy));
    OK(MPI_Type_free(&t));
}

static void constructors(void)
{
    int one[] = { 1 }, minus[] = { -1 }, none[] = { MPI_DISTRIBUTE_NONE }, zero[] = { 0 };
    MPI_Aint at[] = { 0 };
    MPI_Datatype t, bad[] = { MPI_DATATYPE_NULL }, good[] = { MPI_INT };
    CLASS(MPI_Type_contiguous(-1, MPI_INT, &t), MPI_ERR_COUNT);
    CLASS(MPI_Type_contiguous(1, MPI_DATATYPE_NULL, &t), MPI_ERR_TYPE);
    CLASS(MPI_Type_contiguous(1, MPI_INT, NULL), MPI_ERR_ARG);
    CLASS(MPI_Type_vector(1, -1, 1, MPI_INT, &t), MPI_ERR_ARG);
    CLASS(MPI_Type_create_hvector(-1, 1, 1, MPI_INT, &t), MPI_ERR_COUNT);
    CLASS(MPI_Type_indexed(1, minus, one, MPI_INT, &t), MPI_ERR_ARG);
    CLASS(MPI_Type_indexed(1, NULL, one, MPI_INT, &t), MPI_ERR_ARG);
    CLASS(MPI_Type_create_hindexed(-1, one, at, MPI_INT, &t), MPI_ERR_COUNT);
    CLASS(MPI_Type_create_indexed_block(1, -1, one, MPI_INT, &t), MPI_ERR_ARG);
    CLASS(MPI_Type_create_hindexed_block(1, 1, at, MPI_DATATYPE_NULL, &t), MPI_ERR_TYPE);
    CLASS(MPI_Type_create_struct(1, one, at, bad, &t), MPI_ERR_TYPE);
    CLASS(MPI_Type_create_struct(1, minus, at, good, &t), MPI_ERR_ARG);
    CLASS(MPI_Type_create_struct(-1, one, at, good, &t), MPI_ERR_COUNT);
    CLASS(MPI_Type_create_resized(MPI_DATATYPE_NULL, 0, 4, &t), MPI_ERR_TYPE);
    CLASS(MPI_Type_dup(MPI_DATATYPE_NULL, &t), MPI_ERR_TYPE);
    CLASS(MPI_Type_create_subarray(0, one, one, zero, MPI_ORDER_C, MPI_INT, &t), MPI_ERR_ARG);
    CLASS(MPI_Type_create_subarray(1, one, one, one, MPI_ORDER_C, MPI_INT, &t), MPI_ERR_ARG);
    CLASS(MPI_Type_create_subarray(1, one, one, zero, 99, MPI_INT, &t), MPI_ERR_ARG);
    CLASS(MPI_Type_create_darray(2, 0, 1, one, none, one, one, MPI_ORDER_C, MPI_INT, &t),
          MPI_ERR_ARG);
    CLASS(MPI_Type_create_darray(1, 1, 1, one, none, one, one, MPI_ORDER_C, MPI_INT, &t),
          MPI_ERR_RANK);
}

/* Ten elements on two processes. */
static void distributions(void)
{
    static const struct { int how, argument, class; } all[] = {
        { MPI_DISTRIBUTE_BLOCK, 5, MPI_SUCCESS },   /* just all of them */
        { MPI_DISTRIBUTE_BLOCK, 4, MPI_ERR_ARG },
        { MPI_DISTRIBUTE_CYCLIC, 1, MPI_SUCCESS },
        { MPI_DISTRIBUTE_CYCLIC, 0, MPI_ERR_ARG },
        { MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_DFLT_DARG, MPI_ERR_ARG },
        { 4711, MPI_DISTRIBUTE_DFLT_DARG, MPI_ERR_ARG },
    };
    const int size = 10, processes = 2;
    MPI_Datatype t;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        int rc = MPI_Type_create_darray(2, 1, 1, &size, &all[i].how, &all[i].argument, &processes,
                                        MPI_ORDER_C, MPI_INT, &t);
        CLASS(rc, all[i].class);
        if (!rc)
            OK(MPI_Type_free(&t));
    }
}

static void packing(void)
{
    int data[4] = { 0 }, position = 0, size;
    char room[16];
    MPI_Aint at = 0;
    CLASS(MPI_Pack(data, 4, MPI_INT, room, 15, &position, MPI_COMM_SELF), MPI_ERR_TRUNCATE);
    SAME(position, 0);
    CLASS(MPI_Pack(data, -1, MPI_INT, room, 16, &position, MPI_COMM_SELF), MPI_ERR_COUNT);
    CLASS(MPI_Pack(data, 1, MPI_INT, room, 16, NULL, MPI_COMM_SELF), MPI_ERR_ARG);
    CLASS(MPI_Unpack(room, 3, &position, data, 1, MPI_INT, MPI_COMM_SELF), MPI_ERR_TRUNCATE);
    CLASS(MPI_Pack(data, 0, MPI_INT, room, -1, &position, MPI_COMM_SELF), MPI_ERR_ARG);
    for (int outside = -1; outside <= 17; outside += 18) {
        position = outside;
        CLASS(MPI_Pack(data, 1, MPI_INT, room, 16, &position, MPI_COMM_SELF), MPI_ERR_ARG);
        CLASS(MPI_Unpack(room, 16, &position, data, 0, MPI_INT, MPI_COMM_SELF), MPI_ERR_ARG);
        SAME(position, outside);
    }
    position = 16;
    OK(MPI_Pack(data, 0, MPI_INT, room, 16, &position, MPI_COMM_SELF));
    position = 0;
    CLASS(MPI_Pack_size(1, MPI_DATATYPE_NULL, MPI_COMM_SELF, &size), MPI_ERR_TYPE);
    CLASS(MPI_Pack_size(1, MPI_INT, MPI_COMM_NULL, &size), MPI_ERR_COMM);
    CLASS(MPI_Pack_external("native", data, 1, MPI_INT, room, 16, &at),
          MPI_ERR_UNSUPPORTED_DATAREP);
    CLASS(MPI_Pack_external("external32", data, 4, MPI_INT, room, 15, &at), MPI_ERR_TRUNCATE);
}

/* Of no blocks there are no arrays. */
static void nothing(void)
{
    int size = -1;
    MPI_Datatype t[4];
    OK(MPI_Type_indexed(0, NULL, NULL, MPI_INT, &t[0]));
    OK(MPI_Type_create_hindexed(0, NULL, NULL, MPI_INT, &t[1]));
    OK(MPI_Type_create_indexed_block(0, 3, NULL, MPI_INT, &t[2]));
    OK(MPI_Type_create_struct(0, NULL, NULL, NULL, &t[3]));
    for (int i = 0; i < 4; i++) {
        OK(MPI_Type_size(t[i], &size));
        SAME(size, 0);
        OK(MPI_Type_free(&t[i]));
    }
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    t_errors_return();
    freed();
    uncommitted();
    constructors();
    distributions();
    nothing();
    packing();
    return t_end();
}
