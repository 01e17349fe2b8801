#include "files/tune/preset.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "files/io/file_bytes.h"
#include "files/tune/setting.h"

#define DOCUMENT_BYTES_MAX ((uint64_t)1 << 20)

/* docs/tuning.md says how they were found. */
static const struct {
    const char *name, *setting;
} presets[] = {
    {"photographs", "{\"channels\": \"wide\", \"trees\": 15, \"depth\": 20, \"candidates\": 600, \"pixels\": 1000,"
                    " \"min-samples\": 12, \"score\": \"gini\", \"weights\": \"inverse-root\", \"single\": 30,"
                    " \"size\": 60, \"flip\": \"images\", \"smooth\": 24}"},
    {"street-scenes", "{\"channels\": \"wide\", \"trees\": 10, \"depth\": 22, \"candidates\": 500, \"pixels\": 2000,"
                      " \"min-samples\": 12, \"sampling\": \"class-uniform\", \"prior\": \"data\", \"single\": 30,"
                      " \"size\": 60, \"flip\": \"images\", \"smooth\": 16}"},
    {"microscopy", "{\"channels\": \"wide\", \"trees\": 10, \"depth\": 20, \"candidates\": 400, \"pixels\": 2000,"
                   " \"min-samples\": 8, \"single\": 30, \"offset\": 63, \"flip\": \"images\", \"smooth\": 8}"},
    {"rgbd-rooms", "{\"channels\": \"depth,lab\", \"trees\": 8, \"depth\": 14, \"candidates\": 200, \"pixels\": 1000,"
                   " \"min-samples\": 2, \"sampling\": \"class-uniform\", \"thresholds\": \"random\", \"bins\": 10,"
                   " \"offset\": 63, \"size\": 33, \"flip\": \"images\", \"smooth\": 16}"},
    {"strokes", "{\"channels\": \"lab,tensor:2,deviation:4\", \"trees\": 16, \"depth\": 12, \"candidates\": 30,"
                " \"thresholds\": \"random\", \"bins\": 10, \"weights\": \"inverse\", \"single\": 50, \"offset\": 31,"
                " \"smooth\": 16}"},
};

#define PRESET_COUNT (sizeof presets / sizeof *presets)

const char *shw_preset_name(uint32_t index)
{
    return index < PRESET_COUNT ? presets[index].name : NULL;
}

static json_t *load_built_in(const char *name)
{
    for (size_t i = 0; i < PRESET_COUNT; i++)
        if (strcmp(presets[i].name, name) == 0)
            return json_pack("{s:s, s:o}", SHW_PRESET_NAME, name, SHW_PRESET_SETTING,
                             json_loads(presets[i].setting, 0, NULL));
    return NULL;
}

static enum shw_result fail_unknown(const char *name, const struct shw_log *log)
{
    char names[256] = "";

    for (size_t i = 0; i < PRESET_COUNT; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i > 0 ? ", " : "", presets[i].name);
    return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                    "there is no preset '%s', and no such file; there are %s and %s", name, names, SHW_PRESET_AUTO);
}

static enum shw_result fail_format(const char *path, const char *why, const struct shw_log *log)
{
    return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ, "%s is not a preset: %s", path, why);
}

static enum shw_result read_document(const char *path, const struct shw_log *log, json_t **document)
{
    struct shw_file_bytes file;
    json_error_t error = {.text = ""};

    SHW_PROPAGATE(shw_file_bytes_read(path, DOCUMENT_BYTES_MAX, log, &file));
    *document = json_loadb((const char *)file.bytes, file.size, JSON_REJECT_DUPLICATES, &error);
    shw_file_bytes_free(&file);
    return *document != NULL ? SHW_OK : fail_format(path, error.text, log);
}

static enum shw_result check(const char *path, const json_t *document, const struct shw_log *log)
{
    const json_t *setting = json_object_get(document, SHW_PRESET_SETTING);
    struct shw_trainer_params params = {0};
    char why[SHW_SETTING_WHY_SIZE];

    if (!json_is_string(json_object_get(document, SHW_PRESET_NAME)) || !json_is_object(setting))
        return fail_format(path, "it needs the members \"" SHW_PRESET_NAME "\" and \"" SHW_PRESET_SETTING "\"", log);
    return shw_setting_apply(setting, &params, why) ? SHW_OK : fail_format(path, why, log);
}

enum shw_result shw_preset_load(const char *name, const struct shw_log *log, struct shw_preset *preset)
{
    json_t *document = load_built_in(name);
    enum shw_result result = SHW_OK;

    *preset = (struct shw_preset){.document = NULL};
    if (document == NULL) {
        if (access(name, F_OK) != 0 && errno == ENOENT)
            return fail_unknown(name, log);
        result = read_document(name, log, &document);
        if (result == SHW_OK)
            result = check(name, document, log);
    }
    if (result != SHW_OK) {
        json_decref(document);
        return result;
    }
    preset->document = document;
    preset->name = json_string_value(json_object_get(document, SHW_PRESET_NAME));
    preset->setting = json_object_get(document, SHW_PRESET_SETTING);
    return SHW_OK;
}

void shw_preset_free(struct shw_preset *preset)
{
    json_decref(preset->document);
    *preset = (struct shw_preset){.document = NULL};
}

#define LOOKS       8u
#define LOOK_PIXELS 4096u /* of each image */

struct sums {
    uint64_t pixels, labelled, coloured;
    double saturation, x, y; /* of colours, as vectors with the hue's direction */
};

/* Of a pixel, 0 to 1. */
static void add_colour(struct sums *sums, const double colour[3])
{
    const double most = fmax(colour[0], fmax(colour[1], colour[2]));
    const double least = fmin(colour[0], fmin(colour[1], colour[2]));

    sums->saturation += most - least;
    sums->x += colour[0] - 0.5 * (colour[1] + colour[2]);
    sums->y += 0.5 * sqrt(3) * (colour[1] - colour[2]);
    sums->coloured++;
}

static void read_colour(const struct shw_image *image, size_t pixel, double colour[3])
{
    const bool is_wide = image->format == SHW_PIXEL_RGB16;
    const size_t stride = image->stride > 0 ? image->stride : (size_t)image->width * (is_wide ? 6 : 3);
    const uint8_t *row = (const uint8_t *)image->pixels + pixel / image->width * stride;
    const size_t x = 3 * (pixel % image->width);

    for (uint32_t c = 0; c < 3; c++)
        colour[c] = is_wide ? ((const uint16_t *)(const void *)row)[x + c] / 65535.0 : row[x + c] / 255.0;
}

static void look_at_image(const struct shw_labelled_image *example, struct sums *sums)
{
    const struct shw_image *image = &example->image;
    const size_t pixels = (size_t)image->width * image->height, step = pixels / LOOK_PIXELS + 1;
    const bool has_colours = image->format == SHW_PIXEL_RGB8 || image->format == SHW_PIXEL_RGB16;

    for (size_t i = 0; i < pixels; i += step) {
        double colour[3];

        if (has_colours) {
            read_colour(image, i, colour);
            add_colour(sums, colour);
        }
        sums->pixels++;
        sums->labelled += example->labels != NULL && example->labels[i] != SHW_LABEL_VOID;
    }
}

static bool has_input(const struct shw_labelled_image *example, const char *name)
{
    for (uint32_t i = 0; i < example->inputs.count; i++)
        if (strcmp(example->inputs.inputs[i].name, name) == 0)
            return true;
    return false;
}

enum shw_result shw_data_look_at(const struct shw_dataset *dataset, struct shw_data_look *look)
{
    const uint32_t looks = dataset->count < LOOKS ? dataset->count : LOOKS;
    struct sums sums = {0};

    *look = (struct shw_data_look){.images = dataset->count, .classes = dataset->class_count};
    for (uint32_t i = 0; i < looks; i++) {
        struct shw_labelled_image example;

        SHW_PROPAGATE(dataset->read(dataset->user, (uint32_t)((uint64_t)i * dataset->count / looks), &example));
        look_at_image(&example, &sums);
        if (i == 0) {
            look->width = example.image.width;
            look->height = example.image.height;
            look->has_depth = has_input(&example, SHW_DEPTH);
            look->has_height = has_input(&example, SHW_HEIGHT);
        }
        dataset->release(dataset->user, &example);
    }
    look->labelled = sums.pixels > 0 ? (double)sums.labelled / (double)sums.pixels : 0;
    look->saturation = sums.coloured > 0 ? sums.saturation / (double)sums.coloured : 0;
    look->one_hue = sums.saturation > 0 ? hypot(sums.x, sums.y) / sums.saturation : NAN;
    return SHW_OK;
}

#define FEW_LABELLED 0.05
#define GREY         0.04
#define ONE_HUE      0.9
#define FEW_CLASSES  6u
#define MANY_CLASSES 8u
#define WIDE         1.6 /* width by height */

const char *shw_preset_choose(const struct shw_data_look *look, char *why, size_t size)
{
    const double aspect = look->height > 0 ? (double)look->width / look->height : 1;

    if (look->has_depth) {
        snprintf(why, size, "the images have depth");
        return "rgbd-rooms";
    }
    if (look->labelled < FEW_LABELLED) {
        snprintf(why, size, "%.1f %% of the pixels are labelled", 100 * look->labelled);
        return "strokes";
    }
    if (look->saturation < GREY) {
        snprintf(why, size, "the images are nearly grey");
        return "microscopy";
    }
    if (look->one_hue > ONE_HUE && look->classes <= FEW_CLASSES) {
        snprintf(why, size, "the images have a single hue, and there are %u classes", look->classes);
        return "microscopy";
    }
    if (aspect >= WIDE && look->classes >= MANY_CLASSES) {
        snprintf(why, size, "the images have %u x %u pixels and %u classes", look->width, look->height, look->classes);
        return "street-scenes";
    }
    snprintf(why, size, "colour images of %u x %u pixels with %u classes", look->width, look->height, look->classes);
    return "photographs";
}
