#include "files/output/picture_files.h"

#include <stdlib.h>

#include "base/log.h"

uint32_t shw_picture_outputs(const struct shw_picture_content *content)
{
    const struct shw_label_objects *objects = &content->objects;

    return shw_label_files_outputs(&content->labels) | (objects->wanted ? SHW_OUTPUT_ARGMAX : 0u) |
           (objects->table || objects->outlines || objects->forest != NULL ? SHW_OUTPUT_DISTRIBUTION : 0u);
}

enum shw_result shw_picture_label(const struct shw_picture_content *content, uint32_t outputs,
                                  struct shw_labeller *labeller, const struct shw_image *image,
                                  const struct shw_inputs *inputs, double of_file, const char *name,
                                  const struct shw_log *log, struct shw_label_results *results)
{
    *results = (struct shw_label_results){.image = image,
                                          .side = shw_pixel_size_of(&content->objects.pixel_size, of_file),
                                          .stated = shw_pixel_size_stated(&content->objects.pixel_size, of_file),
                                          .width = image->width,
                                          .height = image->height};
    SHW_PROPAGATE(shw_label_results_make(&content->labels, outputs, name, log, results));
    return shw_labeller_run(labeller, inputs, &results->labelling);
}

struct shw_object_columns shw_label_objects_columns(const struct shw_label_objects *objects)
{
    struct shw_object_columns columns = {.units = shw_pixel_size_has_units(&objects->pixel_size)};

    if (objects->forest != NULL)
        columns.kinds = shw_object_forest_classes(objects->forest, &columns.kind_count);
    return columns;
}

/* Drops objects of other object classes than those that are wanted. */
static enum shw_result keep_kinds(const struct shw_label_objects *objects, const struct shw_log *log,
                                  struct shw_objects *found)
{
    bool *kept = malloc(found->count + (size_t)1);
    enum shw_result result;

    if (kept == NULL)
        return shw_fail_memory(log, "objects");
    for (uint32_t n = 0; n < found->count; n++)
        kept[n] = found->list[n].kind > 0 && objects->kinds[found->list[n].kind - 1];
    result = shw_objects_keep(found, kept, log);
    free(kept);
    return result;
}

/* Gives objects their object classes. */
static enum shw_result classify(const struct shw_label_objects *objects, const struct shw_label_results *results,
                                const struct shw_log *log, struct shw_objects *found)
{
    float *values = malloc((found->count + (size_t)1) * SHW_OBJECT_ATTRIBUTES * sizeof *values);
    enum shw_result result =
        values != NULL
            ? shw_object_attributes_measure(found, results->image, results->labelling.distribution, log, values)
            : shw_fail_memory(log, "attributes of objects");

    if (result == SHW_OK)
        result = shw_object_forest_apply(objects->forest, values, log, found);
    free(values);
    return result == SHW_OK && objects->kinds != NULL ? keep_kinds(objects, log, found) : result;
}

enum shw_result shw_picture_find_objects(const struct shw_picture_content *content,
                                         const struct shw_label_results *results, const struct shw_log *log,
                                         struct shw_objects *found)
{
    const struct shw_label_objects *objects = &content->objects;
    const struct shw_object_picture picture = {results->labelling.argmax, results->labelling.distribution,
                                               results->width, results->height, objects->class_count};

    *found = (struct shw_objects){0};
    if (!objects->wanted)
        return SHW_OK;
    SHW_PROPAGATE(shw_objects_find(&picture, &objects->settings, log, found));
    found->pixel_size = results->side;
    return objects->forest != NULL ? classify(objects, results, log, found) : SHW_OK;
}

enum shw_result shw_picture_files_make(const struct shw_picture_content *content, const char *place,
                                       const struct shw_log *log, struct shw_picture_files *files)
{
    const struct shw_label_files *labels = &content->labels;
    const uint32_t objects = (content->objects.outlines ? SHW_OBJECT_OUTLINES_BIT : 0u) |
                             (content->objects.instances ? SHW_OBJECT_INSTANCES_BITS : 0u);

    *files = (struct shw_picture_files){.labels = calloc(labels->count + (size_t)1, sizeof *files->labels)};
    if (files->labels == NULL)
        return shw_fail_memory(log, "the names of files");
    for (uint32_t i = 0; i < labels->count; i++) {
        files->labels[i] = shw_label_file_path(&labels->entries[i], place);
        if (files->labels[i] == NULL)
            return shw_fail_memory(log, "the names of files");
    }
    return shw_object_paths_make(place, objects, log, &files->objects);
}

void shw_picture_files_free(const struct shw_picture_content *content, struct shw_picture_files *files)
{
    for (uint32_t i = 0; files->labels != NULL && i < content->labels.count; i++)
        free(files->labels[i]);
    free(files->labels);
    files->labels = NULL;
    shw_object_paths_free(&files->objects);
}

static enum shw_result visit_objects(const struct shw_picture_files *files, shw_visit_file *visit, void *user)
{
    for (uint32_t f = 0; f < SHW_OBJECT_FILES; f++)
        if (files->objects.paths[f] != NULL)
            SHW_PROPAGATE(visit(user, files->objects.paths[f], shw_object_files[f].kind));
    return SHW_OK;
}

enum shw_result shw_picture_files_visit(const struct shw_picture_content *content,
                                        const struct shw_picture_files *files, shw_visit_file *visit, void *user)
{
    for (uint32_t i = 0; i < content->labels.count; i++)
        if (files->labels[i] != NULL)
            SHW_PROPAGATE(visit(user, files->labels[i], content->labels.entries[i].form->kind));
    return visit_objects(files, visit, user);
}

enum shw_result shw_picture_files_write(const struct shw_picture_content *content,
                                        const struct shw_picture_files *files, const struct shw_label_results *results,
                                        const struct shw_objects *found, shw_visit_file *before, void *user,
                                        const struct shw_log *log, uint32_t *written)
{
    const struct shw_label_objects *objects = &content->objects;
    const struct shw_object_columns columns = shw_label_objects_columns(objects);
    char *const *paths = files->objects.paths;

    for (uint32_t i = 0; i < content->labels.count; i++)
        if (files->labels[i] != NULL) {
            const struct shw_label_file_entry *entry = &content->labels.entries[i];

            if (before != NULL)
                SHW_PROPAGATE(before(user, files->labels[i], entry->form->kind));
            SHW_PROPAGATE(shw_label_file_write(&content->labels, entry, files->labels[i], results, log));
            ++*written;
        }
    if (before != NULL)
        SHW_PROPAGATE(visit_objects(files, before, user));
    SHW_PROPAGATE(shw_object_files_write(&files->objects, found, objects->names, objects->class_count, &columns, log));
    *written += (paths[SHW_OBJECT_OUTLINES] != NULL ? 1u : 0u) + (paths[SHW_OBJECT_INSTANCES] != NULL ? 1u : 0u);
    return SHW_OK;
}
