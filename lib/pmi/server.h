/* How one launcher's server is talked to: a table per protocol. */
#ifndef MPI_PMI_SERVER_H
#define MPI_PMI_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmi/channel.h"

/* Limits of what a server may say: it is not believed beyond. */
enum { PMI_RANKS_MAX = 1 << 22, PMI_KEY_MAX = 64, PMI_VALUE_MAX = 512, PMI_KVS_MAX = 256 };

struct mpi_pmi {
    const struct pmi_server *server;
    struct pmi_channel channel;         /* PMI-1, PMI-2 */
    char kvs[PMI_KVS_MAX + 1];          /* PMI-1: the space of names; PMI-2: the job */
    unsigned rank, size, nodes;
    int appnum;
    uint32_t *node;                     /* of each rank */
    uint32_t *leader;                   /* of each node */
};

/* All return 0 or an error, and have then called mpi_pmi_failed. */
struct pmi_server {
    const char *name;
    int (*open)(struct mpi_pmi *pmi);           /* sets rank, size, appnum */
    int (*map)(struct mpi_pmi *pmi);            /* sets the node of each rank */
    /* a string without spaces and semicolons of at most PMI_VALUE_MAX characters */
    int (*put)(struct mpi_pmi *pmi, const char *key, const char *value);
    int (*fence)(struct mpi_pmi *pmi);
    /* rank: who has put it.  -ENOENT: nobody has */
    int (*get)(struct mpi_pmi *pmi, unsigned rank, const char *key, char *value, size_t room);
    void (*abort)(struct mpi_pmi *pmi, int code, const char *text);
    int (*close)(struct mpi_pmi *pmi);
};

extern const struct pmi_server mpi_pmi1, mpi_pmi2, mpi_pmix;

/* Whether the environment was made by a server of PMIx, and this library can talk to it. */
bool mpi_pmix_wanted(void);

#endif
