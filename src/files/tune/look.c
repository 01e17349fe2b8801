#include "files/tune/look.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "dense/input/inputs.h"
#include "files/tune/setting.h"

#define LOOKS       32u
#define LOOK_PIXELS 4096u /* of each image, about */
#define GRID        12u   /* places per side */
#define PLACES      (GRID * GRID)
#define CLASSES_MAX 1024u /* of more, the place is taken to say nothing */

/* A labelled pixel. */
struct spot {
    uint16_t label, place;
};

struct sums {
    uint64_t pixels, coloured;
    double saturation, x, y; /* of colours, as vectors with the hue's direction */
    double diagonals, areas;
    struct spot *spots; /* of all images, one after the other */
    size_t spot_count;
    size_t ends[LOOKS]; /* of each image's */
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

static void read_colour(const struct shw_image *image, uint32_t x, uint32_t y, double colour[3])
{
    const bool is_wide = image->format == SHW_PIXEL_RGB16;
    const size_t stride = image->stride > 0 ? image->stride : (size_t)image->width * (is_wide ? 6 : 3);
    const uint8_t *row = (const uint8_t *)image->pixels + y * stride;

    for (uint32_t c = 0; c < 3; c++)
        colour[c] = is_wide ? ((const uint16_t *)(const void *)row)[3 * x + c] / 65535.0 : row[3 * x + c] / 255.0;
}

/* The distance between the pixels of an image that are looked at, in both directions. */
static uint32_t step_of(const struct shw_image *image)
{
    return (uint32_t)ceil(sqrt((double)image->width * image->height / LOOK_PIXELS));
}

static void look_at_pixel(const struct shw_labelled_image *example, uint32_t x, uint32_t y, struct sums *sums)
{
    const struct shw_image *image = &example->image;
    const uint16_t label =
        example->labels != NULL ? example->labels[(size_t)y * image->width + x] : (uint16_t)SHW_LABEL_VOID;
    double colour[3];

    if (image->format == SHW_PIXEL_RGB8 || image->format == SHW_PIXEL_RGB16) {
        read_colour(image, x, y, colour);
        add_colour(sums, colour);
    }
    sums->pixels++;
    if (label != SHW_LABEL_VOID)
        sums->spots[sums->spot_count++] = (struct spot){
            label, (uint16_t)((uint64_t)y * GRID / image->height * GRID + (uint64_t)x * GRID / image->width)};
}

static enum shw_result look_at_image(const struct shw_labelled_image *example, struct sums *sums)
{
    const struct shw_image *image = &example->image;
    const uint32_t step = step_of(image);
    const size_t most = ((size_t)image->width / step + 1) * ((size_t)image->height / step + 1);
    struct spot *spots = realloc(sums->spots, (sums->spot_count + most) * sizeof *spots);

    if (spots == NULL)
        return SHW_ERROR_MEMORY;
    sums->spots = spots;
    sums->diagonals += hypot(image->width, image->height);
    sums->areas += (double)image->width * image->height;
    for (uint32_t y = step / 2; y < image->height; y += step)
        for (uint32_t x = step / 2; x < image->width; x += step)
            look_at_pixel(example, x, y, sums);
    return SHW_OK;
}

static bool has_input(const struct shw_labelled_image *example, const char *name)
{
    for (uint32_t i = 0; i < example->inputs.count; i++)
        if (strcmp(example->inputs.inputs[i].name, name) == 0)
            return true;
    return false;
}

static uint32_t most_frequent(const int32_t *counts, uint32_t classes)
{
    uint32_t best = 0;

    for (uint32_t c = 1; c < classes; c++)
        best = counts[c] > counts[best] ? c : best;
    return best;
}

static uint32_t count_classes(const int32_t *counts, uint32_t classes)
{
    uint32_t count = 0;

    for (uint32_t c = 0; c < classes; c++)
        count += counts[c] > 0;
    return count;
}

/* Adds spots, `change` each, to the counts of the classes in each place, and in all places, which follow them. */
static void count_spots(const struct spot *spots, size_t count, uint32_t classes, int32_t change, int32_t *counts)
{
    for (size_t i = 0; i < count; i++) {
        counts[spots[i].place * classes + spots[i].label] += change;
        counts[PLACES * classes + spots[i].label] += change;
    }
}

/* What the place says about the class, each image being predicted from the others; more than that everything is of the
 * most frequent class. */
static double place_of(const struct sums *sums, uint32_t images, uint32_t classes, int32_t *counts)
{
    const int32_t *all = counts + (size_t)PLACES * classes;
    const uint64_t by_all = (uint64_t)all[most_frequent(all, classes)];
    uint64_t by_place = 0;

    for (uint32_t i = 0; i < images; i++) {
        const size_t begin = i > 0 ? sums->ends[i - 1] : 0, count = sums->ends[i] - begin;
        const struct spot *spots = sums->spots + begin;
        uint32_t expected[PLACES];

        count_spots(spots, count, classes, -1, counts);
        for (uint32_t p = 0; p < PLACES; p++)
            expected[p] = most_frequent(counts + (size_t)p * classes, classes);
        count_spots(spots, count, classes, 1, counts);
        for (size_t s = 0; s < count; s++)
            by_place += spots[s].label == expected[spots[s].place];
    }
    return by_all < sums->spot_count ? ((double)by_place - (double)by_all) / (double)(sums->spot_count - by_all) : 0;
}

static double evenness_of(const int32_t *counts, uint32_t classes, uint32_t occurring, size_t total)
{
    double entropy = 0;

    for (uint32_t c = 0; c < classes; c++)
        if (counts[c] > 0)
            entropy -= counts[c] / (double)total * log(counts[c] / (double)total);
    return occurring > 1 ? entropy / log(occurring) : 1;
}

static enum shw_result look_at_labels(const struct sums *sums, uint32_t images, uint32_t classes,
                                      struct shw_data_look *look)
{
    int32_t *counts;

    look->classes = classes;
    look->evenness = 1;
    if (classes > CLASSES_MAX)
        return SHW_OK;
    counts = calloc((size_t)(PLACES + 1) * classes, sizeof *counts);
    if (counts == NULL)
        return SHW_ERROR_MEMORY;
    count_spots(sums->spots, sums->spot_count, classes, 1, counts);
    look->classes = count_classes(counts + (size_t)PLACES * classes, classes);
    look->evenness = evenness_of(counts + (size_t)PLACES * classes, classes, look->classes, sums->spot_count);
    look->place = images > 1 ? place_of(sums, images, classes, counts) : 0;
    free(counts);
    return SHW_OK;
}

static enum shw_result read_images(const struct shw_dataset *dataset, uint32_t looks, struct sums *sums,
                                   struct shw_data_look *look)
{
    for (uint32_t i = 0; i < looks; i++) {
        struct shw_labelled_image example;
        enum shw_result result;

        SHW_PROPAGATE(dataset->read(dataset->user, (uint32_t)((uint64_t)i * dataset->count / looks), &example));
        result = look_at_image(&example, sums);
        sums->ends[i] = sums->spot_count;
        if (i == 0) {
            look->width = example.image.width;
            look->height = example.image.height;
            look->has_depth = has_input(&example, SHW_DEPTH);
            look->has_height = has_input(&example, SHW_HEIGHT);
        }
        dataset->release(dataset->user, &example);
        SHW_PROPAGATE(result);
    }
    return SHW_OK;
}

enum shw_result shw_data_look_at(const struct shw_dataset *dataset, struct shw_data_look *look)
{
    const uint32_t looks = shw_min_u32(dataset->count, LOOKS);
    struct sums sums = {0};
    enum shw_result result;

    *look = (struct shw_data_look){.images = dataset->count, .one_hue = NAN};
    result = read_images(dataset, looks, &sums, look);
    if (result == SHW_OK)
        result = look_at_labels(&sums, looks, dataset->class_count, look);
    look->diagonal = looks > 0 ? sums.diagonals / looks : 0;
    look->area = looks > 0 ? sums.areas / looks : 0;
    look->labelled = sums.pixels > 0 ? (double)sums.spot_count / (double)sums.pixels : 0;
    look->saturation = sums.coloured > 0 ? sums.saturation / (double)sums.coloured : 0;
    look->one_hue = sums.saturation > 0 ? hypot(sums.x, sums.y) / sums.saturation : NAN;
    free(sums.spots);
    return result;
}

#define FEW_LABELLED 0.05
#define PLACE        0.2
#define SOME_CLASSES 5u
#define GREY         0.04
#define ONE_HUE      0.9
#define FEW_CLASSES  6u
#define UNEVEN       0.7

const char *shw_preset_choose(const struct shw_data_look *look, char why[SHW_LOOK_WHY_SIZE])
{
    if (look->has_depth) {
        snprintf(why, SHW_LOOK_WHY_SIZE, "the images have depth");
        return "rgbd-rooms";
    }
    if (look->labelled < FEW_LABELLED) {
        snprintf(why, SHW_LOOK_WHY_SIZE, "%.1f %% of the pixels are labelled", 100 * look->labelled);
        return "strokes";
    }
    if (look->place >= PLACE && look->classes >= SOME_CLASSES) {
        snprintf(why, SHW_LOOK_WHY_SIZE, "where a pixel is says %.0f %% about its class, of %u", 100 * look->place,
                 look->classes);
        return "street-scenes";
    }
    if (look->saturation < GREY && look->classes <= FEW_CLASSES) {
        snprintf(why, SHW_LOOK_WHY_SIZE, "the images are nearly grey, with %u classes", look->classes);
        return "microscopy";
    }
    if (look->one_hue > ONE_HUE && look->classes <= FEW_CLASSES) {
        snprintf(why, SHW_LOOK_WHY_SIZE, "the images have a single hue, and there are %u classes", look->classes);
        return "microscopy";
    }
    snprintf(why, SHW_LOOK_WHY_SIZE, "images with %u %sclasses, about which a pixel's place says %.0f %%",
             look->classes, look->evenness < UNEVEN ? "unevenly frequent " : "", 100 * fmax(look->place, 0));
    return "photographs";
}

#define DIAGONAL      400.0    /* of the images for which the presets' offsets, sizes and radii are meant */
#define SAMPLES_LEAST 100000.0 /* of a tree, without mirror images */
#define SAMPLES_MOST  1000000.0
#define SAMPLES_USUAL 250000.0
#define PIXELS_LEAST  50.0
#define PIXELS_MOST   10000.0
#define AREA_PER      16.0 /* of an image, for each pixel that is drawn of it, since neighbours say the same */
#define DEPTH_MORE    4.0

static double number_of(const json_t *setting, const char *name)
{
    return json_number_value(json_object_get(setting, name));
}

/* Changes a number that the setting has, within limits. */
static bool set(json_t *setting, const char *name, double value, double least, double most)
{
    return json_object_get(setting, name) == NULL ||
           json_object_set_new(setting, name, json_integer((json_int_t)round(fmin(fmax(value, least), most)))) == 0;
}

/* Pixels of an image, so that a tree has neither too few samples nor so many that it takes too long; and with more
 * samples trees are deeper, and their leaves have more. */
static bool fit_samples(json_t *setting, const struct shw_data_look *look)
{
    const double pixels = number_of(setting, "pixels"), images = look->images;
    const double fitted = fmin(fmax(pixels, SAMPLES_LEAST / images), SAMPLES_MOST / images);
    const double most = fmax(fmin(PIXELS_MOST, look->area / AREA_PER), PIXELS_LEAST);
    const double used = fmin(fmax(fitted, PIXELS_LEAST), most), ratio = used * images / SAMPLES_USUAL;
    const double least = number_of(setting, "min-samples"), depth = number_of(setting, "depth");

    return set(setting, "pixels", used, PIXELS_LEAST, most) &&
           set(setting, "min-samples", least * sqrt(fmax(ratio, 0.1)), 2, 2 * least) &&
           set(setting, "depth", depth + log2(fmax(ratio, 1)), depth, depth + DEPTH_MORE);
}

/* Weights of classes that differ much in frequency would favour the rare ones too little while trees grow, and too much
 * in the leaves. */
static bool fit_weights(json_t *setting, const struct shw_data_look *look)
{
    if (look->evenness >= UNEVEN || json_object_get(setting, "weights") == NULL)
        return true;
    return json_object_del(setting, "weights") == 0 &&
           json_object_set_new(setting, "sampling", json_string("class-uniform")) == 0 &&
           json_object_set_new(setting, "prior", json_string("data")) == 0;
}

static bool fit_reach(json_t *setting, double scale)
{
    return set(setting, "offset", number_of(setting, "offset") * scale, 24, 500) &&
           set(setting, "size", number_of(setting, "size") * scale, 12, 400) &&
           set(setting, "below-offset", number_of(setting, "below-offset") * scale, 8, 100) &&
           set(setting, "below-size", number_of(setting, "below-size") * scale, 9, 100) &&
           set(setting, SHW_SETTING_SMOOTH, number_of(setting, SHW_SETTING_SMOOTH) * scale, 4, 100);
}

enum shw_result shw_preset_scale(struct shw_preset *preset, double diagonal)
{
    json_t *setting = json_object_get(preset->document, SHW_PRESET_SETTING);

    return !preset->scales || fit_reach(setting, diagonal / DIAGONAL) ? SHW_OK : SHW_ERROR_MEMORY;
}

enum shw_result shw_preset_fit(struct shw_preset *preset, const struct shw_data_look *look, uint32_t levels)
{
    json_t *setting = json_object_get(preset->document, SHW_PRESET_SETTING);

    if (!preset->fits || look->images == 0)
        return SHW_OK;
    return (levels <= 1 || json_object_update(setting, json_object_get(preset->document, SHW_PRESET_STACKED)) == 0) &&
                   fit_samples(setting, look) && fit_weights(setting, look) &&
                   (!preset->scales || fit_reach(setting, look->diagonal / DIAGONAL))
               ? SHW_OK
               : SHW_ERROR_MEMORY;
}
