/* Columns of a matrix through every way to send and to receive; gaps stay as they are. */
#include "column.h"

static MPI_Datatype column;
static struct matrix out, in;

static void got(const MPI_Status *status, int count)
{
    int columns, elements;
    OK(MPI_Get_count(status, column, &columns));
    SAME(columns, count);
    OK(MPI_Get_elements(status, column, &elements));
    SAME(elements, count * ROWS);
    SAME(status->MPI_SOURCE, t_prev());
    matrix_check(&in, t_prev(), 1, 2, count, count * ROWS);
}

/* how: which send. */
static void start(int how, int count, MPI_Request *r)
{
    const void *from = &out.a[0][1];
    switch (how) {
    case 0: OK(MPI_Isend(from, count, column, t_next(), 0, MPI_COMM_WORLD, r)); return;
    case 1: OK(MPI_Issend(from, count, column, t_next(), 0, MPI_COMM_WORLD, r)); return;
    case 2: OK(MPI_Ibsend(from, count, column, t_next(), 0, MPI_COMM_WORLD, r)); return;
    case 3: OK(MPI_Irsend(from, count, column, t_next(), 0, MPI_COMM_WORLD, r)); return;
    case 4: OK(MPI_Send_init(from, count, column, t_next(), 0, MPI_COMM_WORLD, r)); break;
    case 5: OK(MPI_Ssend_init(from, count, column, t_next(), 0, MPI_COMM_WORLD, r)); break;
    default: OK(MPI_Bsend_init(from, count, column, t_next(), 0, MPI_COMM_WORLD, r)); break;
    }
    OK(MPI_Start(r));
}

enum { SENDS = 7, RECEIVES = 5 };

static void receive(int how, int count, MPI_Status *status)
{
    void *to = &in.a[0][2];
    MPI_Message message;
    MPI_Request r;
    switch (how) {
    case 0:
        OK(MPI_Recv(to, count, column, t_prev(), 0, MPI_COMM_WORLD, status));
        return;
    case 1:
        OK(MPI_Mprobe(t_prev(), 0, MPI_COMM_WORLD, &message, status));
        OK(MPI_Mrecv(to, count, column, &message, status));
        return;
    case 2:
        OK(MPI_Mprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &message, status));
        OK(MPI_Imrecv(to, count, column, &message, &r));
        break;
    case 3:
        OK(MPI_Irecv(to, count, column, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &r));
        break;
    default:
        OK(MPI_Recv_init(to, count, column, t_prev(), 0, MPI_COMM_WORLD, &r));
        OK(MPI_Start(&r));
    }
    OK(MPI_Wait(&r, status));
    if (r != MPI_REQUEST_NULL)
        OK(MPI_Request_free(&r));
}

static void all_pairs(int count)
{
    for (int s = 0; s < SENDS; s++)
        for (int r = 0; r < RECEIVES; r++) {
            MPI_Status status;
            MPI_Request request;
            matrix_clear(&in);
            start(s, count, &request);
            receive(r, count, &status);
            got(&status, count);
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            if (request != MPI_REQUEST_NULL)
                OK(MPI_Request_free(&request));
        }
}

static void exchange(void)
{
    MPI_Status status;
    matrix_clear(&in);
    OK(MPI_Sendrecv(&out.a[0][1], 3, column, t_next(), 4, &in.a[0][2], 3, column, t_prev(), 4,
                    MPI_COMM_WORLD, &status));
    got(&status, 3);
    struct matrix both = out;
    OK(MPI_Sendrecv_replace(&both.a[0][1], 2, column, t_next(), 4, t_prev(), 4, MPI_COMM_WORLD,
                            &status));
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            int rank = j == 1 || j == 2 ? t_prev() : t_rank;
            SAME(both.a[i][j], 100000 * rank + 100 * i + j);
        }
}

static void nobody(void)
{
    MPI_Status status;
    int count;
    matrix_clear(&in);
    OK(MPI_Send(&out, 1, column, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
    OK(MPI_Recv(&in, 1, column, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status));
    SAME(status.MPI_SOURCE, MPI_PROC_NULL);
    OK(MPI_Get_count(&status, column, &count));
    SAME(count, 0);
    matrix_check(&in, 0, 0, 0, 0, 0);
}

int main(int argc, char **argv)
{
    static char room[1 << 16];
    void *detached;
    int bytes;
    t_start(&argc, &argv);
    OK(MPI_Buffer_attach(room, sizeof room));
    column = column_type();
    matrix_fill(&out, t_rank);
    for (int count = 0; count <= 4; count++)
        all_pairs(count);
    exchange();
    nobody();
    OK(MPI_Type_free(&column));
    OK(MPI_Buffer_detach(&detached, &bytes));
    return t_end();
}
