/* Ranks on other machines that are lost, as errors of requests. */
#ifndef MPI_LOST_H
#define MPI_LOST_H

#include "core/comm.h"
#include "core/world.h"

/* For mpi_fw_on_loss. */
int mpi_lost_partner(const struct fw_req *r, unsigned i);
/* Whether one of those that the request needs is lost. */
bool mpi_lost_some(const struct fw_req *r);
/* Why a request ended with FW_LOST, or never will end; returns MPI_ERR_PROC_ABORTED. */
int mpi_lost_why(const struct fw_req *r, char *text, size_t size);

#endif
