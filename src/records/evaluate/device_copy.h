/* Copies of records and results between the caller's memory and that of a device, by several threads. */
#ifndef SHW_RECORDS_EVALUATE_DEVICE_COPY_H
#define SHW_RECORDS_EVALUATE_DEVICE_COPY_H

#include <shadewood/records.h>

#include "base/thread_pool.h"

/* Where the results of a piece are: bytes from the beginning, classes first, and bytes a record, 0 of what is not
 * wanted. */
struct shw_record_parts {
    uint64_t sums, leaves, end;
    uint64_t class_bytes, sum_bytes, leaf_bytes;
};

/* Whether the values of an attribute are next to each other; they stay so. Otherwise those of a record will be. */
bool shw_records_are_columns(const struct shw_records *records);

/* Copies the first `attributes` attributes of `count` records, without padding. */
void shw_records_copy_up(struct shw_thread_pool *pool, const struct shw_records *records, uint32_t attributes,
                         uint64_t first, uint32_t count, float *to);

/* Copies the results of `count` records, the first of which is `first` of the caller's. */
void shw_records_copy_down(struct shw_thread_pool *pool, const void *from, const struct shw_record_parts *parts,
                           const struct shw_record_results *results, uint64_t first, uint32_t count);

#endif
