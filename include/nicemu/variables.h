/* The variables of the environment that the library reads, for programs that check or explain an
 * environment.  Any thread. */
#ifndef NICEMU_VARIABLES_H
#define NICEMU_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* For users; for looking into a problem and for tests; set by a launcher for each rank. */
enum nic_variable_use { NIC_VARIABLE_USER, NIC_VARIABLE_TRIAL, NIC_VARIABLE_RANK };

/* When a program can still set it for itself: never, since somebody else has read it; before its
 * NIC is opened, as it likes or the same in all ranks; the same, but only in a job without a
 * launcher; until the NIC is closed. */
enum nic_variable_set {
    NIC_VARIABLE_FIXED, NIC_VARIABLE_AT_START, NIC_VARIABLE_AT_START_ALL, NIC_VARIABLE_ALONE,
    NIC_VARIABLE_AT_END
};

struct nic_variable {
    const char *name;
    enum nic_variable_use use;
    bool listed;            /* `values` are all that there are, and others have no effect */
    const char *values;     /* separated by |; N stands for a number.  NULL: `text` says it */
    const char *standard;   /* what holds without the variable; NULL: nothing */
    const char *text;
    enum nic_variable_set set;
};

/* From 0; NULL: no more. */
const struct nic_variable *nic_variable_at(unsigned i);

/* Whether all ranks of a job of so many can make sense of a variable's value; false: `why` says of
 * which, and what is allowed.  True of names that are not known here, and of an empty value. */
bool nic_variable_takes(const char *name, const char *value, unsigned ranks, char *why,
                        size_t room);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
