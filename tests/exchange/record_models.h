/* Models of other programs with what those programs say of records (scripts/record_fixtures.py has the layout of that
 * file). */
#ifndef SHW_EXCHANGE_RECORD_MODELS_H
#define SHW_EXCHANGE_RECORD_MODELS_H

#include "testing/testing.h"

/* Reads tests/exchange/models/NAME.ENDING, whose format must be recognised as `format`, evaluates the records of
 * NAME.bin and fails the test if a leaf, a class, or a prediction but for float32's rounding, is another one. */
void check_record_model(const char *name, const char *ending, const char *format);

#endif
