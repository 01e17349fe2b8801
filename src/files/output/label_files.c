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

/* Without pixels: what is written is as large as the results. */
static struct shw_image like(const struct shw_label_results *results, enum shw_pixel_format format)
{
    return (struct shw_image){.width = results->width, .height = results->height, .format = format};
}

static size_t pixels_of(const struct shw_label_results *results)
{
    return (size_t)results->width * results->height;
}

static enum shw_result open_overlay(const struct shw_label_files_params *params, uint32_t number, const char *path,
                                    const struct shw_label_results *results, const struct shw_log *log,
                                    struct shw_row_writer **rows)
{
    const struct shw_png_about about = {.mark = shw_file_overlay.name, .side = results->stated};
    const struct shw_image overlay = like(results, SHW_PIXEL_RGB8);

    (void)params, (void)number;
    return shw_png_open(path, &about, &overlay, log, rows);
}

static enum shw_result put_overlay(const struct shw_label_files_params *params, uint32_t number,
                                   const struct shw_label_results *results, struct shw_row_writer *rows,
                                   const struct shw_log *log)
{
    uint8_t *pixels = shw_label_overlay_make(params, results->image, results->labelling.argmax, results->side);
    enum shw_result result =
        pixels != NULL ? rows->put(rows, pixels, 0, results->height) : shw_fail_memory(log, results->name);

    (void)number;
    free(pixels);
    return result;
}

static enum shw_result open_mask(const struct shw_label_files_params *params, uint32_t number, const char *path,
                                 const struct shw_label_results *results, const struct shw_log *log,
                                 struct shw_row_writer **rows)
{
    const struct shw_png_text texts[] = {{SHW_MASK_CLASS, params->classes[number].name},
                                         {SHW_MASK_PICTURE, shw_path_last(results->name)}};
    const struct shw_png_about about = {
        .mark = shw_file_mask.name, .texts = texts, .text_count = sizeof texts / sizeof *texts};
    const struct shw_image mask = like(results, SHW_PIXEL_GREY8);

    return shw_png_open(path, &about, &mask, log, rows);
}

static enum shw_result put_mask(const struct shw_label_files_params *params, uint32_t number,
                                const struct shw_label_results *results, struct shw_row_writer *rows,
                                const struct shw_log *log)
{
    const size_t pixels = pixels_of(results);
    uint8_t *mask = malloc(pixels);
    enum shw_result result;

    (void)params;
    if (mask == NULL)
        return shw_fail_memory(log, results->name);
    for (size_t i = 0; i < pixels; i++)
        mask[i] = results->labelling.argmax[i] == number ? 255 : 0;
    result = rows->put(rows, mask, 0, results->height);
    free(mask);
    return result;
}

static enum shw_result open_probability(const struct shw_label_files_params *params, uint32_t number, const char *path,
                                        const struct shw_label_results *results, const struct shw_log *log,
                                        struct shw_row_writer **rows)
{
    const struct shw_png_about about = {.mark = SHW_MARK_PROBABILITIES};
    const struct shw_image plane = like(results, SHW_PIXEL_GREY16);

    (void)params, (void)number;
    return shw_png_open(path, &about, &plane, log, rows);
}

static enum shw_result put_probability(const struct shw_label_files_params *params, uint32_t number,
                                       const struct shw_label_results *results, struct shw_row_writer *rows,
                                       const struct shw_log *log)
{
    (void)params, (void)log;
    return rows->put(rows, results->labelling.distribution + number * pixels_of(results), 0, results->height);
}

static enum shw_result open_probability_pages(const struct shw_label_files_params *params, uint32_t number,
                                              const char *path, const struct shw_label_results *results,
                                              const struct shw_log *log, struct shw_row_writer **rows)
{
    (void)number;
    return shw_tiff_open_pages(path, results->path, params->class_count, results->width, results->height, log, rows);
}

static enum shw_result put_probabilities(const struct shw_label_files_params *params, uint32_t number,
                                         const struct shw_label_results *results, struct shw_row_writer *rows,
                                         const struct shw_log *log)
{
    const uint16_t *distribution = results->labelling.distribution;

    (void)params, (void)number, (void)log;
    return rows->put(rows, distribution, pixels_of(results) * sizeof *distribution, results->height);
}

static enum shw_result open_probability_array(const struct shw_label_files_params *params, uint32_t number,
                                              const char *path, const struct shw_label_results *results,
                                              const struct shw_log *log, struct shw_row_writer **rows)
{
    (void)number;
    return shw_npy_open(path, "u2", params->class_count, results->width, results->height, log, rows);
}

static enum shw_result open_leaves(const struct shw_label_files_params *params, uint32_t number, const char *path,
                                   const struct shw_label_results *results, const struct shw_log *log,
                                   struct shw_row_writer **rows)
{
    (void)number;
    return shw_npy_open(path, "u4", params->tree_count, results->width, results->height, log, rows);
}

static enum shw_result put_leaves(const struct shw_label_files_params *params, uint32_t number,
                                  const struct shw_label_results *results, struct shw_row_writer *rows,
                                  const struct shw_log *log)
{
    const uint32_t *leaves = results->labelling.forest_leaves;

    (void)params, (void)number, (void)log;
    return rows->put(rows, leaves, pixels_of(results) * sizeof *leaves, results->height);
}

/* Void has the number after the last class. */
static enum shw_result open_labels_with_void(const char *path, const struct shw_label_results *results,
                                             const struct shw_class *given, uint32_t count, const struct shw_log *log,
                                             struct shw_row_writer **rows)
{
    struct shw_class *classes = calloc(count + (size_t)1, sizeof *classes);
    enum shw_result result;

    if (classes == NULL)
        return shw_fail_memory(log, path);
    memcpy(classes, given, count * sizeof *classes);
    classes[count].name = "void";
    shw_palette_void_colour(given, count, classes[count].colour);
    result = shw_png_open_labels(path, results->width, results->height, classes, count + 1, results->stated, log, rows);
    free(classes);
    return result;
}

/* Results that come in bands have no labels yet when files are opened, and no void ones. */
static bool has_void(const struct shw_label_results *results)
{
    const uint16_t *labels = results->labelling.argmax;
    bool found = false;

    for (size_t i = 0; labels != NULL && i < pixels_of(results) && !found; i++)
        found = labels[i] == SHW_LABEL_VOID;
    return found;
}

static enum shw_result open_labels(const struct shw_label_files_params *params, uint32_t number, const char *path,
                                   const struct shw_label_results *results, const struct shw_log *log,
                                   struct shw_row_writer **rows)
{
    (void)number;
    if (has_void(results))
        return open_labels_with_void(path, results, params->classes, params->class_count, log, rows);
    return shw_png_open_labels(path, results->width, results->height, params->classes, params->class_count,
                               results->stated, log, rows);
}

static enum shw_result put_labels(const struct shw_label_files_params *params, uint32_t number,
                                  const struct shw_label_results *results, struct shw_row_writer *rows,
                                  const struct shw_log *log)
{
    (void)params, (void)number, (void)log;
    return rows->put(rows, results->labelling.argmax, 0, results->height);
}

static enum shw_result open_strokes(const struct shw_label_files_params *params, uint32_t number, const char *path,
                                    const struct shw_label_results *results, const struct shw_log *log,
                                    struct shw_row_writer **rows)
{
    (void)number;
    return open_labels_with_void(path, results, params->stroke_classes, params->stroke_class_count, log, rows);
}

static enum shw_result put_strokes(const struct shw_label_files_params *params, uint32_t number,
                                   const struct shw_label_results *results, struct shw_row_writer *rows,
                                   const struct shw_log *log)
{
    (void)params, (void)number, (void)log;
    return rows->put(rows, results->strokes, 0, results->height);
}

static enum shw_result open_map(const struct shw_label_files_params *params, uint32_t number, const char *path,
                                const struct shw_label_results *results, const struct shw_log *log,
                                struct shw_row_writer **rows)
{
    (void)number;
    return shw_tiff_open_labels(path, results->path, results->width, results->height, params->classes,
                                params->class_count, log, rows);
}

/* Initialisers name no members, so that the compiler reports those that are left out. */
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wmissing-field-initializers"

static const struct shw_label_form labels_form = {NULL,        "_labels.png", SHW_ENDING_FIXED, &shw_file_labels,
                                                  open_labels, put_labels};
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

static const struct shw_label_form overlay_form = {NULL,         "_overlay.png", SHW_ENDING_FIXED, &shw_file_overlay,
                                                   open_overlay, put_overlay};
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

static const struct shw_label_form mask_form = {NULL, "_", SHW_ENDING_NAMED, &shw_file_mask, open_mask, put_mask};
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

static const struct shw_label_form leaves_form = {NULL,        "_leaves.npy", SHW_ENDING_FIXED, &shw_file_array,
                                                  open_leaves, put_leaves};
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
    {"a 16-bit PNG per class", "_probability-", SHW_ENDING_NUMBERED, &shw_file_probabilities, open_probability,
     put_probability},
    {"TIFF, a page per class", "_probabilities.tif", SHW_ENDING_FIXED, &shw_file_probability_pages,
     open_probability_pages, put_probabilities},
    {"NumPy array", "_probabilities.npy", SHW_ENDING_FIXED, &shw_file_array, open_probability_array,
     put_probabilities}};
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

static const struct shw_label_form map_form = {NULL,     "_labels.tif", SHW_ENDING_FIXED, &shw_file_label_page,
                                               open_map, put_labels};
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

static const struct shw_label_form strokes_form = {NULL,         "_strokes.png", SHW_ENDING_FIXED, &shw_file_labels,
                                                   open_strokes, put_strokes};
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
    struct shw_row_writer *rows = NULL;
    enum shw_result result = entry->form->open(&files->params, entry->number, path, results, log, &rows);

    if (result == SHW_OK)
        result = entry->form->put(&files->params, entry->number, results, rows, log);
    if (result == SHW_OK)
        return shw_row_writer_commit(&rows);
    shw_row_writer_abandon(&rows);
    return result;
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

/* What a file says of its writer. */
struct marks {
    char png[SHW_PNG_KIND_SIZE], tiff[SHW_TIFF_MARK_SIZE];
};

static bool is_of_kind(const char *path, const struct marks *marks, const struct shw_file_kind *kind)
{
    if (kind->is_ours == shw_png_is_marked)
        return strcmp(marks->png, kind->name) == 0;
    if (kind->is_ours == shw_tiff_is_marked)
        return strcmp(marks->tiff, kind->name) == 0;
    return kind->is_ours != NULL && kind->is_ours(path, kind->name);
}

bool shw_is_result(const char *path)
{
    static const struct shw_file_kind *const others[] = {&shw_file_instances, &shw_file_instance_page,
                                                         &shw_file_detections, &shw_file_plot};
    struct marks marks = {"", ""};

    if (!shw_png_read_mark(path, marks.png))
        shw_tiff_read_mark(path, marks.tiff);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (is_of_kind(path, &marks, others[i]))
            return true;
    for (uint32_t o = 0; o < SHW_LABEL_OUTPUT_COUNT; o++)
        for (uint32_t f = 0; f < shw_label_outputs[o]->form_count; f++)
            if (is_of_kind(path, &marks, shw_label_outputs[o]->forms[f].kind))
                return true;
    return false;
}
