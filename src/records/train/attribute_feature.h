/* The feature type of attributes, which trees of records are trained with, and the channels that it reads. No list has
 * it: it makes no sense for images. */
#ifndef SHW_RECORDS_TRAIN_ATTRIBUTE_FEATURE_H
#define SHW_RECORDS_TRAIN_ATTRIBUTE_FEATURE_H

#include <shadewood/channel_kind.h>
#include <shadewood/feature.h>

/* An image has at most so many rows, and at most 2^SHW_ATTRIBUTE_BLOCKS_SHIFT_MAX blocks of them beside each other. */
#define SHW_ATTRIBUTE_ROWS_MAX         8192u
#define SHW_ATTRIBUTE_BLOCKS_SHIFT_MAX 3u

extern const struct shw_feature_type shw_feature_attribute;

/* The channel, and the input that it is made from. */
#define SHW_ATTRIBUTE_CHANNEL "ranks"
extern const struct shw_channel_kinds shw_attribute_channels;

/* The attribute that a feature asks about; and what it asks. `rows`: of a block. */
static inline uint32_t shw_attribute_of(const struct shw_feature *feature, uint32_t rows)
{
    return feature->words[3] * rows + feature->words[1];
}

static inline uint32_t shw_attribute_asked(const struct shw_feature *feature)
{
    return feature->words[2];
}

#endif
