/* The ring of lines between one host thread (writer) and the NIC (reader) of the same process.
 *
 * Edges:  P0 release store of a line's stamp (writer)          -> P1 acquire load of it (reader):
 * the bytes that the stamp says are there
 *         P2 release store of the free-space word (reader)     -> P3 acquire load of it (writer):
 *         old reads come before new writes
 *
 * The writer never changes bytes that a stamp has covered before the reader has freed the line, so
 * a reader of a partly filled line races with nobody. */
#ifndef NIC_OFFLOAD_PGAS_RING_H
#define NIC_OFFLOAD_PGAS_RING_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nicemu/pgas_queue.h"

enum {
    NIC_PGAS_LINE_BYTES = 64, NIC_PGAS_LINES = NIC_PGAS_BYTES / NIC_PGAS_LINE_BYTES,
        NIC_PGAS_LINE_DATA = 56,
    NIC_PGAS_UPDATE_LINES = NIC_PGAS_UPDATE_BYTES / NIC_PGAS_LINE_BYTES,
    NIC_PGAS_NO_COMMAND = 255,          /* in a stamp: no command begins in this line */
};

/* Stamp: number of the line, from 1, 48 bits | first command 8 | bytes filled 8.  It stands last:
 * the line is written in order of addresses. */
struct nic_pgas_line { unsigned char data[NIC_PGAS_LINE_DATA]; _Atomic uint64_t stamp; };
static_assert(sizeof(struct nic_pgas_line) == 64, "shared layout: one cache line");
static_assert(NIC_PGAS_LINES % NIC_PGAS_UPDATE_LINES == 0 && NIC_PGAS_LINE_DATA % 8 == 0,
              "commands never begin across lines");

/* Owner: the writer.  The line being filled is here, as in a write-combining buffer, and goes out
 * when it is full or flushed. */
struct nic_pgas_writer {
    struct nic_pgas_line *ring;
    const _Atomic uint64_t *space;      /* see the reader's */
    uint64_t line;                      /* number of the line being filled, from 0 */
    uint64_t freed;                     /* the free-space word as last read */
    unsigned filled, published;         /* bytes of it; those that the reader can see */
    unsigned first;                     /* where a command begins in it */
    unsigned char data[NIC_PGAS_LINE_DATA];
    uint64_t lines, space_reads;
    /* model clock: a read takes over one update only, so that their number is the program's
     * alone */
    bool one_update;
};

/* Owner: baton. */
struct nic_pgas_reader {
    struct nic_pgas_line *ring;
    /* the free-space word: lines freed so far, moved on by NIC_PGAS_UPDATE_LINES at a time */
    _Alignas(64) _Atomic uint64_t space;
    _Alignas(64) uint64_t line;             /* number of the line being read */
    unsigned used;                          /* bytes of it that have been consumed */
    uint64_t updates;
};

/* `ring` has NIC_PGAS_LINES lines, aligned. */
void nic_pgas_ring_init(struct nic_pgas_writer *w, struct nic_pgas_reader *r,
                        struct nic_pgas_line *ring);

/* Appends as much as there is room for and returns how much; `command`: a command begins with the
 * first of these bytes. */
size_t nic_pgas_append(struct nic_pgas_writer *w, const void *bytes, size_t size, bool command);
void nic_pgas_publish(struct nic_pgas_writer *w);
size_t nic_pgas_writer_room(const struct nic_pgas_writer *w);

/* Bytes of the current line that can be consumed, at *bytes; 0: nothing has been written. */
size_t nic_pgas_peek(struct nic_pgas_reader *r, const unsigned char **bytes);
/* Consumes that many of them, and returns true if the free-space word was updated. */
bool nic_pgas_consume(struct nic_pgas_reader *r, size_t bytes);

/* Drops bytes up to the next place where a command begins.
 * False: not there yet, more has to be written. */
bool nic_pgas_seek_command(struct nic_pgas_reader *r);

/* The reader has consumed everything that the writer has published,
 * and the writer keeps nothing back. */
static inline bool nic_pgas_drained(const struct nic_pgas_writer *w,
                                    const struct nic_pgas_reader *r)
{
    return r->line == w->line && r->used == w->filled && w->published == w->filled;
}

#endif
