/* The bytes of forest files, to be looked at and damaged. */
#ifndef SHW_TESTS_UNIT_FOREST_BYTES_H
#define SHW_TESTS_UNIT_FOREST_BYTES_H

#include "testing/random_forest.h"
#include "testing/testing.h"

/* Where things are in a file, by the KTX2 specification. */
enum {
    LEVEL_AT = 80,
    DFD_AT = 104,
    KVD_AT = 196,
    KVD_LENGTH = 60,
};

struct file {
    struct shw_forest *forest;
    uint8_t *bytes;
    size_t size;
};

extern const struct random_forest_params small;

void open_file(struct file *file, const struct random_forest_params *params);

void close_file(struct file *file);

uint32_t word(const struct file *file, size_t at);

void set_word(struct file *file, size_t at, uint32_t value);

size_t texels_at(const struct file *file);

size_t metadata_at(const struct file *file);

void seal(struct file *file);

void refuse(const struct file *file, size_t size, enum shw_result result, enum shw_log_item item, const char *words);

#endif
