/* Rendering of scenes. */
#include "files/synth/synth.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "files/synth/scene.h"
#include "shared/random.h"

#define SIDE_MAX 4096u

const struct shw_class shw_synth_classes[] = {
    [SYNTH_FLOOR] = {"floor", {140, 110, 80}},
    [SYNTH_WALL] = {"wall", {200, 200, 190}},
    [SYNTH_CEILING] = {"ceiling", {240, 240, 240}},
    [SYNTH_WINDOW] = {"window", {86, 180, 233}},
    [SYNTH_DOOR] = {"door", {120, 60, 20}},
    [SYNTH_PICTURE] = {"picture", {204, 121, 167}},
    [SYNTH_TABLE] = {"table", {230, 159, 0}},
    [SYNTH_CHAIR] = {"chair", {180, 120, 0}},
    [SYNTH_SOFA] = {"sofa", {0, 114, 178}},
    [SYNTH_BED] = {"bed", {70, 60, 140}},
    [SYNTH_SHELF] = {"shelf", {110, 80, 60}},
    [SYNTH_LAMP] = {"lamp", {240, 228, 66}},
    [SYNTH_HEAD] = {"head", {213, 94, 0}},
    [SYNTH_TORSO] = {"torso", {0, 158, 115}},
    [SYNTH_UPPER_ARM] = {"upper arm", {90, 200, 90}},
    [SYNTH_FOREARM] = {"forearm", {170, 230, 120}},
    [SYNTH_HAND] = {"hand", {255, 170, 120}},
    [SYNTH_THIGH] = {"thigh", {150, 0, 60}},
    [SYNTH_SHIN] = {"shin", {220, 60, 110}},
    [SYNTH_FOOT] = {"foot", {60, 0, 40}},
};

const uint32_t shw_synth_class_count = SYNTH_CLASS_COUNT;

static const struct shw_class head_classes[] = {
    {"background", {90, 90, 90}}, {"head", {213, 94, 0}}, {"body", {0, 158, 115}}};

/* The class of a hit in the scenes that `params` describe. */
static uint16_t class_of(const struct shw_synth_params *params, const struct synth_hit *hit)
{
    enum synth_class class_number = hit->class_number;

    if (params->scene == SHW_SYNTH_ROOMS)
        return (uint16_t)class_number;
    if (params->scene == SHW_SYNTH_BODIES && hit->body != NULL && hit->body->has_parts)
        return (uint16_t)synth_part_at(&hit->body->parting, hit->point);
    if (params->scene == SHW_SYNTH_BODIES)
        return params->background ? SYNTH_PART_COUNT : SHW_LABEL_VOID;
    return class_number < SYNTH_HEAD ? 0 : class_number == SYNTH_HEAD ? 1 : 2;
}

/* Replaces zeros by their defaults. */
static enum shw_result complete(const struct shw_synth_params *params, struct shw_synth_params *full)
{
    *full = *params;
    full->width = full->width > 0 ? full->width : 320;
    full->height = full->height > 0 ? full->height : 240;
    full->count = full->count > 0 ? full->count : 1;
    full->frames = full->frames > 0 ? full->frames : 1;
    if (full->width <= SIDE_MAX && full->height <= SIDE_MAX)
        return SHW_OK;
    return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "scenes are at most %u x %u pixels", SIDE_MAX,
                    SIDE_MAX);
}

/* The light that leaves a hit towards the eye. */
static void shade(const struct synth_scene *scene, const struct synth_sight *sight, const struct synth_hit *hit,
                  double colour[3])
{
    struct synth_vector point = synth_add(hit->point, synth_scale(hit->normal, 1e-4));
    double light[3];

    synth_colour(hit->material, hit->u, hit->v, colour);
    for (int c = 0; c < 3; c++)
        light[c] = scene->ambient[c] + hit->material->glow;
    for (uint32_t i = 0; i < scene->light_count; i++) {
        struct synth_vector to = synth_subtract(scene->lights[i].position, point);
        double square = synth_dot(to, to), slant = synth_dot(to, hit->normal);
        if (slant <= 0 || synth_blocked(scene, synth_sight_of_light(sight, i, point), point, scene->lights[i].position))
            continue;
        slant /= sqrt(square) * (1 + square);
        for (int c = 0; c < 3; c++)
            light[c] += slant * scene->lights[i].power[c];
    }
    for (int c = 0; c < 3; c++)
        colour[c] *= light[c];
}

/* An approximately normal random number: a sum of twelve uniform ones. */
static double normal(uint32_t key, uint32_t x, uint32_t y)
{
    double sum = -6;

    for (uint32_t i = 0; i < 6; i++) {
        struct shw_uint2 pair = shw_random2(key + i, x, y);
        sum += ((double)pair.x + (double)pair.y) / 4294967296.0;
    }
    return sum;
}

/* One sample as the camera stores it: a soft shoulder, square root as transfer function, noise. */
static uint8_t expose(const struct synth_scene *scene, double light, double noise, uint32_t x, uint32_t y,
                      uint32_t component)
{
    double value = light * scene->exposure;

    value = 255 * sqrt(value / (1 + 0.3 * value));
    if (noise > 0)
        value += noise * normal(scene->noise_key, x * 3 + component, y);
    return value <= 0 ? 0 : value >= 255 ? 255 : (uint8_t)(value + 0.5);
}

/* Whether depth is missing at a pixel, judging by its own hit. Edges are added afterwards. */
static bool loses_depth(const struct synth_scene *scene, const struct synth_hit *hit, struct synth_vector direction,
                        const uint8_t *rgb, uint32_t x, uint32_t y)
{
    double slant = -synth_dot(direction, hit->normal) / sqrt(synth_dot(direction, direction));
    uint32_t bits = shw_random(scene->noise_key + 77, x, y);
    bool dark = rgb[0] + rgb[1] + rgb[2] < 90;

    return hit->class_number == SYNTH_WINDOW || (bits & 255) == 0 || (slant < 0.12 && (bits & 1) == 0) ||
           (dark && slant < 0.4);
}

static uint16_t millimetres(double metres)
{
    double value = 1000 * metres + 0.5;

    return value >= 65535 ? 65535 : value < 1 ? 1 : (uint16_t)value;
}

/* Removes depth next to steps of more than a tenth of it, as stereo sensors do. */
static void empty_edges(uint16_t *row, uint32_t width)
{
    for (uint32_t x = width; x-- > 1;) {
        uint16_t left = row[x - 1];
        if (row[x] > 0 && left > 0 && row[x] > left + left / 10)
            row[x] = 0;
    }
}

/* A scene and the camera's and the lights' views of it. */
struct view {
    struct synth_scene scene;
    struct synth_sight sight;
    struct synth_hit hits[SIDE_MAX]; /* of a row */
};

/* The ray through a pixel's centre; 1 along the viewing axis. `across` and `down` are in half image widths. */
static struct synth_vector ray_of(const struct synth_scene *scene, double across, double down)
{
    struct synth_vector direction = synth_add(scene->forward, synth_scale(scene->right, across * scene->field));

    return synth_add(direction, synth_scale(scene->up, -down * scene->field));
}

static void render_colours(const struct shw_synth_params *params, struct view *view, uint32_t y, uint8_t *rgb)
{
    const struct synth_scene *scene = &view->scene;
    double down = (2.0 * y + 1 - params->height) / params->width;

    for (uint32_t x = 0; x < params->width; x++) {
        double across = (2.0 * x + 1 - params->width) / params->width, colour[3];
        const struct synth_set *among = synth_sight_of_pixel(&view->sight, x, y, params->width, params->height);
        view->hits[x] = synth_trace(scene, among, scene->eye, ray_of(scene, across, down));
        shade(scene, &view->sight, &view->hits[x], colour);
        for (uint32_t c = 0; c < 3; c++)
            rgb[3 * x + c] = expose(scene, colour[c] * (1 - scene->vignetting * (across * across + down * down)),
                                    0.1 * params->noise, x, y, c);
    }
}

static void render_depth(const struct shw_synth_params *params, const struct view *view, uint32_t y, const uint8_t *rgb,
                         uint16_t *depth)
{
    const struct synth_scene *scene = &view->scene;
    double down = (2.0 * y + 1 - params->height) / params->width;

    for (uint32_t x = 0; x < params->width; x++) {
        struct synth_vector direction = ray_of(scene, (2.0 * x + 1 - params->width) / params->width, down);
        bool lost = params->holes && loses_depth(scene, &view->hits[x], direction, &rgb[3 * x], x, y);
        depth[x] = lost ? 0 : millimetres(view->hits[x].distance);
    }
    if (params->holes)
        empty_edges(depth, params->width);
    for (uint32_t x = 0; params->cut && x < params->width; x++)
        if (view->hits[x].class_number < SYNTH_HEAD)
            depth[x] = 0;
}

enum shw_result shw_synth_render(const struct shw_synth_params *params, uint32_t index, uint8_t *rgb, uint16_t *labels,
                                 uint16_t *depth_mm)
{
    static void (*const makes[])(uint64_t, uint32_t, bool,
                                 struct synth_scene *) = {[SHW_SYNTH_ROOMS] = synth_scene_make,
                                                          [SHW_SYNTH_HEADS] = synth_heads_make,
                                                          [SHW_SYNTH_BODIES] = synth_people_make};
    struct shw_synth_params full;
    struct view *view;

    SHW_PROPAGATE(complete(params, &full));
    view = malloc(sizeof *view);
    if (view == NULL)
        return shw_fail_memory(&params->log, "a scene");
    makes[full.scene](full.seed + index / full.frames, index % full.frames, full.empty, &view->scene);
    synth_sight_make(&view->scene, (double)full.height / full.width, &view->sight);
    for (uint32_t y = 0; y < full.height; y++) {
        size_t row = (size_t)y * full.width;
        render_colours(&full, view, y, &rgb[3 * row]);
        for (uint32_t x = 0; labels != NULL && x < full.width; x++)
            labels[row + x] = class_of(&full, &view->hits[x]);
        if (depth_mm != NULL)
            render_depth(&full, view, y, &rgb[3 * row], &depth_mm[row]);
    }
    free(view);
    return SHW_OK;
}

/* An example in one allocation. */
struct example {
    char name[32];
    struct shw_input input; /* depth */
    uint16_t planes[];      /* labels, depth, and the colour of three bytes per pixel */
};

static void release(void *user, struct shw_labelled_image *fetched)
{
    (void)user;
    free(fetched->handle);
    *fetched = (struct shw_labelled_image){0};
}

static enum shw_result read_scene(void *user, uint32_t index, struct shw_labelled_image *fetched)
{
    const struct shw_synth_params *params = user;
    size_t pixels = (size_t)params->width * params->height;
    struct example *example = malloc(sizeof *example + pixels * (2 * sizeof *example->planes + 3));
    enum shw_result result;
    uint8_t *rgb;

    if (example == NULL)
        return shw_fail_memory(&params->log, "a scene");
    rgb = (uint8_t *)(example->planes + 2 * pixels);
    result = shw_synth_render(params, index, rgb, example->planes, example->planes + pixels);
    if (result != SHW_OK) {
        free(example);
        return result;
    }
    snprintf(example->name, sizeof example->name, "%05u", index);
    *fetched = (struct shw_labelled_image){
        .name = example->name,
        .image = {.pixels = rgb, .width = params->width, .height = params->height, .format = SHW_PIXEL_RGB8},
        .inputs = {1, &example->input},
        .labels = example->planes,
        .handle = example};
    example->input = (struct shw_input){.name = SHW_DEPTH, .image = fetched->image};
    example->input.image.format = SHW_PIXEL_GREY16;
    example->input.image.pixels = example->planes + pixels;
    return SHW_OK;
}

static uint32_t class_count(const struct shw_synth_params *params)
{
    switch (params->scene) {
    case SHW_SYNTH_HEADS: return sizeof head_classes / sizeof *head_classes;
    case SHW_SYNTH_BODIES: return params->background ? SYNTH_PART_COUNT + 1 : SYNTH_PART_COUNT;
    default: return shw_synth_class_count;
    }
}

enum shw_result shw_synth_open(const struct shw_synth_params *params, struct shw_dataset *dataset)
{
    static const struct shw_class *const classes[] = {[SHW_SYNTH_ROOMS] = shw_synth_classes,
                                                      [SHW_SYNTH_HEADS] = head_classes,
                                                      [SHW_SYNTH_BODIES] = synth_part_classes};
    struct shw_synth_params full, *kept;

    SHW_PROPAGATE(complete(params, &full));
    kept = malloc(sizeof *kept);
    if (kept == NULL)
        return shw_fail_memory(&params->log, "a data set");
    *kept = full;
    *dataset = (struct shw_dataset){.count = kept->count,
                                    .class_count = class_count(kept),
                                    .classes = classes[kept->scene],
                                    .user = kept,
                                    .read = read_scene,
                                    .release = release};
    return SHW_OK;
}

void shw_synth_close(struct shw_dataset *dataset)
{
    if (dataset == NULL)
        return;
    free(dataset->user);
    *dataset = (struct shw_dataset){0};
}
