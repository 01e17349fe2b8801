#include "files/output/label_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "base/text.h"
#include "files/dataset/palette.h"
#include "files/image/draw.h"
#include "files/image/image_write.h"
#include "files/io/image_paths.h"
#include "files/io/mark.h"
#include "files/objects/object_files.h"
#include "files/objects/scale_bar.h"

#define NAME_BYTES_MAX 100u /* of a class's name in a file name */

uint8_t *shw_label_overlay_make(const struct shw_label_files_params *params, const struct shw_image *image,
                                const uint16_t *labels, double side)
{
    uint8_t *pixels = shw_overlay_image(image, labels, params->classes, params->opacity);

    if (pixels != NULL && params->scale_bar)
        shw_draw_scale_bar(&(struct shw_canvas){pixels, image->width, image->height}, side);
    return pixels;
}

static enum shw_result write_overlay(const struct shw_label_files_params *params, uint32_t number, const char *path,
                                     const struct shw_label_results *results, const struct shw_log *log)
{
    uint8_t *pixels = shw_label_overlay_make(params, results->image, results->labelling.argmax, results->side);
    const struct shw_image overlay = {
        .pixels = pixels, .width = results->width, .height = results->height, .format = SHW_PIXEL_RGB8};
    enum shw_result result = pixels != NULL
                                 ? shw_png_write_scaled(path, shw_file_overlay.name, results->stated, &overlay, log)
                                 : shw_fail_memory(log, path);

    (void)number;
    free(pixels);
    return result;
}

static enum shw_result write_mask(const struct shw_label_files_params *params, uint32_t number, const char *path,
                                  const struct shw_label_results *results, const struct shw_log *log)
{
    const struct shw_png_text texts[] = {{SHW_MASK_CLASS, params->classes[number].name},
                                         {SHW_MASK_PICTURE, shw_path_last(results->name)}};
    size_t pixels = (size_t)results->width * results->height;
    uint8_t *mask = malloc(pixels);
    const struct shw_image image = {
        .pixels = mask, .width = results->width, .height = results->height, .format = SHW_PIXEL_GREY8};
    enum shw_result result;

    if (mask == NULL)
        return shw_fail_memory(log, path);
    for (size_t i = 0; i < pixels; i++)
        mask[i] = results->labelling.argmax[i] == number ? 255 : 0;
    result = shw_png_write_with_texts(path, shw_file_mask.name, texts, sizeof texts / sizeof *texts, &image, log);
    free(mask);
    return result;
}

static enum shw_result write_probability(const struct shw_label_files_params *params, uint32_t number, const char *path,
                                         const struct shw_label_results *results, const struct shw_log *log)
{
    const struct shw_image plane = {.pixels = results->labelling.distribution +
                                              (size_t)number * results->width * results->height,
                                    .width = results->width,
                                    .height = results->height,
                                    .format = SHW_PIXEL_GREY16};

    (void)params;
    return shw_png_write_marked(path, SHW_MARK_PROBABILITIES, &plane, log);
}

static enum shw_result write_probability_pages(const struct shw_label_files_params *params, uint32_t number,
                                               const char *path, const struct shw_label_results *results,
                                               const struct shw_log *log)
{
    (void)number;
    return shw_tiff_write_pages(path, results->path, results->labelling.distribution, params->class_count,
                                results->width, results->height, log);
}

static enum shw_result write_probability_array(const struct shw_label_files_params *params, uint32_t number,
                                               const char *path, const struct shw_label_results *results,
                                               const struct shw_log *log)
{
    (void)number;
    return shw_npy_write(path, results->labelling.distribution, params->class_count, results->width, results->height,
                         log);
}

static enum shw_result write_leaves(const struct shw_label_files_params *params, uint32_t number, const char *path,
                                    const struct shw_label_results *results, const struct shw_log *log)
{
    (void)number;
    return shw_npy_write_leaves(path, results->labelling.forest_leaves, params->tree_count, results->width,
                                results->height, log);
}

/* Void has the number after the last class. */
static enum shw_result write_labels_with_void(const char *path, const struct shw_label_results *results,
                                              const uint16_t *labels, const struct shw_class *given, uint32_t count,
                                              const struct shw_log *log)
{
    struct shw_class *classes = calloc(count + (size_t)1, sizeof *classes);
    enum shw_result result;

    if (classes == NULL)
        return shw_fail_memory(log, path);
    memcpy(classes, given, count * sizeof *classes);
    classes[count].name = "void";
    shw_palette_void_colour(given, count, classes[count].colour);
    result =
        shw_png_write_labels(path, labels, results->width, results->height, classes, count + 1, results->stated, log);
    free(classes);
    return result;
}

static bool has_void(const uint16_t *labels, size_t pixels)
{
    bool found = false;

    for (size_t i = 0; i < pixels && !found; i++)
        found = labels[i] == SHW_LABEL_VOID;
    return found;
}

static enum shw_result write_labels(const struct shw_label_files_params *params, uint32_t number, const char *path,
                                    const struct shw_label_results *results, const struct shw_log *log)
{
    const uint16_t *labels = results->labelling.argmax;

    (void)number;
    if (has_void(labels, (size_t)results->width * results->height))
        return write_labels_with_void(path, results, labels, params->classes, params->class_count, log);
    return shw_png_write_labels(path, labels, results->width, results->height, params->classes, params->class_count,
                                results->stated, log);
}

static enum shw_result write_strokes(const struct shw_label_files_params *params, uint32_t number, const char *path,
                                     const struct shw_label_results *results, const struct shw_log *log)
{
    (void)number;
    return write_labels_with_void(path, results, results->strokes, params->stroke_classes, params->stroke_class_count,
                                  log);
}

static enum shw_result write_map(const struct shw_label_files_params *params, uint32_t number, const char *path,
                                 const struct shw_label_results *results, const struct shw_log *log)
{
    (void)number;
    return shw_tiff_write_labels(path, results->path, results->labelling.argmax, results->width, results->height,
                                 params->classes, params->class_count, log);
}

/* Initialisers name no members, so that the compiler reports those that are left out. */
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wmissing-field-initializers"

static const struct shw_label_form labels_form = {NULL, "_labels.png", SHW_ENDING_FIXED, &shw_file_labels,
                                                  write_labels};
static const struct shw_label_output_traits labels_traits = {
    "labels",
    "Labels",
    "NAME_labels.png: palette indices in the colours of the classes",
    "no-labels",
    0,
    "do not write label images",
    NULL,
    true,
    false,
    SHW_OUTPUT_ARGMAX,
    &labels_form,
    1};

static const struct shw_label_form overlay_form = {NULL, "_overlay.png", SHW_ENDING_FIXED, &shw_file_overlay,
                                                   write_overlay};
static const struct shw_label_output_traits overlay_traits = {
    "overlays",
    "Overlays",
    "NAME_overlay.png: the picture under the colours of the classes",
    "no-overlay",
    0,
    "do not write overlays",
    NULL,
    true,
    true,
    SHW_OUTPUT_ARGMAX,
    &overlay_form,
    1};

static const struct shw_label_form mask_form = {NULL, "_", SHW_ENDING_NAMED, &shw_file_mask, write_mask};
static const struct shw_label_output_traits masks_traits = {
    "masks",
    "Mask per class",
    "NAME_CLASS.png: a file per class, white where the picture has it",
    "masks",
    0,
    "also write a mask per class, 255 where an image has it, as\nIMAGE_CLASS.png",
    NULL,
    false,
    false,
    SHW_OUTPUT_ARGMAX,
    &mask_form,
    1};

static const struct shw_label_form leaves_form = {NULL, "_leaves.npy", SHW_ENDING_FIXED, &shw_file_array, write_leaves};
static const struct shw_label_output_traits leaves_traits = {"leaves",
                                                             NULL,
                                                             NULL,
                                                             "leaves",
                                                             0,
                                                             "also write the leaf of each pixel in each tree, as npy",
                                                             NULL,
                                                             false,
                                                             false,
                                                             SHW_OUTPUT_FOREST_LEAVES,
                                                             &leaves_form,
                                                             1};

static const char *const probability_choices[] = {"none", "png", "tiff", "npy", NULL};
static const struct shw_label_form probability_forms[] = {
    {"a 16-bit PNG per class", "_probability-", SHW_ENDING_NUMBERED, &shw_file_probabilities, write_probability},
    {"TIFF, a page per class", "_probabilities.tif", SHW_ENDING_FIXED, &shw_file_probability_pages,
     write_probability_pages},
    {"NumPy array", "_probabilities.npy", SHW_ENDING_FIXED, &shw_file_array, write_probability_array}};
static const struct shw_label_output_traits probabilities_traits = {
    "probabilities",
    "Probabilities",
    "65535 is certainty",
    "probabilities",
    'p',
    "class probabilities, 65535 for certainty, as png (a 16-bit\nfile per class), tiff (a page per class) or npy; "
    "none\n(none)",
    probability_choices,
    false,
    false,
    SHW_OUTPUT_DISTRIBUTION,
    probability_forms,
    3};
_Static_assert(sizeof probability_choices / sizeof *probability_choices ==
                   sizeof probability_forms / sizeof *probability_forms + 2,
               "a word for each form, none, and the end");

static const struct shw_label_form map_form = {NULL, "_labels.tif", SHW_ENDING_FIXED, &shw_file_label_page, write_map};
static const struct shw_label_output_traits map_traits = {"map",
                                                          NULL,
                                                          NULL,
                                                          "label-tiff",
                                                          0,
                                                          "also write labels as IMAGE_labels.tif, with the place on "
                                                          "Earth\n(GeoTIFF) and the size of pixels that the image has",
                                                          NULL,
                                                          false,
                                                          false,
                                                          SHW_OUTPUT_ARGMAX,
                                                          &map_form,
                                                          1};

static const struct shw_label_form strokes_form = {NULL, "_strokes.png", SHW_ENDING_FIXED, &shw_file_labels,
                                                   write_strokes};
static const struct shw_label_output_traits strokes_traits = {
    "strokes",
    "Strokes",
    "NAME_strokes.png: what is painted, to be imported or trained from elsewhere",
    NULL,
    0,
    NULL,
    NULL,
    false,
    false,
    0,
    &strokes_form,
    1};

#define TRAITS(id_, name_) &name_##_traits,

#pragma GCC diagnostic pop

const struct shw_label_output_traits *const shw_label_outputs[SHW_LABEL_OUTPUT_COUNT] = {SHW_LABEL_OUTPUTS(TRAITS)};

enum shw_result shw_label_file_write(const struct shw_label_files *files, const struct shw_label_file_entry *entry,
                                     const char *path, const struct shw_label_results *results,
                                     const struct shw_log *log)
{
    return entry->form->write(&files->params, entry->number, path, results, log);
}

/* Appends an entry; false if memory is exhausted. */
static bool add(struct shw_label_files *files, enum shw_label_output output, const struct shw_label_form *form,
                uint32_t number, const char *ending)
{
    char *copy = strdup(ending);

    if (copy == NULL || !SHW_RESERVE(files->entries, files->capacity, files->count + (size_t)1)) {
        free(copy);
        return false;
    }
    files->entries[files->count++] = (struct shw_label_file_entry){output, form, number, copy};
    return true;
}

/* Whether files of a form may have an ending. */
static bool has_ending(const struct shw_label_form *form, const char *ending)
{
    switch (form->endings) {
    case SHW_ENDING_FIXED: return strcmp(ending, form->ending) == 0;
    case SHW_ENDING_NUMBERED: return strncmp(ending, form->ending, strlen(form->ending)) == 0;
    case SHW_ENDING_NAMED: break;
    }
    return false;
}

/* Whether an ending is that of another file, whether that is written or not, so that a class's file always has the same
 * name. */
static bool is_taken(const struct shw_label_files *files, const char *ending)
{
    if (strcmp(ending, shw_object_files[SHW_OBJECT_INSTANCES].ending) == 0)
        return true;
    for (uint32_t o = 0; o < SHW_LABEL_OUTPUT_COUNT; o++)
        for (uint32_t f = 0; f < shw_label_outputs[o]->form_count; f++)
            if (has_ending(&shw_label_outputs[o]->forms[f], ending))
                return true;
    for (uint32_t i = 0; i < files->count; i++)
        if (strcmp(ending, files->entries[i].ending) == 0)
            return true;
    return false;
}

/* A class's name with a _ for what is no part of file names everywhere. */
static void make_safe(const char *name, char safe[NAME_BYTES_MAX + 1])
{
    size_t length = strlen(name);

    if (length > NAME_BYTES_MAX) /* between two characters of UTF-8 */
        for (length = NAME_BYTES_MAX; length > 0 && ((unsigned char)name[length] & 0xc0) == 0x80; length--)
            continue;
    memcpy(safe, name, length);
    safe[length] = '\0';
    for (char *c = safe; *c != '\0'; c++)
        if (strchr("/\\:*?\"<>|", *c) != NULL || shw_control_character(c) > 0)
            *c = '_';
}

static bool add_file_of_class(struct shw_label_files *files, enum shw_label_output output,
                              const struct shw_label_form *form, uint32_t number)
{
    char safe[NAME_BYTES_MAX + 1], ending[NAME_BYTES_MAX + 64];

    if (form->endings == SHW_ENDING_NUMBERED) {
        snprintf(ending, sizeof ending, "%s%03u.png", form->ending, number);
    } else {
        make_safe(files->params.classes[number].name, safe);
        snprintf(ending, sizeof ending, "%s%s.png", form->ending, safe);
        for (unsigned i = 2; is_taken(files, ending); i++)
            snprintf(ending, sizeof ending, "%s%s-%u.png", form->ending, safe, i);
    }
    return add(files, output, form, number, ending);
}

static bool add_form(struct shw_label_files *files, enum shw_label_output output, const struct shw_label_form *form)
{
    bool fine = true;

    if (form->endings == SHW_ENDING_FIXED)
        return add(files, output, form, 0, form->ending);
    for (uint32_t c = 0; fine && c < files->params.class_count; c++)
        fine = add_file_of_class(files, output, form, c);
    return fine;
}

static bool add_all(struct shw_label_files *files)
{
    const uint32_t *forms = files->params.forms;
    bool fine = true;

    for (int o = 0; fine && o < SHW_LABEL_OUTPUT_COUNT; o++)
        fine = forms[o] == 0 || add_form(files, (enum shw_label_output)o, &shw_label_outputs[o]->forms[forms[o] - 1]);
    return fine;
}

enum shw_result shw_label_files_make(const struct shw_label_files_params *params, const struct shw_log *log,
                                     struct shw_label_files *files)
{
    *files = (struct shw_label_files){.params = *params};
    if (add_all(files))
        return SHW_OK;
    shw_label_files_free(files);
    return shw_fail_memory(log, "the names of files");
}

void shw_label_files_free(struct shw_label_files *files)
{
    for (uint32_t i = 0; i < files->count; i++)
        free(files->entries[i].ending);
    free(files->entries);
    *files = (struct shw_label_files){.entries = NULL};
}

uint32_t shw_label_files_outputs(const struct shw_label_files *files)
{
    uint32_t outputs = 0;

    for (uint32_t o = 0; o < SHW_LABEL_OUTPUT_COUNT; o++)
        outputs |= files->params.forms[o] > 0 ? shw_label_outputs[o]->needs : 0u;
    return outputs;
}

char *shw_label_file_path(const struct shw_label_file_entry *entry, const char *place)
{
    size_t size = strlen(place) + strlen(entry->ending) + 1;
    char *path = malloc(size);

    if (path != NULL)
        snprintf(path, size, "%s%s", place, entry->ending);
    return path;
}

enum shw_result shw_label_results_make(const struct shw_label_files *files, uint32_t outputs, const char *name,
                                       const struct shw_log *log, struct shw_label_results *results)
{
    const struct shw_label_files_params *params = &files->params;
    size_t pixels = (size_t)results->width * results->height;
    struct shw_labelling *planes = &results->labelling;

    *planes = (struct shw_labelling){0};
    results->name = name;
    if ((outputs & SHW_OUTPUT_ARGMAX) != 0)
        planes->argmax = malloc(pixels * sizeof *planes->argmax);
    if ((outputs & SHW_OUTPUT_DISTRIBUTION) != 0)
        planes->distribution = malloc(pixels * params->class_count * sizeof *planes->distribution);
    if ((outputs & SHW_OUTPUT_FOREST_LEAVES) != 0)
        planes->forest_leaves = malloc(pixels * params->tree_count * sizeof *planes->forest_leaves);
    if ((planes->argmax != NULL || (outputs & SHW_OUTPUT_ARGMAX) == 0) &&
        (planes->distribution != NULL || (outputs & SHW_OUTPUT_DISTRIBUTION) == 0) &&
        (planes->forest_leaves != NULL || (outputs & SHW_OUTPUT_FOREST_LEAVES) == 0))
        return SHW_OK;
    shw_label_results_free(results);
    return shw_fail(log, SHW_ERROR_MEMORY, SHW_LOG_OUT_OF_MEMORY, "not enough memory for the results of %s", name);
}

void shw_label_results_free(struct shw_label_results *results)
{
    free(results->labelling.argmax);
    free(results->labelling.distribution);
    free(results->labelling.forest_leaves);
    results->labelling = (struct shw_labelling){0};
}

bool shw_is_result(const char *path)
{
    static const struct shw_file_kind *const others[] = {&shw_file_instances, &shw_file_instance_page,
                                                         &shw_file_detections, &shw_file_plot};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i]->is_ours(path, others[i]->name))
            return true;
    for (uint32_t o = 0; o < SHW_LABEL_OUTPUT_COUNT; o++)
        for (uint32_t f = 0; f < shw_label_outputs[o]->form_count; f++) {
            const struct shw_file_kind *kind = shw_label_outputs[o]->forms[f].kind;
            if (kind->is_ours != NULL && kind->is_ours(path, kind->name))
                return true;
        }
    return false;
}
