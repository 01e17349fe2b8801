/* Planes as they are read for mirror images, with paired flipping. */
#include "dense/train/images.h"
#include "shared/mirror.h"

/* Of the row of an integral image; `count` is one more than the image's width. */
static void flip_sums(uint32_t *row, uint32_t count, bool is_negated)
{
    for (uint32_t x = 0; x < count - 1 - x; x++) {
        uint32_t sum = row[x];
        row[x] = row[count - 1 - x];
        row[count - 1 - x] = sum;
    }
    for (uint32_t x = 0; x < count; x++)
        row[x] = shw_mirror_value(row[x], !is_negated);
}

static void flip_values(int16_t *row, uint32_t count, bool is_negated)
{
    for (uint32_t x = 0; x < count - 1 - x; x++) {
        int16_t value = row[x];
        row[x] = row[count - 1 - x];
        row[count - 1 - x] = value;
    }
    for (uint32_t x = 0; x < count && is_negated; x++)
        row[x] = (int16_t)-row[x];
}

void shw_train_image_flip_planes(const struct shw_train_images *images, uint32_t index, void *planes)
{
    const struct shw_train_image *image = &images->images[index];
    uint32_t stride = image->width + image->more, height = image->height + image->more;

    for (uint32_t row = 0; row < images->channels.channel_count * height; row++) {
        enum shw_channel_mirror mirrored = images->channels.channels[row / height].mirrored;
        bool is_negated = mirrored == SHW_MIRRORED_NEGATED;

        if (mirrored == SHW_MIRRORED_FIXED)
            continue;
        if (images->reads == SHW_FEATURE_READS_INTEGRALS)
            flip_sums((uint32_t *)planes + (size_t)row * stride, stride, is_negated);
        else
            flip_values((int16_t *)planes + (size_t)row * stride, stride, is_negated);
    }
}
