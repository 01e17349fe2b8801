#include "cli/calibration_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <shadewood/label.h>

#define ANY 0xffffffffu

/* What `auto` chooses; the usual techniques where too little was measured. */
struct choice {
    enum shw_technique run[SHW_STAGE_COUNT], recorded[SHW_STAGE_COUNT], training;
};

/* The work that was measured, at the default size for images of unknown size. */
static struct shw_calibration_work reference(const struct shw_calibration *calibration)
{
    struct shw_calibration_work work = calibration->work;

    work.width = 640;
    work.height = 480;
    return work;
}

static struct choice choose(const struct shw_calibration *calibration, const struct shw_device_description *device)
{
    const enum shw_technique usual = device->is_cpu ? SHW_TECHNIQUE_CPU : SHW_TECHNIQUE_COMPUTE;
    const uint32_t any[SHW_STAGE_COUNT] = {ANY, ANY, ANY};
    struct shw_calibration_work work = reference(calibration);
    struct choice choice = {{usual, usual, usual},
                            {SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE},
                            shw_calibration_choose_training(calibration, ANY)};

    shw_calibration_choose(calibration, &work, any, choice.run);
    work.recorded = true;
    shw_calibration_choose(calibration, &work, any, choice.recorded);
    if (choice.training == SHW_TECHNIQUE_AUTO)
        choice.training = usual;
    return choice;
}

static void print_mixture(const char *name, const enum shw_technique techniques[SHW_STAGE_COUNT])
{
    printf("%s", name);
    for (int s = 0; s < (int)SHW_STAGE_COUNT; s++)
        printf("%s %s %s", s > 0 ? "," : "", shw_stage_name((enum shw_stage)s), shw_technique_name(techniques[s]));
    printf("\n");
}

void cli_calibration_print_choice(const struct shw_stored_calibration *stored,
                                  const struct shw_device_description *device)
{
    const struct shw_calibration *calibration = &stored->calibration;
    struct choice choice = choose(calibration, device);

    printf("   calibrated  %s, in %.2f s, with %u %s for cpu\n", stored->date, calibration->milliseconds / 1e3,
           calibration->threads, calibration->threads == 1 ? "thread" : "threads");
    print_mixture("   auto       ", choice.run);
    print_mixture("   in a frame ", choice.recorded);
    printf("   training    %s\n", shw_technique_name(choice.training));
}

static void print_cell(double value, bool chosen)
{
    char text[32] = "-";

    if (isfinite(value) && value > 0)
        snprintf(text, sizeof text, value < 10 ? "%.3f" : "%.1f", value);
    printf(" %10s%s", text, chosen ? "*" : " ");
}

/* The stage's cost, as <shadewood/calibrate.h> defines its units. */
static double stage_ms(const struct shw_calibration *calibration, const struct shw_calibration_work *work, int stage,
                       int technique)
{
    const struct shw_cost *cost = &calibration->stages[stage][technique];
    bool classes = (work->outputs & (SHW_OUTPUT_DISTRIBUTION | SHW_OUTPUT_ARGMAX)) != 0;
    double units = (double)work->width * work->height;

    if (stage == SHW_STAGE_EVALUATE)
        units *= work->visits + (classes ? (double)work->tree_count * work->class_count / 16 : 0);
    else
        units *= work->channel_count;
    return cost->measured ? cost->fixed_ms + 1e-6 * cost->unit_ns * units : 0;
}

void cli_calibration_print_table(const struct shw_stored_calibration *stored,
                                 const struct shw_device_description *device)
{
    const struct shw_calibration *calibration = &stored->calibration;
    struct shw_calibration_work work = reference(calibration);
    struct choice choice = choose(calibration, device);

    printf("   ms for %u x %u pixels, %u channels, %u trees with %u tests per path, %u classes; * is chosen\n",
           work.width, work.height, work.channel_count, work.tree_count, work.visits, work.class_count);
    printf("   %-14s", "");
    for (int t = SHW_TECHNIQUE_CPU; t < (int)SHW_TECHNIQUE_COUNT; t++)
        printf(" %10s ", shw_technique_name((enum shw_technique)t));
    printf("\n");
    for (int s = 0; s < (int)SHW_STAGE_COUNT; s++) {
        printf("   %-14s", shw_stage_name((enum shw_stage)s));
        for (int t = SHW_TECHNIQUE_CPU; t <= SHW_TECHNIQUE_COMPUTE; t++)
            print_cell(stage_ms(calibration, &work, s, t), choice.run[s] == (enum shw_technique)t);
        printf("\n");
    }
    printf("   %-14s", "whole frame");
    for (int t = SHW_TECHNIQUE_CPU; t <= SHW_TECHNIQUE_COMPUTE; t++) {
        const enum shw_technique one = (enum shw_technique)t, mixture[SHW_STAGE_COUNT] = {one, one, one};
        print_cell(shw_calibration_predict(calibration, &work, mixture),
                   memcmp(mixture, choice.run, sizeof mixture) == 0);
    }
    printf("\n   %-14s", "train, ns");
    for (int t = SHW_TECHNIQUE_CPU; t < (int)SHW_TECHNIQUE_COUNT; t++)
        print_cell(calibration->training_ns[t], choice.training == (enum shw_technique)t);
    printf("\n");
    for (uint32_t f = 0; f < calibration->frame_count; f++) {
        const struct shw_calibration_frame *frame = &calibration->frames[f];
        printf("   %s %u x %u by %s, %s, %s: %.3f ms measured, %.3f predicted\n", f == 0 ? "frames of" : "         ",
               calibration->work.width, calibration->work.height, shw_technique_name(frame->techniques[0]),
               shw_technique_name(frame->techniques[1]), shw_technique_name(frame->techniques[2]), frame->measured_ms,
               frame->predicted_ms);
    }
}

static json_t *mixture_json(const enum shw_technique techniques[SHW_STAGE_COUNT])
{
    json_t *mixture = json_object();

    for (int s = 0; s < (int)SHW_STAGE_COUNT; s++)
        json_object_set_new(mixture, shw_stage_name((enum shw_stage)s), json_string(shw_technique_name(techniques[s])));
    return mixture;
}

json_t *cli_calibration_choice_json(const struct shw_stored_calibration *stored,
                                    const struct shw_device_description *device)
{
    struct choice choice = choose(&stored->calibration, device);

    return json_pack("{s:o, s:o, s:s}", "run", mixture_json(choice.run), "recorded", mixture_json(choice.recorded),
                     "training", shw_technique_name(choice.training));
}
