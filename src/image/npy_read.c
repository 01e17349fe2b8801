#include "image/npy_read.h"

#include <stdlib.h>
#include <string.h>

#include <shadewood/image.h>

#include "base/log.h"
#include "image/file_bytes.h"

#define MAGIC      "\x93NUMPY"
#define MAGIC_SIZE 6u
#define HEADER_MAX (1u << 16)
#define KEY_MAX    32u

/* The header is a Python dictionary with three keys; numpy.lib.format. */
struct header {
    char descr[KEY_MAX];
    bool has_order, fortran;
    uint64_t shape[3];
    uint32_t dimensions;
    bool has_shape;
};

static void skip_space(const char **at)
{
    while (**at == ' ' || **at == '\n' || **at == '\t' || **at == '\r')
        ++*at;
}

static bool take(const char **at, char wanted)
{
    skip_space(at);
    if (**at != wanted)
        return false;
    ++*at;
    return true;
}

static bool take_string(const char **at, char text[KEY_MAX])
{
    char quote;
    size_t length;

    skip_space(at);
    quote = **at;
    if (quote != '\'' && quote != '"')
        return false;
    ++*at;
    for (length = 0; (*at)[length] != quote; length++)
        if ((*at)[length] == '\0' || length + 1 >= KEY_MAX)
            return false;
    memcpy(text, *at, length);
    text[length] = '\0';
    *at += length + 1;
    return true;
}

static bool take_word(const char **at, const char *word)
{
    skip_space(at);
    if (strncmp(*at, word, strlen(word)) != 0)
        return false;
    *at += strlen(word);
    return true;
}

/* False where it is no tuple; numbers beyond three are counted only. */
static bool take_shape(const char **at, struct header *header)
{
    if (!take(at, '('))
        return false;
    header->has_shape = true;
    while (!take(at, ')')) {
        uint64_t number = 0;
        if (**at < '0' || **at > '9')
            return false;
        for (; **at >= '0' && **at <= '9'; ++*at)
            number = number > UINT32_MAX ? number : 10 * number + (uint64_t)(**at - '0');
        if (header->dimensions < 3)
            header->shape[header->dimensions] = number;
        header->dimensions++;
        if (!take(at, ',')) {
            skip_space(at);
            if (**at != ')')
                return false;
        }
    }
    return true;
}

static bool take_entry(const char **at, struct header *header)
{
    char key[KEY_MAX];

    if (!take_string(at, key) || !take(at, ':'))
        return false;
    if (strcmp(key, "descr") == 0)
        return take_string(at, header->descr);
    if (strcmp(key, "shape") == 0)
        return take_shape(at, header);
    if (strcmp(key, "fortran_order") != 0)
        return false;
    header->has_order = true;
    header->fortran = take_word(at, "True");
    return header->fortran || take_word(at, "False");
}

static bool parse(const char *text, struct header *header)
{
    if (!take(&text, '{'))
        return false;
    while (!take(&text, '}')) {
        if (!take_entry(&text, header))
            return false;
        if (!take(&text, ',')) {
            skip_space(&text);
            if (*text != '}')
                return false;
        }
    }
    return header->descr[0] != '\0' && header->has_order && header->has_shape;
}

/* Where the header is. False if there is none. */
static bool find_header(const uint8_t *bytes, size_t size, size_t *start, size_t *length)
{
    if (size < MAGIC_SIZE + 6 || memcmp(bytes, MAGIC, MAGIC_SIZE) != 0 || bytes[6] < 1 || bytes[6] > 3)
        return false;
    *start = bytes[6] == 1 ? 10 : 12;
    *length = (size_t)bytes[8] | (size_t)bytes[9] << 8;
    if (bytes[6] > 1)
        *length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    return *length < HEADER_MAX && *length <= size - *start;
}

static enum shw_result refuse(const char *name, const struct shw_log *log, const char *what)
{
    return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_IMAGE_FORMAT, "%s %s", name, what);
}

enum shw_result shw_npy_decode(const void *bytes, size_t size, const char *name, const struct shw_log *log,
                               struct shw_npy_patches *patches)
{
    struct header header = {.shape = {0}};
    size_t start, length, first;
    uint64_t count, height, width;
    char text[HEADER_MAX];

    if (!find_header(bytes, size, &start, &length))
        return refuse(name, log, "is not a file of NumPy");
    memcpy(text, (const char *)bytes + start, length);
    text[length] = '\0';
    if (!parse(text, &header))
        return refuse(name, log, "has a header that NumPy does not write");
    if (strcmp(header.descr, "|u1") != 0 && strcmp(header.descr, "u1") != 0)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_IMAGE_FORMAT,
                        "%s has elements of type %s; patches are bytes (uint8)", name, header.descr);
    if (header.dimensions != 2 && header.dimensions != 3)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_IMAGE_FORMAT,
                        "%s has %u dimensions; patches have three: count, height, width", name, header.dimensions);
    if (header.fortran)
        return refuse(name, log, "is in Fortran order; patches are stored row by row");
    first = header.dimensions == 3;
    count = first ? header.shape[0] : 1;
    height = header.shape[first];
    width = header.shape[first + 1];
    if (count > UINT32_MAX || height > SHW_IMAGE_SIZE_MAX || width > SHW_IMAGE_SIZE_MAX)
        return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_IMAGE_FORMAT, "%s has patches of more than %u pixels a side",
                        name, SHW_IMAGE_SIZE_MAX);
    if (count == 0 || height == 0 || width == 0)
        return refuse(name, log, "is empty");
    size -= start + length;
    if (size / (height * width) < count || size != count * height * width)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_IMAGE_FORMAT,
                        "%s has %zu bytes of patches; its header says %llu patches of %llu x %llu", name, size,
                        (unsigned long long)count, (unsigned long long)width, (unsigned long long)height);
    *patches = (struct shw_npy_patches){malloc(size), (uint32_t)count, (uint32_t)width, (uint32_t)height};
    if (patches->values == NULL)
        return shw_fail_memory(log, name);
    memcpy(patches->values, (const char *)bytes + start + length, size);
    return SHW_OK;
}

bool shw_is_npy(const char *path)
{
    struct shw_file_bytes file = {0};
    bool is_npy = shw_file_bytes_read_start(path, MAGIC_SIZE, NULL, &file) == SHW_OK && file.size == MAGIC_SIZE &&
                  memcmp(file.bytes, MAGIC, MAGIC_SIZE) == 0;

    shw_file_bytes_free(&file);
    return is_npy;
}

enum shw_result shw_npy_read(const char *path, const struct shw_log *log, struct shw_npy_patches *patches)
{
    struct shw_file_bytes file = {0};
    enum shw_result result = shw_file_bytes_read(path, SHW_NPY_BYTES_MAX, log, &file);

    if (result == SHW_OK)
        result = shw_npy_decode(file.bytes, file.size, path, log, patches);
    shw_file_bytes_free(&file);
    return result;
}

void shw_npy_free(struct shw_npy_patches *patches)
{
    free(patches->values);
    *patches = (struct shw_npy_patches){0};
}
