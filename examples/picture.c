/* A PNG file is a signature and chunks: length, type, data, CRC-32 of type and data (ISO 15948).
 * The pixels are a zlib stream (RFC 1950): a header, deflate blocks (RFC 1951), an Adler-32
 * checksum.  Deflate may store its data as they are in blocks of at most 65,535 bytes, and that is
 * what we do: larger files, but no library is needed. */
#include "picture.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 65535 };

static uint32_t crc_update(uint32_t crc, const unsigned char *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (0xedb88320u & -(crc & 1));
    }
    return crc;
}

static uint32_t adler32(const unsigned char *data, size_t bytes)
{
    uint32_t a = 1, b = 0;

    for (size_t i = 0; i < bytes; i++) {
        a = (a + data[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

static void put32(unsigned char *to, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        to[i] = (unsigned char)(value >> (24 - 8 * i));
}

static void write_chunk(FILE *file, const char *type, const unsigned char *data, size_t bytes)
{
    unsigned char length[4], end[4];
    uint32_t crc = crc_update(0xffffffffu, (const unsigned char *)type, 4);

    put32(length, (uint32_t)bytes);
    put32(end, ~crc_update(crc, data, bytes));
    fwrite(length, 1, 4, file);
    fwrite(type, 1, 4, file);
    fwrite(data, 1, bytes, file);
    fwrite(end, 1, 4, file);
}

/* Stored blocks: a byte that marks the last one, the length, its complement, the data. */
static size_t store(unsigned char *to, const unsigned char *data, size_t bytes)
{
    unsigned char *p = to;

    do {
        size_t n = bytes < BLOCK ? bytes : BLOCK;

        *p++ = n == bytes;
        *p++ = (unsigned char)n;
        *p++ = (unsigned char)(n >> 8);
        *p++ = (unsigned char)~n;
        *p++ = (unsigned char)(~n >> 8);
        memcpy(p, data, n);
        p += n;
        data += n;
        bytes -= n;
    } while (bytes > 0);
    return (size_t)(p - to);
}

/* The pixels as PNG wants them: each row begins with the number of its filter, 0 for none. */
static unsigned char *filter_rows(const unsigned char *rgb, size_t width, size_t height)
{
    unsigned char *rows = malloc(height * (1 + width * 3));

    for (size_t i = 0; rows && i < height; i++) {
        rows[i * (1 + width * 3)] = 0;
        memcpy(rows + i * (1 + width * 3) + 1, rgb + i * width * 3, width * 3);
    }
    return rows;
}

static int write_pixels(FILE *file, const unsigned char *rgb, size_t width, size_t height)
{
    size_t bytes = height * (1 + width * 3), used = 2;
    unsigned char *rows = filter_rows(rgb, width, height),
        *stream = malloc(bytes + (bytes / BLOCK + 1) * 5 + 6);

    if (rows && stream) {
        stream[0] = 0x78;               /* deflate, 32 KiB window */
        stream[1] = 0x01;               /* makes the first two bytes a multiple of 31 */
        used += store(stream + used, rows, bytes);
        put32(stream + used, adler32(rows, bytes));
        write_chunk(file, "IDAT", stream, used + 4);
    }
    free(rows);
    free(stream);
    return rows && stream ? 0 : -1;
}

/* Errors of all writes show in ferror or when the buffer is flushed. */
static int finish(FILE *file, int result)
{
    if (ferror(file))
        result = -1;
    return fclose(file) == 0 ? result : -1;
}

int picture_write_png(const char *path, const unsigned char *rgb, int width, int height)
{
    static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    unsigned char header[13] = {0};
    FILE *file = fopen(path, "wb");
    int result;

    if (!file)
        return -1;
    put32(header, (uint32_t)width);
    put32(header + 4, (uint32_t)height);
    header[8] = 8;                      /* bits per sample */
    header[9] = 2;                      /* red, green, blue */
    fwrite(signature, 1, sizeof signature, file);
    write_chunk(file, "IHDR", header, sizeof header);
    result = write_pixels(file, rgb, (size_t)width, (size_t)height);
    write_chunk(file, "IEND", header, 0);
    return finish(file, result);
}

int picture_write_ppm(const char *path, const unsigned char *rgb, int width, int height)
{
    FILE *file = fopen(path, "wb");

    if (!file)
        return -1;
    fprintf(file, "P6\n%d %d\n255\n", width, height);
    fwrite(rgb, 3, (size_t)width * (size_t)height, file);
    return finish(file, 0);
}
