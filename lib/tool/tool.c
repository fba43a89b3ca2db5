/* The lock of the tool interface, and whether somebody uses it. */
#include "tool/tool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "core/world.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic unsigned users;      /* calls of MPI_T_init_thread less those of MPI_T_finalize */
static _Thread_local bool inside;

bool mpi_tool_initialised(void) { return atomic_load(&users) > 0; }
void mpi_tool_count(void) { atomic_fetch_add(&users, 1); }
bool mpi_tool_uncount(void) { return atomic_fetch_sub(&users, 1) == 1; }

void mpi_tool_begin(void)
{
    if (mpi_nic && !inside)
        nic_enter(mpi_nic);
    pthread_mutex_lock(&lock);
}

void mpi_tool_end(void)
{
    pthread_mutex_unlock(&lock);
    if (mpi_nic && !inside)
        nic_leave(mpi_nic);
}

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
