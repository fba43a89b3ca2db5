/* What a report of a problem should have of this installation and this machine. */
#ifndef LAUNCH_ABOUT_H
#define LAUNCH_ABOUT_H

/* --info, on standard output. */
void about_print(void);

#endif
