/* The connection to a launcher's server, and its messages: lines, or texts behind their length. */
#ifndef MPI_PMI_CHANNEL_H
#define MPI_PMI_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>

enum { PMI_MESSAGE_MAX = 4096 };

struct pmi_channel {
    int fd;
    bool framed;                /* a length of six digits before each text, in place of lines */
    size_t have;                /* bytes that have been read and not been asked for */
    char buffer[PMI_MESSAGE_MAX];
};

/* Sends a text, which has no newline. */
int mpi_pmi_send(struct pmi_channel *channel, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Waits for a message; size: of `text`, which is ended by 0.  -EPIPE: the server is gone; -EPROTO:
 * it says what makes no sense. */
int mpi_pmi_receive(struct pmi_channel *channel, char *text, size_t size);

/* -- fields "key=value" of a text, in any order; what separates them is ' ' or ';' */

/* Copies a value; false: there is none of that key, or it is longer than room for. */
bool mpi_pmi_field(const char *text, char separator, const char *key, char *value, size_t room);

/* The value as a number between limits. */
bool mpi_pmi_field_number(const char *text, char separator, const char *key, int low, int high,
                      int *number);

/* Whether the value is there and is this one. */
bool mpi_pmi_field_is(const char *text, char separator, const char *key, const char *value);

#endif
