/* Host names given for compatibility: all must be this machine. */
#ifndef LAUNCH_HOSTS_H
#define LAUNCH_HOSTS_H

/* Each returns 0, or says what is wrong and returns an exit code. */
int hosts_check_list(const char *list);     /* "host[:n],host..." */
/* one "host[:n] [slots=n]" per line, # starts a comment */
int hosts_check_file(const char *path);

#endif
