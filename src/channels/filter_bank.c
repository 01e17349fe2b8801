#include "channels/filter_bank.h"

#include <stddef.h>

static const struct shw_row_filter rows[SHW_ROW_FILTERS_MAX] = {
    {SHW_BASE_R, SHW_KERNEL_GAUSS_1}, {SHW_BASE_G, SHW_KERNEL_GAUSS_1},  {SHW_BASE_B, SHW_KERNEL_GAUSS_1},
    {SHW_BASE_Y, SHW_KERNEL_GAUSS_1}, {SHW_BASE_Y, SHW_KERNEL_SECOND_1}, /* 0-4 */
    {SHW_BASE_R, SHW_KERNEL_GAUSS_2}, {SHW_BASE_G, SHW_KERNEL_GAUSS_2},  {SHW_BASE_B, SHW_KERNEL_GAUSS_2},
    {SHW_BASE_Y, SHW_KERNEL_GAUSS_2}, {SHW_BASE_Y, SHW_KERNEL_SECOND_2}, {SHW_BASE_Y, SHW_KERNEL_FIRST_2}, /* 5-10 */
    {SHW_BASE_R, SHW_KERNEL_GAUSS_4}, {SHW_BASE_G, SHW_KERNEL_GAUSS_4},  {SHW_BASE_B, SHW_KERNEL_GAUSS_4},
    {SHW_BASE_Y, SHW_KERNEL_GAUSS_4}, {SHW_BASE_Y, SHW_KERNEL_SECOND_4}, {SHW_BASE_Y, SHW_KERNEL_FIRST_4}, /* 11-16 */
    {SHW_BASE_Y, SHW_KERNEL_GAUSS_8}, {SHW_BASE_Y, SHW_KERNEL_SECOND_8},                                   /* 17-18 */
};

static const struct shw_column_filter columns[SHW_COLUMN_FILTERS_MAX] = {
    {1, {{0, SHW_KERNEL_GAUSS_1}}},                             /* gauss-r-1 */
    {1, {{1, SHW_KERNEL_GAUSS_1}}},                             /* gauss-g-1 */
    {1, {{2, SHW_KERNEL_GAUSS_1}}},                             /* gauss-b-1 */
    {1, {{5, SHW_KERNEL_GAUSS_2}}},                             /* gauss-r-2 */
    {1, {{6, SHW_KERNEL_GAUSS_2}}},                             /* gauss-g-2 */
    {1, {{7, SHW_KERNEL_GAUSS_2}}},                             /* gauss-b-2 */
    {1, {{11, SHW_KERNEL_GAUSS_4}}},                            /* gauss-r-4 */
    {1, {{12, SHW_KERNEL_GAUSS_4}}},                            /* gauss-g-4 */
    {1, {{13, SHW_KERNEL_GAUSS_4}}},                            /* gauss-b-4 */
    {2, {{4, SHW_KERNEL_GAUSS_1}, {3, SHW_KERNEL_SECOND_1}}},   /* log-1 */
    {2, {{9, SHW_KERNEL_GAUSS_2}, {8, SHW_KERNEL_SECOND_2}}},   /* log-2 */
    {2, {{15, SHW_KERNEL_GAUSS_4}, {14, SHW_KERNEL_SECOND_4}}}, /* log-4 */
    {1, {{10, SHW_KERNEL_GAUSS_2}}},                            /* dx-2 */
    {1, {{8, SHW_KERNEL_FIRST_2}}},                             /* dy-2 */
    {1, {{16, SHW_KERNEL_GAUSS_4}}},                            /* dx-4 */
    {1, {{14, SHW_KERNEL_FIRST_4}}},                            /* dy-4 */
    {2, {{18, SHW_KERNEL_GAUSS_8}, {17, SHW_KERNEL_SECOND_8}}}, /* log-8 */
};

static const struct shw_filter_bank winn16 = {.row_count = 17, .rows = rows, .column_count = 16, .columns = columns};
static const struct shw_filter_bank winn17 = {.row_count = 19, .rows = rows, .column_count = 17, .columns = columns};
static const struct shw_filter_bank wide = {.row_count = 19,
                                            .rows = rows,
                                            .column_count = 17,
                                            .columns = columns,
                                            .absolute_first = 9,
                                            .absolute_count = 8,
                                            .position_count = 2};

const struct shw_filter_bank *shw_filter_bank_get(enum shw_channel_set set)
{
    switch (set) {
    case SHW_CHANNELS_WINN16: return &winn16;
    case SHW_CHANNELS_WINN17: return &winn17;
    case SHW_CHANNELS_WIDE: return &wide;
    case SHW_CHANNELS_DEFAULT:
    case SHW_CHANNELS_RGB:
    case SHW_CHANNELS_LAB: break;
    }
    return NULL;
}
