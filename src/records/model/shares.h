/* What classes have of a leaf, as integers with a fixed sum. */
#ifndef SHW_RECORDS_MODEL_SHARES_H
#define SHW_RECORDS_MODEL_SHARES_H

#include <stdbool.h>
#include <stdint.h>

#define SHW_RECORD_SHARE_BITS 30

/* Shares of up to SHW_RECORD_OUTPUTS_MAX classes that sum to exactly 2^SHW_RECORD_SHARE_BITS in proportion to `values`:
 * the integers below, and one more for the largest remainders, of equal ones for the lowest class. False if a value is
 * negative or not finite, or their sum is neither positive nor finite. Exact for whole numbers that sum to less than
 * 2^53. */
bool shw_record_shares(const double *values, uint32_t count, int32_t *shares);

#endif
