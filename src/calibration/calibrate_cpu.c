/* The stages on the CPU. */
#include <stdlib.h>

#include <shadewood/label.h>

#include "base/log.h"
#include "calibration/calibrate.h"
#include "channels/channels.h"
#include "evaluate/evaluate_cpu.h"
#include "integrate/integral.h"

struct cpu {
    const struct shw_calibrator *calibrator;
    uint32_t frame;
    uint16_t *argmax;
};

static enum shw_result run_channels(void *user)
{
    const struct cpu *cpu = user;
    const struct shw_calibrate_frame *frame = &cpu->calibrator->frames[cpu->frame];

    return shw_channels_cpu(shw_forest_get_info(cpu->calibrator->forest)->channel_list,
                            &(struct shw_channel_images){{&frame->image}}, NULL, frame->channels,
                            cpu->calibrator->pool);
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
                                     .planes = frame->integrals,
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
    double begin = shw_clock();
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
