/* Text of unknown origin that is going to be printed. */
#ifndef NIC_TEXT_H
#define NIC_TEXT_H

/* Puts '?' in the place of each byte that is neither a printable character of ASCII nor part of a
 * printable one in UTF-8. */
void nic_text_make_plain(char *text);

#endif
