/* The stages on the CPU. */
#include <stdlib.h>

#include <shadewood/label.h>

#include "base/log.h"
#include "dense/calibration/calibrate.h"

struct cpu {
    struct shw_calibrator *calibrator;
    uint32_t frame, stage;
    uint16_t *argmax;
};

static enum shw_result run_stage(void *user)
{
    const struct cpu *cpu = user;
    struct shw_calibrate_frame *frame = &cpu->calibrator->frames[cpu->frame];
    const struct shw_tile tile = shw_tile_whole(frame->image.width, frame->image.height);
    const struct shw_labelling out = {.argmax = cpu->argmax};
    const struct shw_input colour = {.image = frame->image};
    const struct shw_chosen_inputs inputs = {{&colour}};

    return shw_pipeline_run_host(&frame->cpu, cpu->stage, &tile, &inputs, &out);
}

enum shw_result shw_calibrate_cpu(struct shw_calibrator *calibrator)
{
    const struct shw_pipeline *pipeline = &calibrator->frames[0].cpu;
    const struct shw_image *largest = &calibrator->frames[SHW_CALIBRATE_SIZES - 1].image;
    struct cpu cpu = {.calibrator = calibrator,
                      .argmax = malloc((size_t)largest->width * largest->height * sizeof(uint16_t))};
    double begin = shw_clock();
    enum shw_result result = cpu.argmax != NULL ? SHW_OK : shw_fail_memory(&calibrator->log, "a calibration");

    for (; cpu.stage < pipeline->stage_count && result == SHW_OK; cpu.stage++) {
        enum shw_stage stage = pipeline->stages[cpu.stage].stage;
        struct shw_calibrate_job job = {.run = run_stage, .user = &cpu, .frame = &cpu.frame, .large = true};
        for (uint32_t i = 0; i < SHW_CALIBRATE_SIZES; i++)
            job.units[i] = shw_calibration_units(&calibrator->frames[i].work, stage);
        result = shw_calibrate_cost(&job, &calibrator->result->stages[stage][SHW_TECHNIQUE_CPU]);
    }
    free(cpu.argmax);
    shw_calibrate_step(calibrator, begin);
    return result;
}
