/* Models of other programs in tests/formats/models, with what those programs say of records
 * (scripts/record_fixtures.py has the layout of those files). */
#ifndef SHW_EXCHANGE_RECORD_MODELS_H
#define SHW_EXCHANGE_RECORD_MODELS_H

#include "testing/testing.h"

#include "base/file_bytes.h"

/* A file of that folder. All fail the test if something is wrong. */
struct shw_file_bytes read_record_model(const char *name);
struct shw_record_forest *open_record_model(const char *name);

/* The original's number of a leaf. */
uint32_t record_leaf_source(const struct shw_record_forest_info *info, uint32_t tree, uint32_t leaf);

/* Evaluates the records beside a model, of which no leaf, class, or prediction but for rounding, may be another one. */
void check_record_model(const char *name);

/* A model's text with one part replaced, to be freed with free(). */
char *replace_in_model(const char *text, const char *old, const char *new);

/* The record forest of a model's text. */
struct shw_record_forest *parse_record_model(const char *text);

#endif
