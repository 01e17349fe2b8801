/* Whole frames, to compare with the predictions from the parts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/label.h>

#include "base/log.h"
#include "dense/calibration/calibrate.h"

#define BEST     5    /* combinations, besides those of a single technique */
#define LARGE_MS 12.0 /* the large frame is used if the best combination takes less */

struct mixture {
    enum shw_technique techniques[SHW_STAGE_COUNT];
    double ms;
};

static int compare(const void *a, const void *b)
{
    const struct mixture *left = a, *right = b;

    return (left->ms > right->ms) - (left->ms < right->ms);
}

/* All combinations, by prediction; returns the number of those with all parts measured. */
static uint32_t rank(const struct shw_calibrator *calibrator, const struct shw_calibration_work *work,
                     struct mixture mixtures[27])
{
    uint32_t count = 0;

    for (int m = 0; m < 27; m++) {
        struct mixture *mixture = &mixtures[count];
        mixture->techniques[0] = (enum shw_technique)(SHW_TECHNIQUE_CPU + m / 9);
        mixture->techniques[1] = (enum shw_technique)(SHW_TECHNIQUE_CPU + m / 3 % 3);
        mixture->techniques[2] = (enum shw_technique)(SHW_TECHNIQUE_CPU + m % 3);
        mixture->ms = shw_calibration_sum(calibrator->result, work, mixture->techniques);
        count += isfinite(mixture->ms) ? 1 : 0;
    }
    qsort(mixtures, count, sizeof *mixtures, compare);
    return count;
}

struct frame {
    struct shw_labeller *labeller;
    const struct shw_image *image;
    struct shw_labelling out;
};

static enum shw_result run(void *user)
{
    const struct frame *frame = user;

    return shw_labeller_run(frame->labeller, SHW_COLOUR_IMAGE(*frame->image), &frame->out);
}

static enum shw_result measure(struct shw_calibrator *calibrator, const struct shw_calibrate_frame *at,
                               const struct mixture *mixture, uint16_t *argmax)
{
    struct shw_labeller_params params = {.forest = calibrator->forest,
                                         .device = calibrator->device,
                                         .outputs = at->work.outputs,
                                         .channels = mixture->techniques[0],
                                         .integrate = mixture->techniques[1],
                                         .evaluate = mixture->techniques[2],
                                         .threads = shw_thread_pool_size(calibrator->pool),
                                         .log = calibrator->log};
    struct frame frame = {.image = &at->image, .out = {.argmax = argmax}};
    struct shw_calibration *calibration = calibrator->result;
    struct shw_calibration_frame *measured = &calibration->frames[calibration->frame_count];
    double begin = shw_clock();
    enum shw_result result;

    SHW_TRY(shw_labeller_create(&params, &frame.labeller));
    SHW_TRY(run(&frame));
    SHW_TRY(shw_calibrate_time(run, &frame, &measured->measured_ms));
    memcpy(measured->techniques, mixture->techniques, sizeof measured->techniques);
    measured->predicted_ms = mixture->ms;
    calibration->frame_count++;

fail:
    shw_labeller_destroy(&frame.labeller);
    shw_calibrate_step(calibrator, begin);
    return shw_calibrate_is_missing(result) ? SHW_OK : result;
}

enum shw_result shw_calibrate_frames(struct shw_calibrator *calibrator)
{
    const struct shw_calibrate_frame *at = &calibrator->frames[SHW_CALIBRATE_SIZES - 1];
    struct mixture mixtures[27];
    uint32_t count = rank(calibrator, &at->work, mixtures);
    uint16_t *argmax = malloc((size_t)at->image.width * at->image.height * sizeof *argmax);
    enum shw_result result = SHW_OK;

    if (argmax == NULL)
        return shw_fail_memory(&calibrator->log, "a calibration");
    if (count > 0 && mixtures[0].ms > LARGE_MS) {
        at = &calibrator->frames[0];
        count = rank(calibrator, &at->work, mixtures);
    }
    calibrator->result->work = at->work;
    for (uint32_t m = 0; m < count && shw_calibrate_goes_on(calibrator, SHW_TECHNIQUE_AUTO); m++) {
        const enum shw_technique *techniques = mixtures[m].techniques;
        if (m < BEST || (techniques[0] == techniques[1] && techniques[1] == techniques[2]))
            SHW_TRY(measure(calibrator, at, &mixtures[m], argmax));
    }

fail:
    free(argmax);
    return result;
}
