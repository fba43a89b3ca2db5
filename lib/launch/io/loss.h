/* What of the ranks' output got lost. */
#ifndef LAUNCH_LOSS_H
#define LAUNCH_LOSS_H

struct output;

/* 0, or the errno for which output got lost; that the reader has gone (EPIPE) counts least. */
int output_error(const struct output *output);

/* Says what got lost and why, but for what nobody reads any more. */
void output_say_lost(const struct output *output);

#endif
