/* What a finished cascade is worth, and its least score. */
#include <stdlib.h>

#include "base/integers.h"
#include "base/log.h"
#include "detection/boost/trainer.h"

#define MILLION UINT64_C(1000000)

/* Scores, least first. */
struct scores {
    int32_t *items;
    uint32_t count;
};

static int compare(const void *a, const void *b)
{
    int32_t first = *(const int32_t *)a, second = *(const int32_t *)b;

    return (first > second) - (first < second);
}

static uint32_t count_from(const struct scores *scores, int32_t least)
{
    uint32_t below = 0;

    while (below < scores->count && scores->items[below] < least)
        below++;
    return scores->count - below;
}

/* Of the copies that were held out and that all stages keep. */
static enum shw_result sort_kept(const struct shw_cascade_trainer *trainer, struct scores *kept)
{
    const struct shw_scored_patches *patches = &trainer->calibration;

    kept->items = malloc(((size_t)patches->count + 1) * sizeof *kept->items);
    if (kept->items == NULL)
        return shw_fail_memory(&trainer->params.log, "scores of objects");
    for (uint32_t i = 0; i < patches->count; i++)
        if (!patches->rejected[i])
            kept->items[kept->count++] = patches->scores[i];
    qsort(kept->items, kept->count, sizeof *kept->items, compare);
    return SHW_OK;
}

/* Of all windows that pass, by a sample of them. */
static uint64_t windows_from(const struct shw_mined *mined, uint32_t sampled)
{
    return mined->count > 0 ? mined->passed * sampled / mined->count : 0;
}

/* The lowest score at which no more windows pass than the target allows. */
static int32_t find_passing(const struct shw_mined *mined, const struct scores *kept, uint32_t target)
{
    uint32_t allowed = 0, count = mined->count;
    int32_t lowest = kept->items[0];

    while (allowed < count && windows_from(mined, allowed + 1) * MILLION <= mined->scanned * target)
        allowed++;
    if (allowed < count)
        return mined->scores[count - 1 - allowed] + 1;
    return count > 0 ? shw_min_i32(lowest, mined->scores[0]) : lowest;
}

static void choose(struct shw_cascade_trainer *trainer, const struct shw_mined *mined, const struct scores *kept)
{
    const struct shw_cascade_trainer_params *params = &trainer->params;
    const struct scores sampled = {mined->scores, mined->count};
    uint32_t copies = trainer->calibration.count;
    uint32_t needed = (uint32_t)(((uint64_t)copies * params->target_recall + 99) / 100);
    struct shw_cascade_quality *quality = &trainer->quality;

    *quality = (struct shw_cascade_quality){.measured = true,
                                            .held_out_objects = copies / params->copies,
                                            .held_out_copies = copies,
                                            .copies_kept = kept->count,
                                            .windows_scanned = mined->scanned,
                                            .windows_passed = mined->passed,
                                            .min_score = find_passing(mined, kept, params->target_pass)};
    quality->met = count_from(kept, quality->min_score) >= needed;
    if (!quality->met)
        quality->min_score = kept->items[kept->count - shw_min_u32(needed, kept->count)];
    quality->copies_found = count_from(kept, quality->min_score);
    quality->windows_found = windows_from(mined, count_from(&sampled, quality->min_score));
}

enum shw_result shw_cascade_trainer_measure(struct shw_cascade_trainer *trainer)
{
    struct shw_mining mining = {.images = &trainer->images,
                                .turned = trainer->params.turned_backgrounds,
                                .hold_out_percent = trainer->params.hold_out_percent,
                                .held_out = trainer->params.hold_out_percent > 0,
                                .count = trainer->params.background_count,
                                .seed = trainer->params.seed,
                                .round = trainer->round + 1,
                                .pool = trainer->pool,
                                .stop = &trainer->stop};
    struct shw_mined mined = {0};
    struct shw_cascade *cascade = NULL;
    struct scores kept = {0};
    enum shw_result result;

    if (trainer->quality.measured)
        return SHW_OK;
    SHW_TRY(sort_kept(trainer, &kept));
    SHW_TRY(shw_cascade_trainer_make(trainer, trainer->stage_count, NULL, NULL, &cascade));
    mining.cascade = cascade;
    SHW_TRY(shw_mine(&mining, &mined));
    if (mined.scanned == 0 && mining.held_out) { /* what was trained is not lost for that */
        shw_log_message(&trainer->params.log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                        "%u percent of the images are to be held out, but that makes no windows: those that were mined "
                        "are measured",
                        trainer->params.hold_out_percent);
        shw_mined_free(&mined);
        mining.held_out = false;
        SHW_TRY(shw_mine(&mining, &mined));
    }
    qsort(mined.scores, mined.count, sizeof *mined.scores, compare);
    choose(trainer, &mined, &kept);

fail:
    shw_mined_free(&mined);
    shw_cascade_destroy(&cascade);
    free(kept.items);
    return result;
}

json_t *shw_cascade_trainer_quality_record(const struct shw_cascade_trainer *trainer)
{
    const struct shw_cascade_quality *quality = &trainer->quality;

    return json_pack("{s:b, s:i, s:i, s:i, s:i, s:i, s:I, s:I, s:I}", "met", (int)quality->met, "target_pass",
                     (int)trainer->params.target_pass, "target_recall", (int)trainer->params.target_recall,
                     "held_out_objects", (int)quality->held_out_objects, "held_out_copies",
                     (int)quality->held_out_copies, "copies_found", (int)quality->copies_found, "windows_scanned",
                     (json_int_t)quality->windows_scanned, "windows_passed", (json_int_t)quality->windows_passed,
                     "windows_found", (json_int_t)quality->windows_found);
}

void shw_cascade_trainer_get_quality(const struct shw_cascade_trainer *trainer, struct shw_cascade_quality *quality)
{
    if (trainer != NULL && quality != NULL)
        *quality = trainer->quality;
}
