/* The log of events of a rank on the model clock, and its hash. */
#ifndef NIC_TIME_LOG_H
#define NIC_TIME_LOG_H

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

#include "time/clock.h"

/* error: where the errno of the first record that could not be written goes; none follows it. */
struct nic_log { uint64_t hash, events; FILE *file; _Atomic int32_t *error; };

/* As in the file, one after the other; times in ps. */
struct nic_log_record {
    struct nic_event_key key;
    uint32_t rank, kind;        /* enum nic_event_kind */
    uint64_t start, end;        /* of the processor */
    uint64_t charges;           /* hash of all that the rank was charged so far */
    uint64_t host;              /* the host's time */
};

/* `name` "": no file.  program: how many of this rank came before.  0 or a negative errno. */
int nic_log_open(struct nic_log *log, const char *name, unsigned rank, unsigned program,
                 _Atomic int32_t *error);
void nic_log_add(struct nic_log *log, const struct nic_log_record *record);
/* What has been added is in the file, whatever becomes of this process. */
void nic_log_flush(struct nic_log *log);
void nic_log_close(struct nic_log *log);

#endif
