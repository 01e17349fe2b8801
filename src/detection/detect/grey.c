#include "detection/detect/grey.h"

#include <string.h>

#include "base/image.h"
#include "base/integers.h"
#include "dense/channels/pixels.h"
#include "detection/detect/grey_rows.h"
#include "shared/detect.h"

#define ROWS_PER_TASK 32u

struct work {
    const struct shw_image *image;
    enum shw_simd simd;
    uint8_t *grey;
};

/* `shift` leaves the upper 8 bits. */
#define GREY_ROW(name, type, shift)                                                                                    \
    static void name(const struct shw_grey_layout *layout, const type *from, uint32_t count, uint8_t *to)              \
    {                                                                                                                  \
        for (uint32_t x = 0; x < count; x++, from += layout->step)                                                     \
            to[x] =                                                                                                    \
                (uint8_t)shw_detect_grey((uint32_t)from[layout->red] >> shift, (uint32_t)from[layout->green] >> shift, \
                                         (uint32_t)from[layout->blue] >> shift);                                       \
    }

GREY_ROW(grey_row8, uint8_t, 0)
GREY_ROW(grey_row16, uint16_t, 8)

/* Of formats without a layout. */
static void grey_codes(enum shw_pixel_format format, const char *from, uint32_t count, uint8_t *to)
{
    size_t size = shw_pixel_size(format);
    uint32_t shift = shw_pixel_is_wide(format) ? 8 : 0, codes[3];

    for (uint32_t x = 0; x < count; x++, from += size) {
        shw_pixel_codes(format, from, codes);
        to[x] = (uint8_t)shw_detect_grey(codes[0] >> shift, codes[1] >> shift, codes[2] >> shift);
    }
}

/* Where samples are; step 0: not in a layout. */
static struct shw_grey_layout find_layout(enum shw_pixel_format format)
{
    uint32_t size = (uint32_t)shw_pixel_size(format) / (shw_pixel_is_wide(format) ? 2 : 1);

    if (format == SHW_PIXEL_BGRA8)
        return (struct shw_grey_layout){4, 2, 1, 0};
    if (!shw_pixel_is_plain(format))
        return (struct shw_grey_layout){0, 0, 0, 0};
    return size > 1 ? (struct shw_grey_layout){size, 0, 1, 2} : (struct shw_grey_layout){1, 0, 0, 0};
}

static void grey_row(const struct work *work, const char *from, uint8_t *to)
{
    const struct shw_image *image = work->image;
    const struct shw_grey_layout layout = find_layout(image->format);
    uint32_t done = 0;

    if (layout.step == 0)
        grey_codes(image->format, from, image->width, to);
    else if (shw_pixel_is_wide(image->format))
        grey_row16(&layout, (const uint16_t *)(const void *)from, image->width, to);
    else if (layout.step == 1)
        memcpy(to, from, image->width);
    else {
#if SHW_SIMD_X86
        if (work->simd >= SHW_SIMD_AVX2)
            done = shw_grey_row_avx2(&layout, (const uint8_t *)from, image->width, to);
#endif
        grey_row8(&layout, (const uint8_t *)from + (size_t)done * layout.step, image->width - done, to + done);
    }
}

static void grey_rows(void *user, uint32_t index, uint32_t thread)
{
    const struct work *work = user;
    const struct shw_image *image = work->image;
    size_t stride = image->stride > 0 ? image->stride : shw_pixel_size(image->format) * image->width;
    uint32_t end = shw_min_u32(image->height, (index + 1) * ROWS_PER_TASK);

    (void)thread;
    for (uint32_t y = index * ROWS_PER_TASK; y < end; y++)
        grey_row(work, (const char *)image->pixels + y * stride, work->grey + (size_t)y * image->width);
}

void shw_grey_make(const struct shw_image *image, uint8_t *grey, struct shw_thread_pool *pool)
{
    struct work work = {image, shw_simd_level(), grey};

    shw_thread_pool_run(pool, (image->height + ROWS_PER_TASK - 1) / ROWS_PER_TASK, grey_rows, &work);
}
