/* The texts of --help and --version. */
#ifndef LAUNCH_HELP_H
#define LAUNCH_HELP_H

void help_print(void);
void help_version(void);
void help_environment(void);

#endif
