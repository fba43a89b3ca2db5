/* System calls that a filter (seccomp) may refuse, with others that do the same. */
#ifndef LAUNCH_CALLS_H
#define LAUNCH_CALLS_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Whether this errno says that the kernel does not let us make a call at all. */
bool call_refused(int error);

/* Notes that `call` has failed, for a message, and returns -errno. */
int call_failed(const char *call);
/* The call noted last. */
const char *call_noted(void);

/* As poll, in nanoseconds, -1: no limit; rounds up, so that
 * what is waited for is due when it returns. */
int call_poll(struct pollfd *fds, unsigned count, int64_t ns);

/* As waitpid with WNOHANG. */
pid_t call_wait(pid_t pid, int *status);

/* The same of any child, which stays there to be waited for, unless a filter does not let us. */
pid_t call_peek(int *status);

/* As kill, of one process. */
int call_signal(pid_t pid, int signal);

/* As dup2.  For the time between vfork and exec too. */
int call_dup(int fd, int to);

/* The same descriptor by a number which shells and programs do not take for their own, for ranks to
 * inherit; fd itself where there is none, or fd is none. */
int call_raise(int fd);

/* vfork is called in place by who needs it; this is what does the same where that is refused. */
pid_t call_fork(void);

#endif
