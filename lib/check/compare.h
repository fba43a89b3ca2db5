/* Comparing what was sent with what was received. */
#ifndef CHECK_COMPARE_H
#define CHECK_COMPARE_H

/* Collective on MPI_COMM_WORLD, at the end: reports messages that do not fit their receives, and
 * those that nobody has received. */
void check_messages_compare(const char *call);

#endif
