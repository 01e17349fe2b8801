/* Separable filters as data, for all techniques: rows are filtered first, then columns. */
#ifndef SHW_DENSE_CHANNELS_FILTER_BANK_H
#define SHW_DENSE_CHANNELS_FILTER_BANK_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/channels.h>

#include "base/simd.h"
#include "dense/channels/channel_maker.h"
#include "dense/channels/pixels.h"
#include "shared/filter_push.h"

/* The one-dimensional kernels of the filter bank, as integers with SHW_KERNEL_BITS fraction bits. docs/channels.md
 * derives them. */

#define SHW_KERNEL_RADIUS_MAX 24u

#define SHW_KERNEL_SCALES 4u /* sigma 1, 2, 4 and 8 of each family, in this order */

enum shw_kernel {
    SHW_KERNEL_GAUSS_1, /* Gaussian, sums to 1 */
    SHW_KERNEL_GAUSS_2,
    SHW_KERNEL_GAUSS_4,
    SHW_KERNEL_GAUSS_8,
    SHW_KERNEL_SECOND_1, /* sigma^2 times its second derivative, sums to 0 */
    SHW_KERNEL_SECOND_2,
    SHW_KERNEL_SECOND_4,
    SHW_KERNEL_SECOND_8,
    SHW_KERNEL_FIRST_1, /* the first derivative; the weights at larger coordinates are positive and sum to 1 */
    SHW_KERNEL_FIRST_2,
    SHW_KERNEL_FIRST_4,
    SHW_KERNEL_FIRST_8,
    SHW_KERNEL_COUNT
};

struct shw_filter_kernel {
    uint32_t radius;
    const int16_t *weights; /* 2 * radius + 1; weights[radius + d] belongs to the sample at distance d */
};

extern const struct shw_filter_kernel shw_filter_kernels[SHW_KERNEL_COUNT];

#define SHW_FILTER_PLANES_MAX 3u

/* The filter of a channel kind: for each channel a base plane, of the colour image (planes have one, which is read
 * instead), and one or two terms whose sum is the channel. Kernels
 * given for sigma 1 stand for the whole family. */
struct shw_filter {
    enum shw_base_plane planes[SHW_FILTER_PLANES_MAX];
    bool is_magnitude;
    uint32_t term_count;
    struct {
        enum shw_kernel row, column;
    } terms[2];
};

/* Maxima: a sum for each channel, of two terms; or of one for each that derived kinds read, which are more. */
#define SHW_ROW_FILTERS_MAX    (2 * SHW_CHANNELS_MAX)
#define SHW_COLUMN_FILTERS_MAX SHW_CHANNEL_ENTRIES_MAX
#define SHW_FILTERS_MAX        SHW_ROW_FILTERS_MAX /* the greater of both */

struct shw_row_filter {
    uint8_t base;   /* enum shw_base_plane, or SHW_BASE_COUNT and the number of a plane of the bank */
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
    bool reads_colour;
    uint32_t plane_count;
    uint32_t planes[SHW_INPUTS_MAX]; /* [number]: index in the list's inputs */
    uint32_t row_count;
    struct shw_row_filter rows[SHW_ROW_FILTERS_MAX];
    uint32_t column_count;
    struct shw_column_filter columns[SHW_COLUMN_FILTERS_MAX];
};

/* The filters for a range of channels of a list; outputs are relative to the first channel. */
void shw_filter_bank_make(const struct shw_channel_list *list, uint32_t first, uint32_t count,
                          struct shw_filter_bank *bank);

/* The filter bank on a device: from the source image to base planes, filtered rows and channels. */

extern const struct shw_channel_device_maker shw_filter_bank_fragment, shw_filter_bank_compute;

/* The phases, which are the last ones. */
enum { SHW_FILTER_BASE = SHW_CHANNEL_PHASES - 3, SHW_FILTER_ROWS, SHW_FILTER_COLUMNS };

/* Index of a kernel's first weight in the buffer of weights. */
uint32_t shw_filter_weights_offset(enum shw_kernel kernel);

/* Shared by both techniques, whose instances begin with it. */
struct shw_filter_bank_planes {
    struct shw_filter_bank bank;
    uint32_t slots, sets;
    const struct shw_planes *outputs;       /* one per slot, like the others; borrowed */
    struct shw_planes *base, *intermediate; /* the image as base planes; the rows filtered */
    uint32_t source_count;
    struct shw_code_step *sources; /* make base planes: of the colour image if it is read, and of planes */
    struct shw_buffer weights;
};

/* On failure *planes may be partly made and must be destroyed. The arena must be made before
 * shw_filter_bank_planes_create(). Errors: MEMORY, DEVICE_MEMORY, UNSUPPORTED, LIMIT. */
enum shw_result shw_filter_bank_planes_add(struct shw_arena *arena, const struct shw_channel_list *list,
                                           const struct shw_channel_outputs *outputs,
                                           struct shw_filter_bank_planes *planes);
enum shw_result shw_filter_bank_planes_create(struct shw_device *device, struct shw_filter_bank_planes *planes);

/* Makes the base planes. */
void shw_filter_bank_planes_record(const struct shw_filter_bank_planes *planes, struct shw_recording *recording,
                                   uint32_t slot, const struct shw_channel_source *sources,
                                   const struct shw_region *region);

/* struct shw_channel_device_maker, bind(). */
void shw_filter_bank_planes_bind(void *instance, struct shw_device *device, uint32_t slot, const VkImageView *views);

/* Accepts zero planes. */
void shw_filter_bank_planes_destroy(struct shw_device *device, struct shw_filter_bank_planes *planes);

/* The inner loop of convolution on the CPU. */

#define SHW_WEIGHTED_SUM_MAX 98u /* rows: two terms of the largest kernel */

/* out[x] = shw_round_shift(sum of weights[i] * rows[i][x], shift) for x < width; it must fit int16_t. The magnitude of
 * all partial sums must stay below 2^31 and that of the whole sum below 2^30. count <= SHW_WEIGHTED_SUM_MAX. `out` must
 * not overlap any row. */
void shw_weighted_sum(const int16_t *const *rows, const int16_t *weights, uint32_t count, uint32_t width,
                      uint32_t shift, int16_t *out, enum shw_simd simd);

#endif
