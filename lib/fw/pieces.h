/* Data with gaps as a list of pieces: where these are long, each end copies a share with the
 * kernel's help, straight from the sender's memory to the receiver's.  A list is read by the peer's
 * NIC, so its memory stays until its request has ended. */
#ifndef FW_PIECES_H
#define FW_PIECES_H

#include "fw/data.h"
#include "fw/packets.h"
#include "fw/protocol.h"

/* Where a piece lies, and the bytes of data in front of it. */
struct fw_piece { uint64_t at, before; };
/* bytes: of all; next: among those that have been fetched, there it says nothing */
struct fw_pieces { struct fw_pieces *next; uint64_t count, bytes; struct fw_piece piece[]; };

/* Asks for a list of the request's data, if they have gaps: then fw_address names it. */
void mpi_fw_pieces_want(struct fw_req *r);

/* Receiver: whether such a transfer can go by lists. */
bool mpi_fw_pieces_able(struct fw *fw, const struct fw_transfer *t);

/* Fetches the peer's list, if its data have gaps, to r->address; false: not possible. */
bool mpi_fw_pieces_fetch(struct fw *fw, struct fw_req *r);
/* Gives back what has been fetched. */
void mpi_fw_pieces_forget(struct fw *fw, struct fw_req *r);
/* Of transfers that will not end. */
void mpi_fw_pieces_delete(struct fw *fw);

/* Bytes of the message, from a place on, from the sender's memory or to the receiver's. */
int mpi_fw_pieces_read(struct fw *fw, struct fw_req *recv, size_t from, size_t bytes);
int mpi_fw_pieces_write(struct fw *fw, struct fw_req *send, size_t from, size_t bytes);

#endif
