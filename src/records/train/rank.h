/* The examples that have a class, and the ranks of their attributes' values, which training looks at instead of the
 * values. */
#ifndef SHW_RECORDS_TRAIN_RANK_H
#define SHW_RECORDS_TRAIN_RANK_H

#include <shadewood/record_train.h>

#include "base/thread_pool.h"
#include "records/evaluate/record_code.h"

/* An attribute has a rank for each of its values or, if there are more than SHW_ATTRIBUTE_RANKS, for groups of
 * successive values with about as many examples each. */
struct shw_ranks {
    uint32_t count;    /* examples with a class */
    uint32_t *records; /* [example] its record; ascending */
    uint16_t *labels;  /* [example] its class */
    uint32_t attributes;
    uint16_t *stored;      /* [attribute][example]: rank + 2, or 1 if it is missing */
    uint32_t *rank_counts; /* [attribute] */
    int32_t **lowest;      /* [attribute][rank]: the code of the lowest value of the rank */
    bool is_missing_known; /* a value is missing */
    uint64_t hash;         /* of all values */
};

/* Makes the ranks. Errors: FORMAT, LIMIT, MEMORY. On failure *ranks is zero. */
enum shw_result shw_ranks_make(const struct shw_record_examples *examples, struct shw_thread_pool *pool,
                               const struct shw_log *log, struct shw_ranks *ranks);
void shw_ranks_free(struct shw_ranks *ranks);

/* The code of an attribute of a record. */
static inline int32_t shw_records_code(const struct shw_records *records, uint64_t record, uint32_t attribute)
{
    bool is_packed = records->record_stride == 0 && records->attribute_stride == 0;
    size_t place = is_packed ? (size_t)record * records->attribute_count + attribute
                             : (size_t)record * records->record_stride + attribute * records->attribute_stride;

    return shw_record_code_in(records, records->values[place]);
}

#endif
