/* The examples that have a class, and the ranks of their attributes' values, which training looks at instead of the
 * values. */
#ifndef SHW_RECORDS_TRAIN_RANKS_H
#define SHW_RECORDS_TRAIN_RANKS_H

#include <shadewood/channel_kind.h>
#include <shadewood/feature.h>
#include <shadewood/record_train.h>
#include <shadewood/train.h>

#include "base/thread_pool.h"
#include "records/evaluate/record_code.h"

/* An attribute has a rank for each of its values or, if there are more than SHW_ATTRIBUTE_RANKS, for groups of
 * successive values with about as many examples each. */
struct shw_ranks {
    uint32_t count;    /* examples with a class */
    uint32_t *records; /* [example] its record; ascending */
    uint16_t *labels;  /* [example] its class */
    uint32_t attributes;
    uint16_t *stored;      /* [attribute][example]: rank + 2, or 1 if it is missing */
    uint32_t *rank_counts; /* [attribute] */
    int32_t **lowest;      /* [attribute][rank]: the code of the lowest value of the rank */
    bool is_missing_known; /* a value is missing */
    uint64_t hash;         /* of all values */
};

/* Makes the ranks. Errors: FORMAT, LIMIT, MEMORY. On failure *ranks is zero. */
enum shw_result shw_ranks_make(const struct shw_record_examples *examples, struct shw_thread_pool *pool,
                               const struct shw_log *log, struct shw_ranks *ranks);
void shw_ranks_free(struct shw_ranks *ranks);

/* The code of an attribute of a record. */
static inline int32_t shw_records_code(const struct shw_records *records, uint64_t record, uint32_t attribute)
{
    bool is_packed = records->record_stride == 0 && records->attribute_stride == 0;
    size_t place = is_packed ? (size_t)record * records->attribute_count + attribute
                             : (size_t)record * records->record_stride + attribute * records->attribute_stride;

    return shw_record_code_in(records, records->values[place]);
}

/* A training set of images, made of ranks, for the trainer of forests. */

/* Each image has successive examples, one a column; images differ by at most one in their number. Attribute a is row
 * a % rows, and if there are more than one image can have rows, the rest follow in blocks to the right: attribute a is
 * in column `width` a / rows + the example's, of `width` examples. Row 0 of the first block has the labels. */
struct shw_rank_images {
    struct shw_dataset dataset;
    const struct shw_ranks *ranks;
    const struct shw_log *log;
    uint32_t rows, blocks_shift; /* 2^blocks_shift blocks */
};

/* `images` must stay where it is, and the ranks as they are. */
void shw_rank_images_make(const struct shw_ranks *ranks, uint32_t class_count, const struct shw_log *log,
                          struct shw_rank_images *images);

/* The first example of image `index`, or the number of examples for the number of images. */
uint32_t shw_rank_images_begin(const struct shw_rank_images *images, uint32_t index);

/* How many examples of each image a tree gets, as shw_trainer_params.pixels_per_image: at least one. */
uint32_t shw_rank_images_share(const struct shw_rank_images *images, uint32_t percent);

/* The feature type of attributes, which trees of records are trained with, and the channels that it reads. No list has
 * it: it makes no sense for images. */

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
