#include "detection/learn/turned.h"

#include "base/image.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Where a pixel of the copy comes from. */
static void origin(const struct shw_image *image, uint32_t turn, uint32_t x, uint32_t y, uint32_t *from_x,
                   uint32_t *from_y)
{
    const uint32_t quarters = turn / 2, width = quarters % 2 == 0 ? image->width : image->height;
    const uint32_t across = turn % 2 != 0 ? width - 1 - x : x;

    *from_x = quarters == 0   ? across
              : quarters == 1 ? y
              : quarters == 2 ? image->width - 1 - across
                              : image->width - 1 - y;
    *from_y = quarters == 0   ? y
              : quarters == 1 ? image->height - 1 - across
              : quarters == 2 ? image->height - 1 - y
                              : across;
}

struct shw_image shw_turned_image(const struct shw_image *image, uint32_t turn)
{
    const bool upright = turn / 2 % 2 == 0;
    const size_t size = shw_pixel_size(image->format), stride = shw_image_stride(image);
    struct shw_image made = {.width = upright ? image->width : image->height,
                             .height = upright ? image->height : image->width,
                             .format = image->format};
    uint8_t *to = malloc((size_t)made.width * made.height * size);

    made.pixels = to;
    for (uint32_t y = 0; y < made.height && to != NULL; y++)
        for (uint32_t x = 0; x < made.width; x++, to += size) {
            uint32_t from_x, from_y;

            origin(image, turn, x, y, &from_x, &from_y);
            memcpy(to, (const uint8_t *)image->pixels + from_y * stride + from_x * size, size);
        }
    return made;
}

struct shw_true_object shw_turned_object(const struct shw_image *image, uint32_t turn,
                                         const struct shw_true_object *object)
{
    const uint32_t quarters = turn / 2, across = quarters % 2 == 0 ? image->width : image->height;
    const int32_t right = (int32_t)(image->width - object->width) - object->x;
    const int32_t below = (int32_t)(image->height - object->height) - object->y;
    struct shw_true_object turned = *object;

    if (quarters % 2 != 0) {
        turned.width = object->height;
        turned.height = object->width;
    }
    turned.x = quarters == 0 ? object->x : quarters == 1 ? below : quarters == 2 ? right : object->y;
    turned.y = quarters == 0 ? object->y : quarters == 1 ? object->x : quarters == 2 ? below : right;
    if (turn % 2 != 0)
        turned.x = (int32_t)(across - turned.width) - turned.x;
    return turned;
}
