/* Separable filters as data, for all techniques. Rows are filtered first, then columns. */
#ifndef SHW_DENSE_CHANNELS_FILTER_BANK_H
#define SHW_DENSE_CHANNELS_FILTER_BANK_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/channels.h>

#include "dense/channels/filter_kernels.h"

/* The planes that filters read, in this order; the first step of every technique makes them from the image. */
enum shw_base_plane { SHW_BASE_R, SHW_BASE_G, SHW_BASE_B, SHW_BASE_Y, SHW_BASE_COUNT };

#define SHW_FILTER_PLANES_MAX 3u

/* The filter of a channel kind: for each channel a base plane, and one or two terms whose sum is the channel. Kernels
 * given for sigma 1 stand for the whole family. */
struct shw_filter {
    enum shw_base_plane planes[SHW_FILTER_PLANES_MAX];
    bool is_magnitude;
    uint32_t term_count;
    struct {
        enum shw_kernel row, column;
    } terms[2];
};

/* Maxima: every kernel of a scale on every plane that some kind filters with it; and the sums of the kinds gauss, log,
   dx, dy. */
#define SHW_ROW_FILTERS_MAX    (SHW_KERNEL_SCALES * 6u)
#define SHW_COLUMN_FILTERS_MAX (SHW_KERNEL_SCALES * 6u)

struct shw_row_filter {
    uint8_t base;   /* enum shw_base_plane */
    uint8_t kernel; /* enum shw_kernel */
};

#define SHW_NO_OUTPUT UINT32_MAX

/* The sum of one or two intermediate planes, filtered by kernels of the same radius, and the channels that it becomes.
 */
struct shw_column_filter {
    uint8_t term_count;
    struct {
        uint8_t row;    /* index of the row filter */
        uint8_t kernel; /* enum shw_kernel */
    } terms[2];
    uint32_t output, magnitude; /* channel of the sum, and of its magnitude; or SHW_NO_OUTPUT */
};

struct shw_filter_bank {
    uint32_t row_count;
    struct shw_row_filter rows[SHW_ROW_FILTERS_MAX];
    uint32_t column_count;
    struct shw_column_filter columns[SHW_COLUMN_FILTERS_MAX];
};

/* The filters for a range of channels of a list; outputs are relative to the first channel. */
void shw_filter_bank_make(const struct shw_channel_list *list, uint32_t first, uint32_t count,
                          struct shw_filter_bank *bank);

#endif
