#include "files/output/label_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "base/text.h"
#include "files/dataset/palette.h"
#include "files/image/image_write.h"
#include "files/image/overlay.h"
#include "files/io/image_paths.h"
#include "files/io/png_mark.h"

#define NAME_BYTES_MAX 100u /* of a class's name in a file name */

/* Appends an entry; false if memory is exhausted. */
static bool add(struct shw_label_files *files, enum shw_label_file_content content, const struct shw_file_kind *kind,
                uint32_t number, const char *ending)
{
    char *copy = strdup(ending);

    if (copy == NULL || !SHW_RESERVE(files->entries, files->capacity, files->count + (size_t)1)) {
        free(copy);
        return false;
    }
    files->entries[files->count++] = (struct shw_label_file_entry){content, kind, number, copy};
    return true;
}

/* Whether an ending is that of another file, whether that is written or not, so that a mask always has the same name.
 */
static bool is_taken(const struct shw_label_files *files, const char *ending)
{
    static const char *const others[] = {"_labels.png", "_overlay.png", "_strokes.png", "_instances.png"};
    const char probability[] = "_probability-";

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(ending, others[i]) == 0)
            return true;
    for (uint32_t i = 0; i < files->count; i++)
        if (strcmp(ending, files->entries[i].ending) == 0)
            return true;
    return strncmp(ending, probability, sizeof probability - 1) == 0;
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

static bool add_mask(struct shw_label_files *files, uint32_t number)
{
    char safe[NAME_BYTES_MAX + 1], ending[NAME_BYTES_MAX + 24];

    make_safe(files->params.classes[number].name, safe);
    snprintf(ending, sizeof ending, "_%s.png", safe);
    for (unsigned i = 2; is_taken(files, ending); i++)
        snprintf(ending, sizeof ending, "_%s-%u.png", safe, i);
    return add(files, SHW_FILE_MASK, &shw_file_mask, number, ending);
}

static bool add_probability(struct shw_label_files *files, uint32_t number)
{
    char ending[32];

    snprintf(ending, sizeof ending, "_probability-%03u.png", number);
    return add(files, SHW_FILE_PROBABILITY, &shw_file_probabilities, number, ending);
}

static bool add_all(struct shw_label_files *files)
{
    const struct shw_label_files_params *params = &files->params;
    const struct {
        bool written;
        enum shw_label_file_content content;
        const struct shw_file_kind *kind;
        const char *ending;
    } single[] = {
        {params->labels, SHW_FILE_LABELS, &shw_file_labels, "_labels.png"},
        {params->overlay, SHW_FILE_OVERLAY, &shw_file_overlay, "_overlay.png"},
        {params->strokes, SHW_FILE_STROKES, &shw_file_labels, "_strokes.png"},
        {params->leaves, SHW_FILE_LEAVES, &shw_file_array, "_leaves.npy"},
        {params->probabilities == SHW_PROBABILITIES_TIFF, SHW_FILE_PROBABILITY_PAGES, &shw_file_probability_pages,
         "_probabilities.tif"},
        {params->probabilities == SHW_PROBABILITIES_NPY, SHW_FILE_PROBABILITY_ARRAY, &shw_file_array,
         "_probabilities.npy"},
    };
    bool fine = true;

    for (size_t i = 0; fine && i < sizeof single / sizeof *single; i++)
        if (single[i].written)
            fine = add(files, single[i].content, single[i].kind, 0, single[i].ending);
    for (uint32_t c = 0; fine && params->probabilities == SHW_PROBABILITIES_PNG && c < params->class_count; c++)
        fine = add_probability(files, c);
    for (uint32_t c = 0; fine && params->masks && c < params->class_count; c++)
        fine = add_mask(files, c);
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
    const struct shw_label_files_params *params = &files->params;

    return (params->labels || params->overlay || params->masks ? SHW_OUTPUT_ARGMAX : 0u) |
           (params->probabilities != SHW_PROBABILITIES_NONE ? SHW_OUTPUT_DISTRIBUTION : 0u) |
           (params->leaves ? SHW_OUTPUT_FOREST_LEAVES : 0u);
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

static enum shw_result write_overlay(const struct shw_label_files_params *params, const char *path,
                                     const struct shw_label_results *results, const struct shw_log *log)
{
    uint8_t *pixels = shw_overlay_image(results->image, results->labelling.argmax, params->classes, params->opacity);
    const struct shw_image overlay = {
        .pixels = pixels, .width = results->width, .height = results->height, .format = SHW_PIXEL_RGB8};
    enum shw_result result =
        pixels != NULL ? shw_png_write_marked(path, shw_file_overlay.name, &overlay, log) : shw_fail_memory(log, path);

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

static enum shw_result write_probability(uint32_t number, const char *path, const struct shw_label_results *results,
                                         const struct shw_log *log)
{
    const struct shw_image plane = {.pixels = results->labelling.distribution +
                                              (size_t)number * results->width * results->height,
                                    .width = results->width,
                                    .height = results->height,
                                    .format = SHW_PIXEL_GREY16};

    return shw_png_write_marked(path, SHW_MARK_PROBABILITIES, &plane, log);
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
    result = shw_png_write_labels(path, labels, results->width, results->height, classes, count + 1, log);
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

static enum shw_result write_labels(const struct shw_label_files_params *params, const char *path,
                                    const struct shw_label_results *results, const struct shw_log *log)
{
    const uint16_t *labels = results->labelling.argmax;

    if (has_void(labels, (size_t)results->width * results->height))
        return write_labels_with_void(path, results, labels, params->classes, params->class_count, log);
    return shw_png_write_labels(path, labels, results->width, results->height, params->classes, params->class_count,
                                log);
}

enum shw_result shw_label_file_write(const struct shw_label_files *files, const struct shw_label_file_entry *entry,
                                     const char *path, const struct shw_label_results *results,
                                     const struct shw_log *log)
{
    const struct shw_label_files_params *params = &files->params;
    const struct shw_labelling *planes = &results->labelling;
    uint32_t width = results->width, height = results->height;

    switch (entry->content) {
    case SHW_FILE_LABELS: return write_labels(params, path, results, log);
    case SHW_FILE_OVERLAY: return write_overlay(params, path, results, log);
    case SHW_FILE_MASK: return write_mask(params, entry->number, path, results, log);
    case SHW_FILE_PROBABILITY: return write_probability(entry->number, path, results, log);
    case SHW_FILE_PROBABILITY_PAGES:
        return shw_tiff_write_pages(path, planes->distribution, params->class_count, width, height, log);
    case SHW_FILE_PROBABILITY_ARRAY:
        return shw_npy_write(path, planes->distribution, params->class_count, width, height, log);
    case SHW_FILE_LEAVES:
        return shw_npy_write_leaves(path, planes->forest_leaves, params->tree_count, width, height, log);
    case SHW_FILE_STROKES: break;
    }
    return write_labels_with_void(path, results, results->strokes, params->stroke_classes, params->stroke_class_count,
                                  log);
}

bool shw_is_result(const char *path)
{
    static const struct shw_file_kind *const kinds[] = {
        &shw_file_labels,    &shw_file_overlay,       &shw_file_probabilities, &shw_file_probability_pages,
        &shw_file_instances, &shw_file_instance_page, &shw_file_mask,          &shw_file_detections,
        &shw_file_plot};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i]->is_ours(path, kinds[i]->name))
            return true;
    return false;
}
