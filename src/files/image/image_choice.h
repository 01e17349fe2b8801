/* How stored samples become the images that forests read: which channels of a file are used, and which of its values
 * are black and white. One choice holds for all images that belong together: those of a data set or a project, and
 * those that are labelled with a forest that was trained on them. */
#ifndef SHW_FILES_IMAGE_IMAGE_CHOICE_H
#define SHW_FILES_IMAGE_IMAGE_CHOICE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include <shadewood/forest.h>
#include <shadewood/log.h>

/* Channels of a file, counted from 1. Count 1: grey. 3: red, green and blue, each a channel or 0 for black. 0: the
 * first if there are one or two, otherwise the first three; alpha is kept. */
struct shw_image_channels {
    uint32_t count, numbers[3];
};

/* A sample v of more than 8 bits becomes the integer
 *     floor((131070 (v - low) + (high - low)) / (2 (high - low)))
 * from 0 to 65535, computed in double precision: the value between black and white that is nearest, rounded up if two
 * are equally near. Below `low` it is 0, above `high` 65535; what is not a number is 0. Alpha stays as it is. */
struct shw_intensity_range {
    double low, high; /* both zero: none is chosen */
};

/* Zero: the defaults. Without a range,
 * - samples of 8 bits and 16-bit integers stay as they are, signed ones plus 128 or 32768; those of 9 to 15 bits have
 *   the range of their type;
 * - integers of more than 16 bits and floats get the range of their page that leaves out the thousandth of the values
 *   that are smallest, and that of the largest. It is exactly defined: of the n finite values of the used channels at
 *   every s-th pixel of every s-th row, beginning with the first, where s is the smallest number that leaves no more
 *   than 2^18 pixels, it begins with the value that floor(n / 1000) are before in ascending order, and ends with the
 * one that as many are after. If these are equal, it is from the smallest to the largest; if all are equal to v, from v
 * to v + max(1, |v|); without finite values, from 0 to 1. */
struct shw_image_choice {
    struct shw_image_channels channels;
    struct shw_intensity_range range;
};

bool shw_intensity_range_is_set(const struct shw_intensity_range *range);
uint16_t shw_intensity_range_map(const struct shw_intensity_range *range, double value);

/* Returns what is wrong with it, or NULL: for sentences that begin with "the channels" or "the range". */
const char *shw_image_channels_fault(const struct shw_image_channels *channels);
const char *shw_intensity_range_fault(const struct shw_intensity_range *range);

/* Errors: ARGUMENT. */
enum shw_result shw_image_choice_check(const struct shw_image_choice *choice, const struct shw_log *log);

bool shw_image_choice_is_default(const struct shw_image_choice *choice);
bool shw_image_choice_equal(const struct shw_image_choice *a, const struct shw_image_choice *b);

/* The members "intensity_range": [LOW, HIGH] and "image_channels": [N, ...] of provenance and projects, those
 * that are chosen. NULL if memory is exhausted. */
json_t *shw_image_choice_pack(const struct shw_image_choice *choice);
/* The other way round; members that are missing are not chosen. Returns what is wrong, or NULL; the choice is then not
 * changed. */
const char *shw_image_choice_unpack(const json_t *object, struct shw_image_choice *choice);

/* The same as text of a JSON object, for notes in the provenance; NULL for the default, and if memory is exhausted
 * (*fine is then false). To be freed with free(). */
char *shw_image_choice_format(const struct shw_image_choice *choice, bool *fine);

/* What a forest was trained with, from its provenance; what is invalid there is ignored, since forests are not
 * trusted. Members that are already chosen stay. */
void shw_image_choice_recall(const struct shw_forest_info *info, struct shw_image_choice *choice);

#endif
