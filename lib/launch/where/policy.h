/* Reading what the user wants of placement. */
#ifndef LAUNCH_POLICY_H
#define LAUNCH_POLICY_H

#include "launch/where/place.h"

/* Each reads the value `text` of an option or variable named `source`; 0, or EXIT_USAGE once the
 * mistake has been said. */
int policy_set_bind(struct policy *policy, const char *source, const char *text);
int policy_set_map(struct policy *policy, const char *source, const char *text);
int policy_set_order(struct policy *policy, const char *source, const char *text);
int policy_set_cpus(struct cores *cpus, const char *source, const char *text);

#endif
