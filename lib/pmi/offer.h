/* How the ranks of one machine come to the same memory: the first of them offers a descriptor, the
 * others reach it, through /proc where that shows the offering process, else through a socket.
 * What was reached is proved by a token that stands in the memory itself. */
#ifndef MPI_PMI_OFFER_H
#define MPI_PMI_OFFER_H

#include <stdint.h>

struct nic_job;

/* What the one who offers tells the others. */
struct pmi_address { uint64_t token; int32_t process, fd; };

struct pmi_offer;

/* Offers the job's memory until mpi_pmi_offer_end. 0, or -errno. */
int mpi_pmi_offer_begin(struct nic_job *job, struct pmi_address *address, struct pmi_offer **offer);
void mpi_pmi_offer_end(struct pmi_offer *offer);

/* Attaches to what is offered. -EHOSTUNREACH: there is no way to it from here. */
int mpi_pmi_offer_reach(const struct pmi_address *address, struct nic_job **job);

#endif
