#include "bench/scenes.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "files/synth/synth.h"

struct scenes {
    struct shw_synth_params params;
    uint8_t *rgb;
    uint16_t *labels, *depths;
    struct shw_input *inputs; /* per image: its depth */
    char (*names)[16];
    enum shw_result *results; /* per image */
};

static void render(void *user, uint32_t index, uint32_t thread)
{
    struct scenes *scenes = user;
    size_t pixels = (size_t)scenes->params.width * scenes->params.height;

    (void)thread;
    snprintf(scenes->names[index], sizeof scenes->names[index], "%05u", index);
    scenes->results[index] = shw_synth_render(&scenes->params, index, scenes->rgb + 3 * pixels * index,
                                              scenes->labels + pixels * index, scenes->depths + pixels * index);
    scenes->inputs[index] = (struct shw_input){.name = SHW_DEPTH,
                                               .image = {.pixels = scenes->depths + pixels * index,
                                                         .width = scenes->params.width,
                                                         .height = scenes->params.height,
                                                         .format = SHW_PIXEL_GREY16}};
}

static enum shw_result read_scene(void *user, uint32_t index, struct shw_labelled_image *example)
{
    const struct scenes *scenes = user;
    uint32_t width = scenes->params.width, height = scenes->params.height;
    size_t pixels = (size_t)width * height;

    *example = (struct shw_labelled_image){.name = scenes->names[index],
                                           .image = {.pixels = scenes->rgb + 3 * pixels * index,
                                                     .width = width,
                                                     .height = height,
                                                     .format = SHW_PIXEL_RGB8},
                                           .inputs = {1, &scenes->inputs[index]},
                                           .labels = scenes->labels + pixels * index};
    return SHW_OK;
}

static void release_scene(void *user, struct shw_labelled_image *example)
{
    (void)user, (void)example;
}

enum shw_result shw_bench_scenes_open(struct shw_bench *bench, uint32_t width, uint32_t height, uint32_t count,
                                      struct shw_dataset *dataset)
{
    struct scenes *scenes = calloc(1, sizeof *scenes);
    size_t pixels = (size_t)width * height * count;
    enum shw_result result = SHW_OK;

    *dataset = (struct shw_dataset){.count = count,
                                    .class_count = shw_synth_class_count,
                                    .user = scenes,
                                    .read = read_scene,
                                    .release = release_scene};
    if (scenes == NULL)
        return shw_fail_memory(&bench->log, "the scenes of the bench");
    scenes->params = (struct shw_synth_params){.width = width, .height = height, .count = count, .noise = 15};
    scenes->rgb = malloc(3 * pixels);
    scenes->labels = malloc(pixels * sizeof *scenes->labels);
    scenes->depths = malloc(pixels * sizeof *scenes->depths);
    scenes->inputs = calloc(count, sizeof *scenes->inputs);
    scenes->names = calloc(count, sizeof *scenes->names);
    scenes->results = calloc(count, sizeof *scenes->results);
    if (scenes->rgb == NULL || scenes->labels == NULL || scenes->depths == NULL || scenes->inputs == NULL ||
        scenes->names == NULL || scenes->results == NULL) {
        result = shw_fail_memory(&bench->log, "the scenes of the bench");
        goto fail;
    }
    shw_bench_say(bench, "rendering %u scenes of %ux%u", count, width, height);
    shw_thread_pool_run(bench->pool, count, render, scenes);
    for (uint32_t i = 0; i < count && result == SHW_OK; i++)
        result = scenes->results[i];

fail:
    if (result != SHW_OK)
        shw_bench_scenes_close(dataset);
    return result;
}

enum shw_result shw_bench_scenes_open_usual(struct shw_bench *bench, struct shw_dataset *dataset)
{
    return shw_bench_is_small(bench) ? shw_bench_scenes_open(bench, 160, 106, 10, dataset)
                                     : shw_bench_scenes_open(bench, 320, 213, 100, dataset);
}

void shw_bench_scenes_merge(struct shw_dataset *dataset, uint32_t classes)
{
    struct scenes *scenes = dataset->user;
    size_t pixels = (size_t)scenes->params.width * scenes->params.height * dataset->count;

    for (size_t p = 0; p < pixels; p++)
        if (scenes->labels[p] != SHW_LABEL_VOID)
            scenes->labels[p] = (uint16_t)(scenes->labels[p] % classes);
    dataset->class_count = classes;
}

void shw_bench_scenes_split(struct shw_dataset *dataset, uint32_t classes)
{
    struct scenes *scenes = dataset->user;
    uint32_t width = scenes->params.width;
    size_t pixels = (size_t)width * scenes->params.height * dataset->count;

    for (size_t p = 0; p < pixels; p++)
        if (p % width >= width / 2 && scenes->labels[p] != SHW_LABEL_VOID &&
            scenes->labels[p] + dataset->class_count < classes)
            scenes->labels[p] = (uint16_t)(scenes->labels[p] + dataset->class_count);
    dataset->class_count = classes;
}

void shw_bench_scenes_close(struct shw_dataset *dataset)
{
    struct scenes *scenes = dataset->user;

    if (scenes != NULL) {
        free(scenes->rgb);
        free(scenes->labels);
        free(scenes->depths);
        free(scenes->inputs);
        free(scenes->names);
        free(scenes->results);
        free(scenes);
    }
    *dataset = (struct shw_dataset){0};
}
