/* Files of command lines: --app and -configfile. */
#ifndef LAUNCH_LISTING_H
#define LAUNCH_LISTING_H

/* Each line of the file is a program with its options, as on the command line; # begins a comment.
 * The words of all lines with ":" between them go to *words, an array that ends with NULL and whose
 * strings are in *text; both are the caller's.  0, or an exit code. */
int listing_read(const char *path, char ***words, char **text);

#endif
