/* The feature type of attributes, which trees of records are trained with, and the channels that it reads. No list has
 * it: it makes no sense for images. */
#ifndef SHW_RECORD_TRAIN_ATTRIBUTE_FEATURE_H
#define SHW_RECORD_TRAIN_ATTRIBUTE_FEATURE_H

#include <shadewood/channel_kind.h>
#include <shadewood/feature.h>

/* The most rows of a channel, each with an attribute; and the most channels. */
#define SHW_ATTRIBUTE_ROWS_MAX     16383u
#define SHW_ATTRIBUTE_CHANNELS_MAX 4u

extern const struct shw_feature_type shw_feature_attribute;
extern const struct shw_channel_kinds shw_attribute_channels; /* SHW_ATTRIBUTE_CHANNELS_MAX */

/* The list with the first `count` of these channels. */
const char *shw_attribute_channel_list(uint32_t count);

/* The attribute that a feature asks about; and what it asks. `rows`: of a channel. */
static inline uint32_t shw_attribute_of(const struct shw_feature *feature, uint32_t rows)
{
    return feature->words[0] * rows + feature->words[1];
}

static inline uint32_t shw_attribute_asked(const struct shw_feature *feature)
{
    return feature->words[2];
}

#endif
