/* An attribute of a record in memory as its code, and tests of sets. Inline, since hot loops use them. */
#ifndef SHW_RECORDS_EVALUATE_RECORD_CODE_H
#define SHW_RECORDS_EVALUATE_RECORD_CODE_H

#include <string.h>

#include <shadewood/records.h>

#include "shared/record.h"

static inline int32_t shw_record_code_in(const struct shw_records *records, float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return records->has_missing && value == records->missing ? SHW_RECORD_MISSING : shw_record_code(bits);
}

/* 1: the code goes right by a test of a set, which begins at `set`; 0: left. */
static inline uint32_t shw_record_set_goes_right(const uint32_t *set, int32_t code, uint32_t missing_right)
{
    const uint32_t bit = shw_record_set_bit(code, set[0]), word = bit / 32;
    const uint32_t member = word < set[1] ? set[SHW_RECORD_SET_MEMBERS + word] >> bit % 32 & 1u : 0;

    return code == SHW_RECORD_MISSING ? missing_right : shw_record_set_side(member, set[0]);
}

#endif
