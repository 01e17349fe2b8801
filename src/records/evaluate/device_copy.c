#include "records/evaluate/device_copy.h"

#include <string.h>

#include "base/integers.h"

#define SHARE_BYTES (256u << 10) /* that a thread copies at a time */

struct copy {
    const struct shw_records *records;
    float *to;
    const char *from;
    const struct shw_record_parts *parts;
    const struct shw_record_results *results;
    uint64_t first;
    uint32_t attributes, count, share; /* records: of all and of an index */
};

bool shw_records_are_columns(const struct shw_records *records)
{
    return records->record_stride == 1 && records->attribute_stride > 1;
}

static void run(struct shw_thread_pool *pool, struct copy *copy, uint64_t record_bytes,
                void (*work)(void *user, uint32_t index, uint32_t thread))
{
    copy->share = (uint32_t)shw_max_u64(SHARE_BYTES / shw_max_u64(record_bytes, 1), 1);
    shw_thread_pool_run(copy->count > copy->share ? pool : NULL,
                        (uint32_t)(((uint64_t)copy->count + copy->share - 1) / copy->share), work, copy);
}

static void copy_columns(const struct copy *copy, uint32_t first, uint32_t count)
{
    const float *from = copy->records->values + copy->first + first;

    for (uint32_t a = 0; a < copy->attributes; a++)
        memcpy(copy->to + (uint64_t)a * copy->count + first, from + a * copy->records->attribute_stride,
               count * sizeof *from);
}

static void copy_rows(const struct copy *copy, uint32_t first, uint32_t count)
{
    const struct shw_records *records = copy->records;
    const float *from = records->values + (copy->first + first) * records->record_stride;
    float *to = copy->to + (uint64_t)first * copy->attributes;

    if (records->attribute_stride == 1 && records->record_stride == copy->attributes) {
        memcpy(to, from, (uint64_t)count * copy->attributes * sizeof *to);
        return;
    }
    for (uint32_t r = 0; r < count; r++, from += records->record_stride, to += copy->attributes) {
        if (records->attribute_stride == 1)
            memcpy(to, from, copy->attributes * sizeof *to);
        else
            for (uint32_t a = 0; a < copy->attributes; a++)
                to[a] = from[a * records->attribute_stride];
    }
}

static void copy_share_up(void *user, uint32_t index, uint32_t thread)
{
    const struct copy *copy = user;
    uint32_t first = index * copy->share, count = shw_min_u32(copy->share, copy->count - first);

    (void)thread;
    if (shw_records_are_columns(copy->records))
        copy_columns(copy, first, count);
    else
        copy_rows(copy, first, count);
}

void shw_records_copy_up(struct shw_thread_pool *pool, const struct shw_records *records, uint32_t attributes,
                         uint64_t first, uint32_t count, float *to)
{
    struct copy copy = {.records = records, .to = to, .first = first, .attributes = attributes, .count = count};

    run(pool, &copy, sizeof(float) * (uint64_t)attributes, copy_share_up);
}

static void copy_share_down(void *user, uint32_t index, uint32_t thread)
{
    const struct copy *copy = user;
    const struct shw_record_parts *parts = copy->parts;
    const struct shw_record_results *results = copy->results;
    uint64_t first = (uint64_t)index * copy->share, to = copy->first + first,
             count = shw_min_u64(copy->share, copy->count - first);

    (void)thread;
    if (parts->class_bytes > 0)
        memcpy((char *)results->classes + to * parts->class_bytes, copy->from + first * parts->class_bytes,
               count * parts->class_bytes);
    if (parts->sum_bytes > 0)
        memcpy((char *)results->sums + to * parts->sum_bytes, copy->from + parts->sums + first * parts->sum_bytes,
               count * parts->sum_bytes);
    if (parts->leaf_bytes > 0)
        memcpy((char *)results->leaves + to * parts->leaf_bytes, copy->from + parts->leaves + first * parts->leaf_bytes,
               count * parts->leaf_bytes);
}

void shw_records_copy_down(struct shw_thread_pool *pool, const void *from, const struct shw_record_parts *parts,
                           const struct shw_record_results *results, uint64_t first, uint32_t count)
{
    struct copy copy = {.from = from, .parts = parts, .results = results, .first = first, .count = count};

    run(pool, &copy, parts->class_bytes + parts->sum_bytes + parts->leaf_bytes, copy_share_down);
}
