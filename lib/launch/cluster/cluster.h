/* Ranks on other machines are started by the launchers that clusters have. */
#ifndef LAUNCH_CLUSTER_H
#define LAUNCH_CLUSTER_H

struct options;

/* Becomes the launcher that is found, with the same command.  Returns an exit code if that cannot
 * be, or if nothing was to be started. */
int cluster_run(const struct options *options);

#endif
