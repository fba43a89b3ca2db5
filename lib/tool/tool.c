/* The lock of the tool interface, and whether somebody uses it. */
#include "tool/tool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "nicemu_fast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct nic *nic;             /* under the lock; NULL: MPI is not there */
static _Atomic unsigned users;      /* calls of MPI_T_init_thread less those of MPI_T_finalize */
static _Thread_local bool inside;

bool mpi_tool_initialised(void) { return atomic_load(&users) > 0; }
void mpi_tool_count(void) { atomic_fetch_add(&users, 1); }
bool mpi_tool_uncount(void) { return atomic_fetch_sub(&users, 1) == 1; }

/* Ends with mpi_tool_end or mpi_tool_end_last. */
void mpi_tool_begin(void)
{
    if (inside)
        return;
    pthread_mutex_lock(&lock);
    if (nic)
        nic_enter(nic);
}

void mpi_tool_end(void)
{
    if (inside)
        return;
    if (nic)
        nic_leave(nic);
    pthread_mutex_unlock(&lock);
}

void mpi_tool_attach(struct nic *opened)
{
    pthread_mutex_lock(&lock);      /* until the end of this function */
    nic = opened;
    pthread_mutex_unlock(&lock);
}

void mpi_tool_end_last(void)
{
    struct nic *closing = nic;
    nic = NULL;
    nic_leave(closing);
    pthread_mutex_unlock(&lock);
}

struct nic *mpi_tool_nic(void) { return nic; }

void mpi_tool_set_inside(bool now) { inside = now; }
bool mpi_tool_inside(void) { return inside; }

void mpi_tool_string(const char *text, char *place, int *length)
{
    if (!length)
        return;
    int bytes = (int)strlen(text), room = *length;
    if (place && room > 0) {
        int n = bytes < room ? bytes : room - 1;
        memcpy(place, text, (size_t)n);
        place[n] = 0;
    }
    *length = bytes + 1;
}
