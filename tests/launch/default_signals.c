/* default_signals PROGRAM ARGUMENT...: runs it with the default reaction to signals, which a shell
 * takes from what it starts in the background, and whatever started the tests may have taken. */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    static const int signals[] = { SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGTSTP };

    for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], SIG_DFL);
    if (argc > 1)
        execvp(argv[1], argv + 1);
    perror("default_signals");
    return 127;
}
