#include "files/io/npy_header.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The header is a Python dictionary with three keys. */
struct entries {
    struct shw_npy_header *header;
    bool has_type, has_order, has_shape;
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

static bool take_string(const char **at, char text[SHW_NPY_TYPE_SIZE])
{
    char quote;
    size_t length;

    skip_space(at);
    quote = **at;
    if (quote != '\'' && quote != '"')
        return false;
    ++*at;
    for (length = 0; (*at)[length] != quote; length++)
        if ((*at)[length] == '\0' || length + 1 >= SHW_NPY_TYPE_SIZE)
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
static bool take_shape(const char **at, struct entries *entries)
{
    struct shw_npy_header *header = entries->header;

    if (entries->has_shape || !take(at, '('))
        return false;
    entries->has_shape = true;
    while (!take(at, ')')) {
        uint64_t number = 0;
        if (**at < '0' || **at > '9')
            return false;
        for (; **at >= '0' && **at <= '9'; ++*at)
            number = number > UINT64_MAX / 16 ? number : 10 * number + (uint64_t)(**at - '0');
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

/* The type of structures is a list of tuples, which is passed over. */
static bool take_type(const char **at, struct entries *entries)
{
    unsigned depth = 0;

    entries->has_type = true;
    skip_space(at);
    entries->header->structured = **at == '[';
    if (!entries->header->structured)
        return take_string(at, entries->header->type) && entries->header->type[0] != '\0';
    do {
        if (**at == '\0')
            return false;
        depth += **at == '[';
        depth -= **at == ']';
        ++*at;
    } while (depth > 0);
    return true;
}

static bool take_entry(const char **at, struct entries *entries)
{
    char key[SHW_NPY_TYPE_SIZE];

    if (!take_string(at, key) || !take(at, ':'))
        return false;
    if (strcmp(key, "descr") == 0)
        return take_type(at, entries);
    if (strcmp(key, "shape") == 0)
        return take_shape(at, entries);
    if (strcmp(key, "fortran_order") != 0)
        return false;
    entries->has_order = true;
    entries->header->fortran = take_word(at, "True");
    return entries->header->fortran || take_word(at, "False");
}

static bool parse(const char *text, struct entries *entries)
{
    if (!take(&text, '{'))
        return false;
    while (!take(&text, '}')) {
        if (!take_entry(&text, entries))
            return false;
        if (!take(&text, ',')) {
            skip_space(&text);
            if (*text != '}')
                return false;
        }
    }
    return entries->has_type && entries->has_order && entries->has_shape;
}

static size_t dictionary_start(const uint8_t *bytes)
{
    return bytes[6] == 1 ? 10 : 12;
}

size_t shw_npy_header_size(const uint8_t start[SHW_NPY_START_SIZE])
{
    size_t length = (size_t)start[8] | (size_t)start[9] << 8;

    if (memcmp(start, SHW_NPY_MAGIC, SHW_NPY_MAGIC_SIZE) != 0 || start[6] < 1 || start[6] > 3)
        return 0;
    if (start[6] > 1)
        length |= (size_t)start[10] << 16 | (size_t)start[11] << 24;
    length += dictionary_start(start);
    return length >= SHW_NPY_START_SIZE && length < SHW_NPY_HEADER_MAX ? length : 0;
}

bool shw_npy_header_parse(const uint8_t *bytes, size_t size, struct shw_npy_header *header)
{
    const size_t start = dictionary_start(bytes);
    char text[SHW_NPY_HEADER_MAX];
    struct entries entries = {.header = header};

    *header = (struct shw_npy_header){.dimensions = 0};
    memcpy(text, bytes + start, size - start);
    text[size - start] = '\0';
    return parse(text, &entries);
}

/* Magic, version 1.0, length of the dictionary, the dictionary padded with spaces to a newline. */
void shw_npy_header_write(char bytes[SHW_NPY_WRITTEN_SIZE], const char *type, uint32_t dimensions,
                          const uint64_t *shape)
{
    static const char magic[8] = SHW_NPY_MAGIC "\x01";
    char text[SHW_NPY_WRITTEN_SIZE];
    int length = snprintf(text, sizeof text, "{'descr': '%c%.8s', 'fortran_order': False, 'shape': (",
                          __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>', type);

    for (uint32_t d = 0; d < dimensions; d++)
        length += snprintf(text + length, sizeof text - (size_t)length, "%s%" PRIu64, d > 0 ? ", " : "", shape[d]);
    length += snprintf(text + length, sizeof text - (size_t)length, "%s), }", dimensions == 1 ? "," : "");
    memset(bytes, ' ', SHW_NPY_WRITTEN_SIZE);
    memcpy(bytes, magic, sizeof magic);
    bytes[8] = SHW_NPY_WRITTEN_SIZE - 10;
    bytes[9] = 0;
    memcpy(bytes + 10, text, (size_t)length);
    bytes[SHW_NPY_WRITTEN_SIZE - 1] = '\n';
}
