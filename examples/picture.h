/* Pictures without a library: PPM, and PNG with its data stored, not compressed. */
#ifndef PICTURE_H
#define PICTURE_H

/* rgb: width * height pixels of three bytes, row by row.  0, or -1 with errno set if the file
 * cannot be written. */
int picture_write_ppm(const char *path, const unsigned char *rgb, int width, int height);
int picture_write_png(const char *path, const unsigned char *rgb, int width, int height);

#endif
