#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "files/io/npy_header.h"
#include "files/tables/format.h"
#include "files/tables/name_set.h"

/* The elements of arrays of NumPy, as numbers. */

struct npy_type {
    char kind;         /* 'f', 'i', 'u' or 'b' */
    uint32_t size;     /* in bytes */
    bool swapped;      /* the bytes are not in the order of this machine */
    bool may_overflow; /* has numbers beyond those of float32 */
};

/* Reads a type such as "<f4". False for those that are no numbers. */
static bool npy_type_read(const char *text, struct npy_type *type)
{
    static const char *const numbers[] = {"f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1"};
    const char other = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '>' : '<';
    const char order = strchr("<>=|", *text) != NULL ? *text : '=';

    text += strchr("<>=|", *text) != NULL && *text != '\0';
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(text, numbers[i]) == 0) {
            *type = (struct npy_type){.kind = text[0], .size = (uint32_t)(text[1] - '0'), .swapped = order == other};
            type->may_overflow = type->kind == 'f' && type->size == 8;
            return true;
        }
    return false;
}

static uint64_t load(const struct npy_type *type, const uint8_t *bytes)
{
    uint64_t word = 0;

    for (uint32_t i = 0; i < type->size; i++)
        word |= (uint64_t)bytes[i] << 8 * ((__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) != type->swapped
                                               ? i
                                               : type->size - 1 - i);
    return word;
}

static double half(uint32_t bits)
{
    const uint32_t exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double value;

    if (exponent == 31)
        value = mantissa != 0 ? NAN : INFINITY;
    else
        value = exponent == 0 ? ldexp(mantissa, -24) : ldexp(1024 + mantissa, (int)exponent - 25);
    return bits >> 15 != 0 ? -value : value;
}

static int64_t sign_extended(uint64_t word, uint32_t size)
{
    const uint64_t sign = UINT64_C(1) << (8 * size - 1);

    return (int64_t)((word ^ sign) - sign);
}

static float as_float(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static double as_double(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* An element, as the nearest double. */
static double npy_element(const struct npy_type *type, const uint8_t *bytes)
{
    const uint64_t word = load(type, bytes);

    if (type->kind == 'f')
        return type->size == 8   ? as_double(word)
               : type->size == 4 ? (double)as_float((uint32_t)word)
                                 : half((uint32_t)word);
    if (type->kind == 'b')
        return word != 0;
    return type->kind == 'i' ? (double)sign_extended(word, type->size) : (double)word;
}

/* The name of an element as a class, exact if it is an integer. Returns the length; 0 for NaN. */
static size_t npy_class_name(const struct npy_type *type, const uint8_t *bytes, char name[32])
{
    const uint64_t word = load(type, bytes);
    const double value = npy_element(type, bytes);

    if (type->kind == 'i')
        return (size_t)snprintf(name, 32, "%" PRId64, sign_extended(word, type->size));
    if (type->kind == 'u')
        return (size_t)snprintf(name, 32, "%" PRIu64, word);
    return isnan(value) ? 0 : shw_class_name_of_number(value, name);
}

/* `count` elements that are `stride` bytes apart, as the nearest float32. */
static void npy_elements(const struct npy_type *type, const uint8_t *bytes, size_t stride, uint32_t count,
                         float *values)
{
    if (type->kind == 'f' && type->size == 4 && !type->swapped) {
        for (uint32_t i = 0; i < count; i++)
            memcpy(&values[i], bytes + i * stride, sizeof *values);
    } else if (type->kind == 'f' || type->kind == 'b') {
        for (uint32_t i = 0; i < count; i++)
            values[i] = (float)npy_element(type, bytes + i * stride);
    } else { /* directly from 64 bits, since a double in between would round twice */
        for (uint32_t i = 0; i < count; i++) {
            const uint64_t word = load(type, bytes + i * stride);
            values[i] = type->kind == 'i' ? (float)sign_extended(word, type->size) : (float)word;
        }
    }
}

#define BLOCK_BYTES ((uint64_t)1 << 23) /* of the float32 of a block */

struct npy {
    struct shw_byte_source *source;
    const struct shw_table_params *params;
    struct shw_table_columns columns;
    struct npy_type type;
    bool fortran;
    bool as_wanted; /* the rows of the file are those of a block */
    uint64_t start; /* of the elements, in the file */
    uint64_t count, taken;
    uint32_t block_count;

    uint8_t *bytes; /* of a block as they are stored */
    float *column;  /* of a block */
    float *values, *targets;
    double *doubles; /* of the values; NULL unless they are asked for */
    uint32_t *classes;
    bool overflow_said;
};

static enum shw_result refuse(const struct npy *npy, const char *what)
{
    return shw_fail(&npy->params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s %s", npy->source->name, what);
}

static enum shw_result take_type(struct npy *npy, const struct shw_npy_header *header)
{
    if (header->structured)
        return refuse(npy, "has elements of a structured type: store the fields as columns of one array of float32");
    if (!npy_type_read(header->type, &npy->type))
        return shw_fail(&npy->params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "%s has elements of type %s: tables have float16, float32, float64, integers or bool",
                        npy->source->name, header->type);
    return SHW_OK;
}

static enum shw_result take_shape(struct npy *npy, const struct shw_npy_header *header)
{
    const uint64_t columns = header->dimensions == 2 ? header->shape[1] : 1;

    if (header->dimensions != 1 && header->dimensions != 2)
        return shw_fail(&npy->params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "%s has %u dimensions; tables have two: records, attributes", npy->source->name,
                        header->dimensions);
    if (columns > SHW_COLUMNS_MAX)
        return shw_fail(&npy->params->log, SHW_ERROR_LIMIT, SHW_LOG_DATASET, "%s has more than %u columns",
                        npy->source->name, SHW_COLUMNS_MAX);
    if (columns == 0)
        return refuse(npy, "has records without attributes");
    npy->count = header->shape[0];
    npy->columns.count = (uint32_t)columns;
    npy->fortran = header->fortran && header->dimensions == 2 && columns > 1;
    if (npy->fortran && !npy->source->is_file)
        return refuse(npy, "is in Fortran order, which cannot be read from a pipe: use a file, or "
                           "numpy.ascontiguousarray()");
    return SHW_OK;
}

/* Fails before anything is read if the file is too short or too long. */
static enum shw_result check_size(const struct npy *npy)
{
    const uint64_t row = (uint64_t)npy->columns.count * npy->type.size;
    const uint64_t size = npy->source->is_file ? npy->source->size - npy->start : 0;

    if (!npy->source->is_file || (size % row == 0 && size / row == npy->count))
        return SHW_OK;
    return shw_fail(&npy->params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                    "%s has %llu bytes of elements; its header says %llu records of %u x %u bytes", npy->source->name,
                    (unsigned long long)size, (unsigned long long)npy->count, npy->columns.count, npy->type.size);
}

static enum shw_result read_header(struct npy *npy)
{
    uint8_t *bytes = malloc(SHW_NPY_HEADER_MAX);
    struct shw_npy_header header;
    size_t size, count;
    enum shw_result result = SHW_OK;
    bool parsed = false;

    if (bytes == NULL)
        return shw_fail_memory(&npy->params->log, npy->source->name);
    result = shw_byte_source_read(npy->source, bytes, SHW_NPY_START_SIZE, &count);
    size = result == SHW_OK && count == SHW_NPY_START_SIZE ? shw_npy_header_size(bytes) : 0;
    if (size > 0) {
        result = shw_byte_source_read(npy->source, bytes + count, size - count, &count);
        parsed = result == SHW_OK && count == size - SHW_NPY_START_SIZE && shw_npy_header_parse(bytes, size, &header);
    }
    free(bytes);
    if (result != SHW_OK)
        return result;
    if (!parsed)
        return refuse(npy, "has a header that NumPy does not write");
    npy->start = size;
    SHW_PROPAGATE(take_type(npy, &header));
    SHW_PROPAGATE(take_shape(npy, &header));
    return check_size(npy);
}

static bool has_truth(const struct npy *npy)
{
    return npy->columns.truth != SHW_COLUMN_NONE;
}

static bool is_as_wanted(const struct npy *npy)
{
    bool same = npy->type.kind == 'f' && npy->type.size == sizeof(float) && !npy->type.swapped && !npy->fortran &&
                !npy->params->doubles;

    for (uint32_t c = 0; c < npy->columns.count && same; c++)
        same = npy->columns.places[c] == (int32_t)c;
    return same;
}

static enum shw_result allocate(struct npy *npy)
{
    const uint64_t columns = npy->columns.count;
    const bool classes = has_truth(npy) && npy->params->truth == SHW_TABLE_CLASSES;
    const bool targets = has_truth(npy) && npy->params->truth == SHW_TABLE_TARGETS;
    uint64_t count = BLOCK_BYTES / sizeof(float) / columns;

    count = count < 1 ? 1 : count;
    count = npy->count < count ? npy->count + 1 : count;
    npy->block_count = (uint32_t)count;
    npy->as_wanted = is_as_wanted(npy);
    npy->bytes = malloc((npy->fortran || npy->as_wanted ? count : count * columns) * npy->type.size);
    npy->column = malloc(count * sizeof *npy->column);
    npy->values = malloc((count * npy->columns.attribute_count + 1) * sizeof *npy->values);
    npy->doubles =
        npy->params->doubles ? malloc((count * npy->columns.attribute_count + 1) * sizeof *npy->doubles) : NULL;
    npy->classes = classes ? malloc(count * sizeof *npy->classes) : NULL;
    npy->targets = targets ? malloc(count * sizeof *npy->targets) : NULL;
    if (npy->bytes == NULL || npy->column == NULL || npy->values == NULL ||
        (npy->params->doubles && npy->doubles == NULL) || (classes && npy->classes == NULL) ||
        (targets && npy->targets == NULL))
        return shw_fail_memory(&npy->params->log, npy->source->name);
    return SHW_OK;
}

static void close_npy(void *state)
{
    struct npy *npy = state;

    free(npy->bytes);
    free(npy->column);
    free(npy->values);
    free(npy->doubles);
    free(npy->classes);
    free(npy->targets);
    shw_table_columns_free(&npy->columns);
    free(npy);
}

static bool recognise_npy(const struct shw_byte_source *source)
{
    return source->start_size >= SHW_NPY_MAGIC_SIZE && memcmp(source->start, SHW_NPY_MAGIC, SHW_NPY_MAGIC_SIZE) == 0;
}

static enum shw_result open_npy(struct shw_byte_source *source, const struct shw_table_params *params, void **state)
{
    struct npy *npy = calloc(1, sizeof *npy);
    enum shw_result result;

    if (npy == NULL)
        return shw_fail_memory(&params->log, source->name);
    npy->source = source;
    npy->params = params;
    SHW_TRY(read_header(npy));
    SHW_TRY(shw_table_columns_choose(&npy->columns, source->name, params));
    SHW_TRY(allocate(npy));
    *state = npy;
    return SHW_OK;

fail:
    close_npy(npy);
    return result;
}

static const struct shw_table_columns *get_columns(const void *state)
{
    return &((const struct npy *)state)->columns;
}

static enum shw_result fail_short(const struct npy *npy)
{
    return shw_fail(&npy->params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s ends before record %llu of %llu",
                    npy->source->name, (unsigned long long)npy->taken + 1, (unsigned long long)npy->count);
}

/* The elements of a column, `stride` bytes apart. */
static enum shw_result take_classes(const struct npy *npy, const uint8_t *bytes, size_t stride, uint32_t count)
{
    struct shw_name_set *names = npy->params->classes;
    uint32_t number = SHW_NO_CLASS;

    for (uint32_t r = 0; r < count; r++) {
        const uint8_t *element = bytes + r * stride;
        char name[32];
        size_t length;

        if (r == 0 || memcmp(element, element - stride, npy->type.size) != 0) {
            length = npy_class_name(&npy->type, element, name);
            number = length > 0 ? shw_name_set_find(names, name, length) : SHW_NO_CLASS;
            if (number == SHW_NO_CLASS && length > 0 && names->closed)
                return shw_fail(&npy->params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                                "%s, record %llu: the forest has no class '%s'", npy->source->name,
                                (unsigned long long)(npy->taken + r + 1), name);
            if (number == SHW_NO_CLASS && length > 0 && names->count == SHW_TABLE_CLASSES_MAX)
                return shw_fail(&npy->params->log, SHW_ERROR_LIMIT, SHW_LOG_DATASET,
                                "%s, record %llu: more than %u classes; --target chooses another column",
                                npy->source->name, (unsigned long long)(npy->taken + r + 1), SHW_TABLE_CLASSES_MAX);
            if (number == SHW_NO_CLASS && length > 0) {
                if (!shw_name_set_add(names, name, length))
                    return shw_fail_memory(&npy->params->log, npy->source->name);
                number = names->count - 1;
            }
        }
        npy->classes[r] = number;
    }
    return SHW_OK;
}

/* Warns about the first finite number that becomes infinite. */
static void look_for_overflow(struct npy *npy, const uint8_t *bytes, size_t stride, uint32_t count, uint32_t column)
{
    for (uint32_t r = 0; r < count && !npy->overflow_said; r++)
        if (isinf(npy->column[r]) && isfinite(npy_element(&npy->type, bytes + r * stride))) {
            shw_log_message(&npy->params->log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                            "%s, record %llu, column %u: %g is beyond the range of float32 and becomes infinity",
                            npy->source->name, (unsigned long long)(npy->taken + r + 1), column + 1,
                            npy_element(&npy->type, bytes + r * stride));
            npy->overflow_said = true;
        }
}

static enum shw_result take_column(struct npy *npy, uint32_t column, const uint8_t *bytes, size_t stride,
                                   uint32_t count)
{
    const int32_t place = npy->columns.places[column];
    const size_t row = npy->columns.attribute_count;

    if (place == SHW_PLACE_IGNORED)
        return SHW_OK;
    if (place == SHW_PLACE_TRUTH && npy->params->truth == SHW_TABLE_CLASSES)
        return take_classes(npy, bytes, stride, count);
    npy_elements(&npy->type, bytes, stride, count, npy->column);
    if (npy->type.may_overflow && (npy->doubles == NULL || place == SHW_PLACE_TRUTH))
        look_for_overflow(npy, bytes, stride, count, column);
    if (place == SHW_PLACE_TRUTH)
        memcpy(npy->targets, npy->column, count * sizeof *npy->column);
    else
        for (uint32_t r = 0; r < count; r++)
            npy->values[r * row + (uint32_t)place] = npy->column[r];
    for (uint32_t r = 0; place >= 0 && npy->doubles != NULL && r < count; r++)
        npy->doubles[r * row + (uint32_t)place] = npy_element(&npy->type, bytes + r * stride);
    return SHW_OK;
}

/* Column after column of the file. */
static enum shw_result read_fortran(struct npy *npy, uint32_t count)
{
    const size_t size = npy->type.size;

    for (uint32_t c = 0; c < npy->columns.count; c++) {
        const uint64_t offset = npy->start + (c * npy->count + npy->taken) * size;
        size_t read;

        if (npy->columns.places[c] == SHW_PLACE_IGNORED)
            continue;
        SHW_PROPAGATE(shw_byte_source_read_at(npy->source, offset, npy->bytes, count * size, &read));
        if (read < count * size)
            return fail_short(npy);
        SHW_PROPAGATE(take_column(npy, c, npy->bytes, size, count));
    }
    return SHW_OK;
}

static enum shw_result read_rows(struct npy *npy, uint32_t count)
{
    const size_t row = (size_t)npy->columns.count * npy->type.size;
    void *to = npy->as_wanted ? (void *)npy->values : npy->bytes;
    size_t read;

    SHW_PROPAGATE(shw_byte_source_read(npy->source, to, count * row, &read));
    if (read < count * row)
        return fail_short(npy);
    for (uint32_t c = 0; !npy->as_wanted && c < npy->columns.count; c++)
        SHW_PROPAGATE(take_column(npy, c, npy->bytes + c * npy->type.size, row, count));
    return SHW_OK;
}

static enum shw_result check_end(const struct npy *npy)
{
    uint8_t byte;
    size_t count = 0;

    if (!npy->source->is_file)
        SHW_PROPAGATE(shw_byte_source_read(npy->source, &byte, 1, &count));
    return count == 0 ? SHW_OK : refuse(npy, "goes on after the last record of its header");
}

static enum shw_result read_npy(void *state, struct shw_table_block *block)
{
    struct npy *npy = state;
    const uint64_t left = npy->count - npy->taken;
    const uint32_t count = left < npy->block_count ? (uint32_t)left : npy->block_count;

    *block = (struct shw_table_block){.first = npy->taken,
                                      .values = npy->values,
                                      .doubles = npy->doubles,
                                      .classes = npy->classes,
                                      .targets = npy->targets,
                                      .count = count};
    if (count == 0)
        return check_end(npy);
    SHW_PROPAGATE(npy->fortran ? read_fortran(npy, count) : read_rows(npy, count));
    npy->taken += count;
    return SHW_OK;
}

const struct shw_table_format shw_table_npy = {recognise_npy, open_npy, get_columns, read_npy, close_npy, false, false};
