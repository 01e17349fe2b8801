#include "detect/grey.h"

#include <string.h>

#include "base/image.h"
#include "base/integers.h"
#include "channels/pixel_codes.h"
#include "shared/detect.h"

#define ROWS_PER_TASK 32u

struct work {
    const struct shw_image *image;
    uint8_t *grey;
};

/* `step` samples from pixel to pixel; `shift` leaves the upper 8 bits. */
#define GREY_ROW(name, type, shift)                                                                                    \
    static void name(const type *from, uint32_t step, uint32_t count, uint8_t *to)                                     \
    {                                                                                                                  \
        for (uint32_t x = 0; x < count; x++, from += step)                                                             \
            to[x] = (uint8_t)(step == 1 ? from[0] >> shift                                                             \
                                        : shw_detect_grey((uint32_t)from[0] >> shift, (uint32_t)from[1] >> shift,      \
                                                          (uint32_t)from[2] >> shift));                                \
    }

GREY_ROW(grey_row8, uint8_t, 0)
GREY_ROW(grey_row16, uint16_t, 8)

/* Of formats that are not plain. */
static void grey_codes(enum shw_pixel_format format, const char *from, uint32_t count, uint8_t *to)
{
    size_t size = shw_pixel_size(format);
    uint32_t shift = shw_pixel_is_wide(format) ? 8 : 0, codes[3];

    for (uint32_t x = 0; x < count; x++, from += size) {
        shw_pixel_codes(format, from, codes);
        to[x] = (uint8_t)shw_detect_grey(codes[0] >> shift, codes[1] >> shift, codes[2] >> shift);
    }
}

static void grey_rows(void *user, uint32_t index, uint32_t thread)
{
    const struct work *work = user;
    const struct shw_image *image = work->image;
    size_t pixel = shw_pixel_size(image->format), stride = image->stride > 0 ? image->stride : pixel * image->width;
    uint32_t end = shw_min_u32(image->height, (index + 1) * ROWS_PER_TASK);

    (void)thread;
    for (uint32_t y = index * ROWS_PER_TASK; y < end; y++) {
        const char *from = (const char *)image->pixels + y * stride;
        uint8_t *to = work->grey + (size_t)y * image->width;
        if (!shw_pixel_is_plain(image->format))
            grey_codes(image->format, from, image->width, to);
        else if (shw_pixel_is_wide(image->format))
            grey_row16((const uint16_t *)(const void *)from, (uint32_t)pixel / 2, image->width, to);
        else
            grey_row8((const uint8_t *)from, (uint32_t)pixel, image->width, to);
    }
}

void shw_grey_make(const struct shw_image *image, uint8_t *grey, struct shw_thread_pool *pool)
{
    struct work work = {image, grey};

    shw_thread_pool_run(pool, (image->height + ROWS_PER_TASK - 1) / ROWS_PER_TASK, grey_rows, &work);
}
