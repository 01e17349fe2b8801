/* Winn's filter bank as data: what every technique executes. Rows are filtered first, then columns. */
#ifndef SHW_CHANNELS_FILTER_BANK_H
#define SHW_CHANNELS_FILTER_BANK_H

#include <stdint.h>

#include <shadewood/channels.h>

#include "channels/filter_kernels.h"

/* The planes that filters read, in this order, as the first step of every technique makes them from the image. */
enum shw_base_plane { SHW_BASE_R, SHW_BASE_G, SHW_BASE_B, SHW_BASE_Y, SHW_BASE_COUNT };

#define SHW_ROW_FILTERS_MAX    19u
#define SHW_COLUMN_FILTERS_MAX 17u

struct shw_row_filter {
    uint8_t base;   /* enum shw_base_plane */
    uint8_t kernel; /* enum shw_kernel */
};

/* A channel: the sum of one or two filtered intermediate planes. All kernels of a channel have one radius. */
struct shw_column_filter {
    uint8_t term_count;
    struct {
        uint8_t row;    /* index of the row filter */
        uint8_t kernel; /* enum shw_kernel */
    } terms[2];
};

struct shw_filter_bank {
    uint32_t row_count;
    const struct shw_row_filter *rows;
    uint32_t column_count; /* column filter i makes channel i */
    const struct shw_column_filter *columns;
    uint32_t absolute_first, absolute_count; /* then come the magnitudes of this many channels, from this one on */
    uint32_t position_count;                 /* then x and y (2), or nothing (0) */
};

/* NULL for sets that filter nothing. */
const struct shw_filter_bank *shw_filter_bank_get(enum shw_channel_set set);

#endif
