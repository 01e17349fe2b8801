/* Votes of trees. The votes take the place of the distributions in the texture, so that evaluation, which adds the
 * values of leaves, counts them. */
#include "dense/forest/forest.h"

#include <stdlib.h>
#include <string.h>

static size_t leaf_words(const struct shw_forest *forest)
{
    return (size_t)4 * SHW_DISTRIBUTION_TEXELS(forest->info.class_count);
}

static size_t distribution_words(const struct shw_forest *forest)
{
    return leaf_words(forest) * forest->layout.leaf_count;
}

static uint32_t *evaluated(const struct shw_forest *forest)
{
    return forest->texels + (size_t)4 * forest->layout.distributions;
}

static void vote(uint16_t *values, uint32_t classes)
{
    uint32_t best = 0;

    for (uint32_t c = 1; c < classes; c++)
        if (values[c] > values[best])
            best = c;
    memset(values, 0, classes * sizeof *values);
    values[best] = 65535;
}

bool shw_forest_set_votes(struct shw_forest *forest)
{
    size_t words = distribution_words(forest);

    if (forest->info.combine != SHW_COMBINE_VOTE)
        return true;
    forest->trained = malloc(words * sizeof *forest->trained);
    if (forest->trained == NULL)
        return false;
    memcpy(forest->trained, evaluated(forest), words * sizeof *forest->trained);
    for (uint32_t l = 0; l < forest->layout.leaf_count; l++)
        vote((uint16_t *)(void *)(evaluated(forest) + l * leaf_words(forest)), forest->info.class_count);
    return true;
}

uint32_t *shw_forest_copy_texels(const struct shw_forest *forest)
{
    size_t bytes = (size_t)16 * shw_forest_texel_count(&forest->layout);
    uint32_t *texels = malloc(bytes);

    if (texels == NULL)
        return NULL;
    memcpy(texels, forest->texels, bytes);
    if (forest->trained != NULL)
        memcpy(texels + (size_t)4 * forest->layout.distributions, forest->trained,
               distribution_words(forest) * sizeof *texels);
    return texels;
}

static const uint16_t *leaf_of(const struct shw_forest *forest, const uint32_t *leaves, uint32_t tree, uint32_t leaf)
{
    size_t number = (size_t)forest->trees[tree].first_leaf + leaf;

    return (const uint16_t *)(const void *)(leaves + leaf_words(forest) * number);
}

const uint16_t *shw_forest_get_values(const struct shw_forest *forest, uint32_t tree, uint32_t leaf)
{
    return leaf_of(forest, evaluated(forest), tree, leaf);
}

const uint16_t *shw_forest_get_distribution(const struct shw_forest *forest, uint32_t tree, uint32_t leaf)
{
    if (forest == NULL)
        return NULL;

    return leaf_of(forest, forest->trained != NULL ? forest->trained : evaluated(forest), tree, leaf);
}
