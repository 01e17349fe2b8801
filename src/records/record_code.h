/* An attribute of a record in memory as its code. Inline, since hot loops use it. */
#ifndef SHW_RECORDS_RECORD_CODE_H
#define SHW_RECORDS_RECORD_CODE_H

#include <string.h>

#include <shadewood/records.h>

#include "shared/record.h"

static inline int32_t shw_record_code_in(const struct shw_records *records, float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return records->has_missing && value == records->missing ? SHW_RECORD_MISSING : shw_record_code(bits);
}

#endif
