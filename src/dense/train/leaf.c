#include "dense/train/leaf.h"

#include <stdlib.h>

#define PRIOR_BITS 32u /* fraction bits of the pixels that a sample stands for */

typedef unsigned __int128 wide;

bool shw_leaf_rule_make(const struct shw_trainer_params *params, uint32_t classes, const uint32_t *weights,
                        const uint64_t *class_pixels, const uint64_t *samples, struct shw_leaf_rule *rule)
{
    *rule = (struct shw_leaf_rule){
        .classes = classes, .bias_percent = params->bias_percent, .weights = malloc(classes * sizeof *rule->weights)};
    for (uint32_t c = 0; rule->weights != NULL && c < classes; c++)
        if (params->prior == SHW_PRIOR_SAMPLES)
            rule->weights[c] = weights[c];
        else
            rule->weights[c] = samples[c] > 0 ? ((wide)class_pixels[c] << PRIOR_BITS) / samples[c] : 0;
    return rule->weights != NULL;
}

void shw_leaf_rule_free(struct shw_leaf_rule *rule)
{
    free(rule->weights);
    *rule = (struct shw_leaf_rule){0};
}

/* A leaf's samples, and what is subtracted from those of each class, in hundredths. */
struct biased {
    const struct shw_leaf_rule *rule;
    const uint32_t *counts;
    uint64_t subtracted;
};

/* A class's part of the leaf. Below 2^96: a class has fewer than 2^56 pixels in the training set. */
static wide mass_of(const struct biased *leaf, uint32_t class)
{
    uint64_t count = (uint64_t)100 * leaf->counts[class];

    return count > leaf->subtracted ? (count - leaf->subtracted) * leaf->rule->weights[class] : 0;
}

/* Nothing is subtracted if nothing would remain. */
static struct biased subtract(const struct shw_leaf_rule *rule, const uint32_t *counts)
{
    struct biased leaf = {rule, counts, 0};
    uint64_t all = 0, most = 0;

    for (uint32_t c = 0; c < rule->classes; c++) {
        all += counts[c];
        most = counts[c] > most ? counts[c] : most;
    }
    if (100 * most > rule->bias_percent * all)
        leaf.subtracted = rule->bias_percent * all;
    return leaf;
}

void shw_leaf_distribute(const struct shw_leaf_rule *rule, const uint32_t *counts, uint16_t *distribution)
{
    struct biased leaf = subtract(rule, counts);
    wide mass = 0;
    uint32_t given = 0;

    for (uint32_t c = 0; c < rule->classes; c++)
        mass += mass_of(&leaf, c);
    for (uint32_t c = 0; c < rule->classes; c++) {
        distribution[c] = (uint16_t)(mass_of(&leaf, c) * 65535 / mass);
        given += distribution[c];
    }
    for (; given < 65535; given++) {
        uint32_t best = 0;
        wide best_remainder = 0;
        for (uint32_t c = 0; c < rule->classes; c++) {
            /* The remainder of the exact share, in units of 1 / mass; never above the first round's remainder. */
            wide exact = mass_of(&leaf, c) * 65535, got = distribution[c] * mass;
            wide remainder = exact > got ? exact - got : 0;
            if (remainder > best_remainder) {
                best_remainder = remainder;
                best = c;
            }
        }
        distribution[best]++;
    }
}
