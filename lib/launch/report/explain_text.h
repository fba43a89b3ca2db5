/* --explain for people: where the time of messages and ranks went, within 100 columns. */
#ifndef LAUNCH_EXPLAIN_TEXT_H
#define LAUNCH_EXPLAIN_TEXT_H

struct facts;

/* On standard error. */
void explain_tell(const struct facts *facts);

#endif
