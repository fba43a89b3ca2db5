/* Options of placement, and the variables that stand for them. */
#ifndef LAUNCH_PLACEMENT_H
#define LAUNCH_PLACEMENT_H

struct options;

enum placement_id { PLACE_BIND, PLACE_MAP, PLACE_ORDER, PLACE_CPUS, PLACE_REPORT };

/* Each returns 0 or an exit code. */
int placement_set(struct options *options, enum placement_id id, const char *text);
/* A list of allocation, map and bind, with commas, which are cut away. */
int placement_display(struct options *options, char *words);
/* What the command line leaves open. */
int placement_finish(struct options *options);

#endif
