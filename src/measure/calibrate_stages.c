/* Times of jobs, and of the stages on the CPU. */
#include <stdlib.h>

#include <shadewood/label.h>

#include "base/log.h"
#include "channels/channels.h"
#include "evaluate/evaluate_cpu.h"
#include "integrate/integral.h"
#include "measure/calibrate.h"

#define RUNS         4
#define RUNS_MS      16.0 /* a job is not repeated once it took this long */
#define LARGE_MAX_MS 40.0 /* the large frame is left out if it would take longer */

enum shw_result shw_calibrate_time(enum shw_result (*job)(void *user), void *user, double *ms)
{
    double begin = shw_calibrate_clock(), last = begin;

    for (int i = 0; i < RUNS && (i == 0 || 1e3 * (last - begin) < RUNS_MS); i++) {
        double now;
        SHW_PROPAGATE(job(user));
        now = shw_calibrate_clock();
        if (i == 0 || 1e3 * (now - last) < *ms)
            *ms = 1e3 * (now - last);
        last = now;
    }
    return SHW_OK;
}

enum shw_result shw_calibrate_cost(const struct shw_calibrate_job *job, struct shw_cost *cost)
{
    double small, large, rate;

    *job->frame = 0;
    if (job->ready != NULL)
        SHW_PROPAGATE(job->ready(job->user));
    SHW_PROPAGATE(shw_calibrate_time(job->run, job->user, &small));
    small = small > job->before ? small - job->before : 0;
    rate = small / job->units[0];
    if (job->large || rate * job->units[1] < LARGE_MAX_MS) {
        *job->frame = 1;
        if (job->ready != NULL)
            SHW_PROPAGATE(job->ready(job->user));
        SHW_PROPAGATE(shw_calibrate_time(job->run, job->user, &large));
        large = large > job->before ? large - job->before : 0;
        rate = large > small ? (large - small) / (job->units[1] - job->units[0]) : large / job->units[1];
    }
    *cost = (struct shw_cost){.measured = true, .unit_ns = 1e6 * rate};
    cost->fixed_ms = small > rate * job->units[0] ? small - rate * job->units[0] : 0;
    return SHW_OK;
}

struct cpu {
    const struct shw_calibrator *calibrator;
    uint32_t frame;
    uint16_t *argmax;
};

static enum shw_result run_channels(void *user)
{
    const struct cpu *cpu = user;
    const struct shw_calibrate_frame *frame = &cpu->calibrator->frames[cpu->frame];

    return shw_channels_cpu(shw_forest_get_info(cpu->calibrator->forest)->channel_list, &frame->image, NULL,
                            frame->channels, cpu->calibrator->pool);
}

static enum shw_result run_integrate(void *user)
{
    const struct cpu *cpu = user;
    const struct shw_calibrate_frame *frame = &cpu->calibrator->frames[cpu->frame];

    shw_integrate_cpu(frame->channels, frame->image.width, frame->image.height, frame->work.channel_count,
                      frame->integrals, cpu->calibrator->pool);
    return SHW_OK;
}

static enum shw_result run_evaluate(void *user)
{
    const struct cpu *cpu = user;
    const struct shw_calibrate_frame *frame = &cpu->calibrator->frames[cpu->frame];
    uint32_t width = frame->image.width, height = frame->image.height;
    struct shw_evaluate_tile tile = {.forest = cpu->calibrator->forest,
                                     .integrals = frame->integrals,
                                     .width = width,
                                     .height = height,
                                     .image = {0, 0, (int32_t)width, (int32_t)height},
                                     .tile_width = width,
                                     .tile_height = height,
                                     .out = {.argmax = cpu->argmax},
                                     .out_width = width,
                                     .out_height = height};

    return shw_evaluate_cpu(&tile, cpu->calibrator->pool);
}

enum shw_result shw_calibrate_cpu(struct shw_calibrator *calibrator)
{
    static enum shw_result (*const runs[SHW_STAGE_COUNT])(void *user) = {run_channels, run_integrate, run_evaluate};
    const struct shw_image *largest = &calibrator->frames[SHW_CALIBRATE_SIZES - 1].image;
    struct cpu cpu = {.calibrator = calibrator,
                      .argmax = malloc((size_t)largest->width * largest->height * sizeof(uint16_t))};
    double begin = shw_calibrate_clock();
    enum shw_result result = cpu.argmax != NULL ? SHW_OK : SHW_ERROR_MEMORY;

    for (int s = 0; s < (int)SHW_STAGE_COUNT && result == SHW_OK; s++) {
        struct shw_calibrate_job job = {.run = runs[s], .user = &cpu, .frame = &cpu.frame, .large = true};
        for (uint32_t i = 0; i < SHW_CALIBRATE_SIZES; i++)
            job.units[i] = shw_calibration_units(&calibrator->frames[i].work, (enum shw_stage)s);
        result = shw_calibrate_cost(&job, &calibrator->result->stages[s][SHW_TECHNIQUE_CPU]);
    }
    free(cpu.argmax);
    shw_calibrate_step(calibrator, begin);
    return result == SHW_OK ? SHW_OK : shw_fail_memory(&calibrator->log, "a calibration");
}
