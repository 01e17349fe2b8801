#include "files/project/stroke_folds.h"

#include <stdlib.h>
#include <string.h>

uint32_t shw_trained_strokes(const struct shw_training_set *set)
{
    return set->picture_count > 0 ? set->pictures[set->picture_count - 1].first_stroke +
                                        set->pictures[set->picture_count - 1].labels->stroke_count
                                  : 0;
}

/* The class of a stroke; VOID for those that there are not. */
static uint16_t class_of(const struct shw_training_set *set, const bool *strokes, uint32_t stroke)
{
    return strokes == NULL || strokes[stroke] ? set->stroke_labels[stroke] : SHW_LABEL_VOID;
}

/* Puts pictures into folds, and notes which classes are in several. */
static void fold_pictures(const struct shw_training_set *set, const bool *strokes, uint8_t *folds,
                          enum shw_held_out_by *by, uint32_t *seen, uint8_t *first_fold)
{
    uint32_t number = 0; /* of the picture, among those with strokes */

    for (uint32_t p = 0; p < set->picture_count; p++) {
        const uint32_t first = set->pictures[p].first_stroke, end = first + set->pictures[p].labels->stroke_count;
        const uint8_t fold = (uint8_t)(number % SHW_FOLDS);
        bool any = false;

        for (uint32_t s = first; s < end; s++) {
            const uint16_t class = class_of(set, strokes, s);

            if (class == SHW_LABEL_VOID)
                continue;
            any = true;
            folds[s] = fold;
            if (seen[class]++ == 0)
                first_fold[class] = fold;
            else if (fold != first_fold[class])
                by[class] = SHW_HELD_OUT_PICTURES;
            else if (by[class] == SHW_HELD_OUT_NONE)
                by[class] = SHW_HELD_OUT_STROKES;
        }
        number += any;
    }
}

bool shw_stroke_folds(const struct shw_training_set *set, const bool *strokes, uint8_t *folds, enum shw_held_out_by *by)
{
    uint32_t count = shw_trained_strokes(set), *seen = calloc(set->class_count + 1u, sizeof *seen);
    uint8_t *first_fold = calloc(set->class_count + 1u, sizeof *first_fold);

    if (seen == NULL || first_fold == NULL) {
        free(seen);
        free(first_fold);
        return false;
    }
    memset(by, 0, set->class_count * sizeof *by);
    memset(folds, SHW_FOLDS, set->stroke_count);
    fold_pictures(set, strokes, folds, by, seen, first_fold);
    memset(seen, 0, set->class_count * sizeof *seen);
    for (uint32_t s = 0; s < count; s++) {
        const uint16_t class = class_of(set, strokes, s);

        if (class != SHW_LABEL_VOID && by[class] == SHW_HELD_OUT_STROKES)
            folds[s] = (uint8_t)(seen[class]++ % SHW_FOLDS);
        else if (class != SHW_LABEL_VOID && by[class] == SHW_HELD_OUT_NONE)
            folds[s] = SHW_FOLDS;
    }
    free(seen);
    free(first_fold);
    return true;
}
