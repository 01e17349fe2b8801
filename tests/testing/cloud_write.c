#include "testing/cloud_write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The longest match before a place. */
static size_t find_match(const uint8_t *bytes, size_t size, size_t at, size_t *distance)
{
    size_t best = 0;

    for (size_t d = 1; d <= at && d <= 8192; d++) {
        size_t length = 0;
        while (length < 264 && at + length < size && bytes[at + length] == bytes[at + length - d])
            length++;
        if (length > best) {
            best = length;
            *distance = d;
        }
    }
    return best;
}

size_t testing_lzf_compress(const uint8_t *from, size_t size, uint8_t *to)
{
    size_t out = 0, literals = 0, distance = 0;

    for (size_t at = 0; at < size;) {
        size_t length = find_match(from, size, at, &distance);

        if (length < 3) {
            if (literals == 0)
                out++;
            to[out++] = from[at++];
            literals++;
            to[out - literals - 1] = (uint8_t)(literals - 1);
            literals %= 32;
            continue;
        }
        literals = 0;
        at += length;
        length -= 2;
        distance--;
        to[out++] = (uint8_t)((length < 7 ? length : 7) << 5 | distance >> 8);
        if (length >= 7)
            to[out++] = (uint8_t)(length - 7);
        to[out++] = (uint8_t)distance;
    }
    return out;
}

static void write_header(const struct testing_cloud *cloud, FILE *stream)
{
    static const char *const names[] = {"ascii", "binary", "binary_compressed"};
    const bool colour = cloud->colours != NULL, label = cloud->labels != NULL, padded = cloud->padded;

    fprintf(stream, "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\n");
    fprintf(stream, "FIELDS x y z%s%s%s\n", padded ? " _" : "", colour ? " rgb" : "", label ? " label" : "");
    fprintf(stream, "SIZE 4 4 4%s%s%s\n", padded ? " 1" : "", colour ? " 4" : "", label ? " 4" : "");
    fprintf(stream, "TYPE F F F%s%s%s\n", padded ? " U" : "", colour ? cloud->integer_colour ? " U" : " F" : "",
            label ? " U" : "");
    fprintf(stream, "COUNT 1 1 1%s%s%s\n", padded ? " 4" : "", colour ? " 1" : "", label ? " 1" : "");
    fprintf(stream, "WIDTH %u\nHEIGHT %u\n", cloud->width, cloud->height);
    if (cloud->viewpoint != NULL)
        fprintf(stream, "VIEWPOINT %s\n", cloud->viewpoint);
    fprintf(stream, "POINTS %u\nDATA %s\n", cloud->width * cloud->height, names[cloud->data]);
}

static void write_float(float value, FILE *stream)
{
    if (isnan(value))
        fputs("nan", stream);
    else
        fprintf(stream, "%.9g", (double)value);
}

static void write_text(const struct testing_cloud *cloud, uint32_t i, FILE *stream)
{
    union {
        uint32_t bits;
        float value;
    } packed = {.bits = cloud->colours != NULL ? cloud->colours[i] : 0};

    for (int c = 0; c < 3; c++) {
        write_float(cloud->points[3 * i + (uint32_t)c], stream);
        putc(' ', stream);
    }
    if (cloud->padded)
        fputs("1 2 3 4 ", stream);
    if (cloud->colours != NULL && cloud->integer_colour)
        fprintf(stream, "%u ", packed.bits);
    else if (cloud->colours != NULL)
        write_float(packed.value, stream);
    if (cloud->labels != NULL)
        fprintf(stream, " %u", cloud->labels[i]);
    putc('\n', stream);
}

/* The fields in memory: their values, and the bytes of one. */
struct column {
    const void *values;
    size_t stride, size;
};

static uint32_t make_columns(const struct testing_cloud *cloud, struct column columns[6])
{
    static const uint8_t padding[4] = {1, 2, 3, 4};
    uint32_t count = 0;

    for (int c = 0; c < 3; c++)
        columns[count++] = (struct column){cloud->points + c, 12, 4};
    if (cloud->padded)
        columns[count++] = (struct column){padding, 0, 4};
    if (cloud->colours != NULL)
        columns[count++] = (struct column){cloud->colours, 4, 4};
    if (cloud->labels != NULL)
        columns[count++] = (struct column){cloud->labels, 4, 4};
    return count;
}

static void write_value(const struct column *column, uint32_t i, FILE *stream)
{
    fwrite((const uint8_t *)column->values + i * column->stride, 1, column->size, stream);
}

static void write_compressed(const struct testing_cloud *cloud, FILE *stream)
{
    struct column columns[6];
    const uint32_t count = make_columns(cloud, columns), points = cloud->width * cloud->height;
    char *whole = NULL;
    size_t size;
    FILE *memory = open_memstream(&whole, &size);
    uint8_t *packed;
    uint32_t sizes[2];

    if (memory == NULL)
        abort();
    for (uint32_t c = 0; c < count; c++)
        for (uint32_t i = 0; i < points; i++)
            write_value(&columns[c], i, memory);
    fclose(memory);
    packed = malloc(2 * size + 1);
    if (packed == NULL)
        abort();
    sizes[0] = (uint32_t)testing_lzf_compress((const uint8_t *)whole, size, packed);
    sizes[1] = (uint32_t)size;
    fwrite(sizes, 4, 2, stream); /* the tests run where the lowest byte is first */
    fwrite(packed, 1, sizes[0], stream);
    free(packed);
    free(whole);
}

uint8_t *testing_cloud_write(const struct testing_cloud *cloud, size_t *size)
{
    struct column columns[6];
    const uint32_t count = make_columns(cloud, columns);
    char *bytes = NULL;
    FILE *stream = open_memstream(&bytes, size);

    if (stream == NULL)
        abort();
    write_header(cloud, stream);
    if (cloud->data == TESTING_CLOUD_COMPRESSED)
        write_compressed(cloud, stream);
    for (uint32_t i = 0; cloud->data != TESTING_CLOUD_COMPRESSED && i < cloud->width * cloud->height; i++)
        if (cloud->data == TESTING_CLOUD_ASCII)
            write_text(cloud, i, stream);
        else
            for (uint32_t c = 0; c < count; c++)
                write_value(&columns[c], i, stream);
    fclose(stream);
    return (uint8_t *)bytes;
}
