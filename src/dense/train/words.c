#include "dense/train/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const struct shw_train_words shw_image_train_words = {
    .members = &(const struct shw_train_word){0},
    .other_feature = "this training was begun with another feature type",
    .other_data = "other images or labels: their pixels differ",
    .samples = "samples of a tree",
    .has_images = true,
    .fewer_samples = "draw fewer pixels per image",
};

const struct shw_train_word *shw_train_word_find(const struct shw_train_words *words, const char *member)
{
    for (const struct shw_train_word *word = words->members; word->member != NULL; word++)
        if (strcmp(word->member, member) == 0)
            return word;
    return NULL;
}

struct shw_train_need_text shw_train_need_text(const struct shw_train_words *words, uint64_t samples, uint32_t width,
                                               uint32_t height)
{
    struct shw_train_need_text need;

    if (words->has_images)
        snprintf(need.text, sizeof need.text, "%" PRIu64 " %s and images of %" PRIu32 " x %" PRIu32 " pixels", samples,
                 words->samples, width, height);
    else
        snprintf(need.text, sizeof need.text, "%" PRIu64 " %s", samples, words->samples);
    return need;
}
