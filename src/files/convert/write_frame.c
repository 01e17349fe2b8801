#include "files/convert/write_frame.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"
#include "files/dataset/pattern.h"
#include "files/image/image_write.h"
#include "files/io/image_paths.h"
#include "files/io/mark.h"

#define SOURCE_KEY  "Source" /* of texts in the files */
#define NAME_KEY    "Source-Name"
#define CODE_NUMBER UINT32_C(1) /* increases when the same input would give other files */

static const char *const endings[SHW_CONVERTED_FILES] = {"_colors.png", "_depth.png", "_ground_truth.png"};

const struct shw_file_kind *const shw_converted_kinds[SHW_CONVERTED_FILES] = {
    &shw_file_converted_image, &shw_file_converted_depth, &shw_file_converted_labels};

uint32_t shw_conversion_file_count(const struct shw_conversion *conversion)
{
    return conversion->classes != NULL ? SHW_CONVERTED_FILES : SHW_CONVERTED_LABELS;
}

void shw_conversion_path(const struct shw_conversion *conversion, uint32_t frame, enum shw_converted_file file,
                         char *path, size_t size)
{
    snprintf(path, size, "%s/%s%s%s", conversion->folder, conversion->prefix,
             conversion->kind->frame_name(conversion->source, frame), endings[file]);
}

static void add_file(void *user, const char *path)
{
    struct shw_digester *digester = user;
    struct stat status = {0};

    shw_digester_add_text(digester, shw_path_last(path));
    if (stat(path, &status) != 0)
        return;
    shw_digester_add(digester, &status.st_size, sizeof status.st_size);
    shw_digester_add(digester, &status.st_mtim.tv_sec, sizeof status.st_mtim.tv_sec);
    shw_digester_add(digester, &status.st_mtim.tv_nsec, sizeof status.st_mtim.tv_nsec);
}

static void add_classes(struct shw_digester *digester, const struct shw_converted_classes *classes)
{
    for (uint32_t i = 0; i < classes->count; i++) {
        shw_digester_add(digester, &classes->values[i].value, sizeof classes->values[i].value);
        shw_digester_add(digester, classes->palette.entries[classes->values[i].entry].colour, 3);
    }
}

/* What the files of a frame are made from. */
static struct shw_digest identify(const struct shw_conversion *conversion, uint32_t frame)
{
    const struct shw_source_params *params = conversion->params;
    const uint32_t numbers[] = {CODE_NUMBER,
                                frame,
                                params->units,
                                params->raw_depth,
                                conversion->part.x,
                                conversion->part.y,
                                conversion->part.width,
                                conversion->part.height};
    struct shw_digester *digester = shw_digester_create();

    if (digester != NULL) {
        shw_digester_add_text(digester, conversion->kind->name);
        shw_digester_add(digester, numbers, sizeof numbers);
        conversion->kind->visit_files(conversion->source, frame, add_file, digester);
        if (conversion->classes != NULL)
            add_classes(digester, conversion->classes);
    }
    return shw_digester_end(&digester);
}

bool shw_conversion_has(const struct shw_conversion *conversion, uint32_t frame)
{
    const struct shw_digest wanted = identify(conversion, frame);

    for (uint32_t f = 0; f < shw_conversion_file_count(conversion); f++) {
        char path[4096], *found;
        bool same;

        shw_conversion_path(conversion, frame, f, path, sizeof path);
        found = shw_png_read_text(path, SOURCE_KEY);
        same = found != NULL && wanted.text[0] != '\0' && strcmp(found, wanted.text) == 0;
        free(found);
        if (!same || !shw_png_is_marked(path, shw_converted_kinds[f]->name))
            return false;
    }
    return true;
}

/* The name of another source whose frame is there under the name of this one, to be freed with free(); NULL if there is
 * none, or it is not known. */
static char *conversion_find_other(const struct shw_conversion *conversion, uint32_t frame)
{
    const struct shw_file_kind *kind = shw_converted_kinds[SHW_CONVERTED_COLOURS];
    char path[4096], *name;

    shw_conversion_path(conversion, frame, SHW_CONVERTED_COLOURS, path, sizeof path);
    name = shw_png_read_text(path, NAME_KEY);
    if (name != NULL && strcmp(name, conversion->source_name) != 0 && kind->is_ours(path, kind->name) &&
        !shw_conversion_has(conversion, frame)) /* as where the source was renamed */
        return name;
    free(name);
    return NULL;
}

/* A file being written of a frame. */
struct writing {
    const struct shw_conversion *conversion;
    uint32_t frame;
    struct shw_digest source;
    const struct shw_log *log;
};

static enum shw_result write_file(const struct writing *writing, enum shw_converted_file file,
                                  const struct shw_image *image)
{
    const struct shw_png_text texts[] = {{SOURCE_KEY, writing->source.text},
                                         {NAME_KEY, writing->conversion->source_name}};
    char path[4096];

    shw_conversion_path(writing->conversion, writing->frame, file, path, sizeof path);
    SHW_PROPAGATE(shw_output_files_look_again(writing->conversion->files, path));
    return shw_png_write_with_texts(path, shw_converted_kinds[file]->name, texts, 2, image, writing->log);
}

static enum shw_result write_labels(const struct writing *writing, const struct shw_frame *frame)
{
    const struct shw_conversion *conversion = writing->conversion;
    char name[4096];
    uint8_t *colours;
    enum shw_result result;

    snprintf(name, sizeof name, "%s, frame %s", conversion->params->path,
             conversion->kind->frame_name(conversion->source, writing->frame));
    SHW_PROPAGATE(shw_converted_classes_paint(conversion->classes, frame, name, writing->log, &colours));
    result = write_file(writing, SHW_CONVERTED_LABELS,
                        &(struct shw_image){colours, frame->width, frame->height, 0, SHW_PIXEL_RGB8});
    free(colours);
    return result;
}

enum shw_result shw_conversion_write(const struct shw_conversion *conversion, uint32_t index)
{
    const struct writing writing = {conversion, index, identify(conversion, index), &conversion->params->log};
    struct shw_frame frame = {0};
    enum shw_result result;

    SHW_PROPAGATE(conversion->kind->read(conversion->source, index, false, &frame));
    SHW_TRY(shw_frame_crop(&frame, &conversion->part, conversion->params->path, writing.log));
    if (conversion->classes != NULL)
        SHW_TRY(write_labels(&writing, &frame));
    SHW_TRY(write_file(&writing, SHW_CONVERTED_DEPTH,
                       &(struct shw_image){frame.depth, frame.width, frame.height, 0, SHW_PIXEL_GREY16}));
    SHW_TRY(write_file(&writing, SHW_CONVERTED_COLOURS,
                       &(struct shw_image){frame.colours, frame.width, frame.height, 0, SHW_PIXEL_RGB8}));
fail:
    shw_frame_free(&frame);
    return result;
}

struct search {
    const struct shw_conversion *conversion;
    uint32_t every;
    struct shw_stale_files *remains; /* NULL: remove them */
};

/* Whether the conversion omits a file of a frame. */
static bool leaves_out(const struct search *search, uint32_t frame, uint32_t file)
{
    return frame % search->every != 0 || file >= shw_conversion_file_count(search->conversion);
}

static bool is_converted(const char *path, uint32_t file)
{
    return shw_converted_kinds[file]->is_ours(path, shw_converted_kinds[file]->name);
}

static void visit_frame(const struct search *search, uint32_t frame)
{
    char *other = conversion_find_other(search->conversion, frame);

    if (other != NULL && search->remains != NULL && frame % search->every == 0 && search->remains->replaced++ == 0)
        snprintf(search->remains->replaced_source, sizeof search->remains->replaced_source, "%s", other);
    free(other);
    if (other != NULL)
        return;
    for (uint32_t f = 0; f < SHW_CONVERTED_FILES; f++) {
        struct shw_stale_files *remains = search->remains;
        char path[4096];

        shw_conversion_path(search->conversion, frame, f, path, sizeof path);
        if (!leaves_out(search, frame, f) || !shw_is_file(path) || !is_converted(path, f))
            continue;
        if (remains == NULL)
            unlink(path);
        else if (remains->own++ == 0)
            snprintf(remains->first_own, sizeof remains->first_own, "%s", shw_path_last(path));
    }
}

static void visit_frames(const struct search *search)
{
    uint32_t count = search->conversion->kind->count(search->conversion->source);

    for (uint32_t i = 0; i < count; i++)
        visit_frame(search, i);
}

struct name {
    const char *text;
    uint32_t frame;
    bool is_left_out;
};

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct name *)a)->text, ((const struct name *)b)->text);
}

/* The names of all frames in order, to be freed with free(); NULL if memory is exhausted. */
static struct name *sort_names(const struct search *search, uint32_t *count)
{
    const struct shw_conversion *conversion = search->conversion;
    struct name *names;

    *count = conversion->kind->count(conversion->source);
    names = malloc(*count * sizeof *names);
    for (uint32_t i = 0; names != NULL && i < *count; i++)
        names[i] = (struct name){conversion->kind->frame_name(conversion->source, i), i,
                                 leaves_out(search, i, SHW_CONVERTED_LABELS)};
    if (names != NULL)
        qsort(names, *count, sizeof *names, compare_names);
    return names;
}

/* Whether a file of the folder has labels that are neither replaced nor among those to be removed. */
static bool is_other(const struct shw_conversion *conversion, const char *file, const struct name *names,
                     uint32_t count)
{
    size_t prefix = strlen(conversion->prefix), length;
    const char *text;
    struct name *found;
    char *frame, *path;
    bool other;

    if (!shw_pattern_match(SHW_CURFIL_LABELS, file, &text, &length))
        return false;
    if (length <= prefix || memcmp(text, conversion->prefix, prefix) != 0)
        return true;
    frame = strndup(text + prefix, length - prefix);
    found = frame != NULL ? bsearch(&(struct name){.text = frame}, names, count, sizeof *names, compare_names) : NULL;
    free(frame);
    if (found == NULL || !found->is_left_out)
        return found == NULL;
    path = shw_path_in(conversion->folder, file);
    other = path == NULL || !is_converted(path, SHW_CONVERTED_LABELS);
    free(path);
    path = other ? NULL : conversion_find_other(conversion, found->frame);
    other = other || path != NULL;
    free(path);
    return other;
}

static enum shw_result find_others(const struct search *search)
{
    const struct shw_conversion *conversion = search->conversion;
    struct shw_stale_files *remains = search->remains;
    struct dirent **entries = NULL;
    int entry_count = scandir(conversion->folder, &entries, NULL, shw_natural_compare_entries);
    uint32_t count;
    struct name *names = sort_names(search, &count);

    for (int i = 0; i < entry_count; i++) {
        if (names != NULL && is_other(conversion, entries[i]->d_name, names, count) && remains->others++ == 0)
            snprintf(remains->first_other, sizeof remains->first_other, "%s", entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    free(names);
    return names != NULL ? SHW_OK : shw_fail_memory(&conversion->params->log, conversion->folder);
}

enum shw_result shw_stale_files_find(const struct shw_conversion *conversion, uint32_t every,
                                     struct shw_stale_files *remains)
{
    const struct search search = {conversion, every, remains};

    *remains = (struct shw_stale_files){0};
    visit_frames(&search);
    return find_others(&search);
}

void shw_stale_files_remove(const struct shw_conversion *conversion, uint32_t every)
{
    visit_frames(&(struct search){conversion, every, NULL});
}
