/* Which picture and class files belong to. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "files/io/file_kind.h"
#include "files/io/image_name.h"
#include "files/io/image_paths.h"
#include "files/io/mark.h"
#include "files/output/label_files.h"
#include "import/import_job.h"

/* Whether a file's name begins with that of a picture, up to a separator; *rest: what comes after that. */
static bool begins_with(const char *name, const char *stem, const char **rest)
{
    size_t length = strlen(stem);
    bool begins = strncmp(name, stem, length) == 0 && strchr("_-. ", name[length]) != NULL;

    *rest = begins && name[length] != '\0' && name[length + 1] != '\0' ? name + length + 1 : NULL;
    return begins;
}

/* The picture of that name or else, if no picture has it, of that stem; NULL: none, or several. */
static const struct view_import_picture *find_named(const struct view_import_job *job, const char *name)
{
    char stem[SHW_BASE_NAME_SIZE];
    const struct view_import_picture *found = NULL, *alike = NULL;
    uint32_t count = 0, alike_count = 0;

    shw_image_base_name(name, stem);
    for (uint32_t p = 0; p < job->picture_count; p++) {
        const struct view_import_picture *picture = &job->pictures[p];
        if (strcmp(shw_path_last(picture->path), name) == 0) {
            found = picture;
            count++;
        } else if (strcmp(picture->stem, stem) == 0) {
            alike = picture;
            alike_count++;
        }
    }
    if (count > 0)
        return count == 1 ? found : NULL;
    return alike_count == 1 ? alike : NULL;
}

/* The picture with the longest name that the file's begins with; NULL: none, or several of that name. */
static const struct view_import_picture *find_longest(const struct view_import_job *job, const char *name)
{
    const struct view_import_picture *best = NULL;
    const char *rest;
    uint32_t count = 0;

    for (uint32_t p = 0; p < job->picture_count; p++) {
        const struct view_import_picture *picture = &job->pictures[p];
        if (!begins_with(name, picture->stem, &rest) || (best != NULL && strlen(picture->stem) < strlen(best->stem)))
            continue;
        count = best != NULL && strlen(picture->stem) == strlen(best->stem) ? count + 1 : 1;
        best = picture;
    }
    return count == 1 ? best : NULL;
}

/* As the mask itself says, unless it was renamed since. */
static const struct view_import_picture *find_picture(const struct view_import_job *job, const char *name,
                                                      const char *said)
{
    char stem[SHW_BASE_NAME_SIZE];
    const char *rest;

    return said != NULL && begins_with(name, shw_image_base_name(said, stem), &rest) ? find_named(job, said)
                                                                                     : find_longest(job, name);
}

static bool is_listed(const struct shw_palette *list, const char *class_name)
{
    for (uint32_t c = 0; c < list->class_count; c++)
        if (strcmp(list->classes[c].name, class_name) == 0)
            return true;
    return false;
}

/* The class that a mask says it is of, or else, if there is such a class in the list beside it, its name. */
static enum shw_result find_class(const struct view_import_job *job, struct view_import_file *file, const char *name,
                                  bool is_ours)
{
    const char *rest;

    file->class_name = is_ours ? shw_png_read_text(file->path, SHW_MASK_CLASS) : NULL;
    file->is_mask = file->class_name != NULL;
    if (file->is_mask || file->picture == NULL || !begins_with(name, file->picture->stem, &rest) || rest == NULL)
        return SHW_OK;
    file->class_name = strdup(rest);
    if (file->class_name == NULL)
        return shw_fail_memory(&job->log, file->path);
    file->is_mask = is_ours && is_listed(&job->list, file->class_name);
    return SHW_OK;
}

static enum shw_result match(struct view_import_job *job, struct view_import_file *file)
{
    char name[SHW_BASE_NAME_SIZE], *said = NULL;
    enum shw_result result;
    bool is_ours = shw_file_mask.is_ours(file->path, shw_file_mask.name);

    shw_image_base_name(file->path, name);
    if (is_ours && job->folder != NULL)
        said = shw_png_read_text(file->path, SHW_MASK_PICTURE);
    file->picture = job->folder != NULL ? find_picture(job, name, said) : &job->pictures[0];
    free(said);
    job->unmatched += file->picture == NULL;
    if (file->picture == NULL)
        return SHW_OK;
    result = find_class(job, file, name, is_ours);
    job->unsure = job->unsure || (is_ours && !file->is_mask);
    return result;
}

enum shw_result view_import_job_match(struct view_import_job *job)
{
    enum shw_result result = SHW_OK;

    for (uint32_t f = 0; f < job->count; f++) {
        struct view_import_file *file = &job->files[f];
        enum shw_result one = match(job, file);
        file->failed = one != SHW_OK || file->picture == NULL;
        result = one != SHW_OK ? one : result;
    }
    return job->unmatched < job->count
               ? result
               : shw_fail(&job->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                          "%s: none of its %u images has a name that begins like that of a picture of the project or "
                          "of the open folder",
                          job->folder, job->count);
}
