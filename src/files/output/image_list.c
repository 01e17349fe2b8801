#include "files/output/image_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/log.h"
#include "files/dataset/pattern.h"
#include "files/image/image_file.h"
#include "files/io/file_kind.h"
#include "files/io/image_paths.h"

static bool is_image_name(const char *name)
{
    return shw_is_image_name(name) && name[0] != '.';
}

static bool is_result(struct shw_listed_files *files, const char *path)
{
    return shw_listed_files_is_result(files, path);
}

static bool is_not_colours(struct shw_listed_files *files, const char *path)
{
    (void)files;
    return !shw_curfil_is_colours(path);
}

/* Removes the images that are to be left out, and returns their number. */
static uint32_t leave_out(struct shw_image_paths *images, bool (*is_left_out)(struct shw_listed_files *, const char *),
                          struct shw_listed_files *files)
{
    uint32_t kept = 0, count = images->count;

    for (uint32_t i = 0; i < count; i++)
        if (is_left_out(files, images->paths[i]))
            free(images->paths[i]);
        else
            images->paths[kept++] = images->paths[i];
    images->count = kept;
    return count - kept;
}

static bool has_colours(const struct shw_image_paths *images)
{
    for (uint32_t i = 0; i < images->count; i++)
        if (shw_curfil_is_colours(images->paths[i]))
            return true;
    return false;
}

static void say_left_out(const struct shw_log *log, const char *folder, uint32_t count, const char *why)
{
    if (count > 0)
        shw_log_message(log, SHW_LOG_INFO, SHW_LOG_ARGUMENT, "%s: %u %s left out, %s", folder, count,
                        count == 1 ? "image is" : "images are", why);
}

#define WRITTEN_BY_US "which label or detect has written"

/* `images`: all those of the folder, some of which are left out; of a shard, not yet those that are results. */
static enum shw_result choose_images(const struct shw_image_list_params *params, const char *folder,
                                     struct shw_image_paths *images)
{
    const struct shw_log *log = params->log;
    uint32_t results, others;

    if (images->count == 0)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "the folder %s has no images: no files with extensions like .png or .jpg", folder);
    results = params->shard.count == 0 ? leave_out(images, is_result, params->files) : 0;
    if (images->count == 0)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "the folder %s has no images but %u that label or detect has written: pass the paths of the "
                        "images you mean",
                        folder, results);
    say_left_out(log, folder, results, WRITTEN_BY_US);
    others = has_colours(images) ? leave_out(images, is_not_colours, NULL) : 0;
    say_left_out(log, folder, others, "since others are called NAME_colors");
    return SHW_OK;
}

/* What an image's results are called below `folder`, which is "" for none; to be freed. NULL if memory is exhausted. */
static char *place_of(const char *path, const char *folder)
{
    char name[SHW_BASE_NAME_SIZE];

    return shw_path_in(folder, shw_image_base_name(path, name));
}

/* Adds an image whose results go below `folder`. Takes ownership of the path. */
static enum shw_result add_path(const struct shw_log *log, char *path, const char *folder, struct shw_image_list *list)
{
    struct shw_image_entry image = {.path = path, .number = list->whole.count > 0 ? list->whole.count - 1 : 0};

    if (path != NULL)
        image.place = place_of(path, folder);
    if (image.path != NULL && image.place != NULL && SHW_RESERVE(list->list, list->capacity, list->count + (size_t)1)) {
        list->list[list->count++] = image;
        return SHW_OK;
    }
    free(image.path);
    free(image.place);
    return shw_fail_memory(log, "the names of the images");
}

/* Adds pages `first` to `last` of a file; 0: the file as it is. */
static enum shw_result add_pages(const struct shw_log *log, const char *file, uint32_t first, uint32_t last,
                                 const char *folder, struct shw_image_list *list)
{
    enum shw_result result = SHW_OK;

    for (uint32_t page = first; page <= last && result == SHW_OK; page++)
        result = add_path(log, page > 0 ? shw_image_page_path(file, page) : strdup(file), folder, list);
    return result;
}

/* Adds the wanted pages of a file. A file that cannot be read is reported later, by its reader. */
static enum shw_result add_image(const struct shw_image_list_params *params, const char *path, const char *folder,
                                 struct shw_image_list *list)
{
    const struct shw_log *log = params->log;
    const uint32_t page = params->page;
    uint32_t named, count;

    (void)shw_image_page_of(path, &named);
    if (named > 0 || (page > 0 && page != UINT32_MAX))
        return add_pages(log, path, named > 0 ? 0 : page, named > 0 ? 0 : page, folder, list);
    count = shw_listed_files_count_pages(params->files, path);
    if (count == 1)
        return add_pages(log, path, 0, 0, folder, list);
    if (page == UINT32_MAX)
        return add_pages(log, path, 1, count, folder, list);
    shw_log_message(log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                    "%s has %u pages, of which the first is read: --page chooses another, or all", path, count);
    return add_pages(log, path, 0, 0, folder, list);
}

/* Adds a file to the whole list; *is_wanted: it belongs to the shard. */
static enum shw_result add_to_whole(const struct shw_image_list_params *params, const char *path, const char *folder,
                                    struct shw_image_list *list, bool *is_wanted)
{
    char *place;

    *is_wanted = true;
    if (params->shard.count == 0)
        return SHW_OK;
    place = place_of(path, folder);
    if (place == NULL || !shw_image_paths_add(&list->whole, "", path)) {
        free(place);
        return shw_fail_memory(params->log, "the names of the images");
    }
    *is_wanted = shw_shard_has(&params->shard, place);
    free(place);
    return SHW_OK;
}

static enum shw_result list_folder(const struct shw_image_list_params *params, const char *folder, const char *results,
                                   struct shw_image_list *list)
{
    const struct shw_log *log = params->log;
    struct shw_image_paths images = {0};
    enum shw_result result = SHW_OK;
    uint32_t left_out = 0;

    errno = 0;
    if (!shw_image_paths_list(&images, folder, is_image_name))
        result = shw_fail_memory(log, folder);
    else if (errno != 0)
        result = shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "cannot open the folder %s: %s", folder,
                          strerror(errno));
    else
        result = choose_images(params, folder, &images);
    for (uint32_t i = 0; i < images.count && result == SHW_OK; i++) {
        bool is_wanted;

        result = add_to_whole(params, images.paths[i], results, list, &is_wanted);
        if (result != SHW_OK || !is_wanted)
            continue;
        if (params->shard.count > 0 && shw_listed_files_is_result(params->files, images.paths[i]))
            left_out++;
        else
            result = add_image(params, images.paths[i], results, list);
    }
    say_left_out(log, folder, left_out, WRITTEN_BY_US);
    shw_image_paths_free(&images);
    return result;
}

static int compare_places(const void *a, const void *b)
{
    return strcmp(((const struct shw_image_entry *)a)->place, ((const struct shw_image_entry *)b)->place);
}

enum shw_result shw_image_list_find_same(const struct shw_image_list *list, const struct shw_log *log,
                                         struct shw_image_entry same[2])
{
    struct shw_image_entry *sorted = malloc((list->count + (size_t)1) * sizeof *sorted);

    same[0] = same[1] = (struct shw_image_entry){.path = NULL};
    if (sorted == NULL)
        return shw_fail_memory(log, "the names of the images");
    for (uint32_t i = 0; i < list->count; i++)
        sorted[i] = list->list[i];
    qsort(sorted, list->count, sizeof *sorted, compare_places);
    for (size_t i = 1; i < list->count && same[0].path == NULL; i++)
        if (compare_places(&sorted[i - 1], &sorted[i]) == 0)
            memcpy(same, &sorted[i - 1], 2 * sizeof *same);
    free(sorted);
    return SHW_OK;
}

static bool is_folder(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* The last `count` names of an absolute path, or all of them. */
static const char *last_names(const char *path, int count)
{
    const char *from = path + strlen(path);

    while (from > path && (from[-1] != '/' || --count > 0))
        from--;
    return *from == '/' ? from + 1 : from;
}

/* Whether that many names distinguish the folders. */
static bool are_apart(char *const *folders, int count, int names)
{
    for (int i = 1; i < count; i++)
        for (int j = 0; j < i; j++)
            if (folders[i] != NULL && folders[j] != NULL && strcmp(folders[i], folders[j]) != 0 &&
                strcmp(last_names(folders[i], names), last_names(folders[j], names)) == 0)
                return false;
    return true;
}

static enum shw_result add_file(const struct shw_image_list_params *params, const char *path,
                                struct shw_image_list *list)
{
    bool is_wanted;

    SHW_PROPAGATE(add_to_whole(params, path, "", list, &is_wanted));
    return is_wanted ? add_image(params, path, "", list) : SHW_OK;
}

/* Lists the arguments. `folders`: the absolute paths of those that are folders, otherwise NULL. */
static enum shw_result list_arguments(const struct shw_image_list_params *params, char **arguments, int count,
                                      char *const *folders, struct shw_image_list *list)
{
    const bool in_folders = params->in_folders;
    enum shw_result result = SHW_OK;
    int names = 1;

    while (in_folders && !are_apart(folders, count, names))
        names++;
    for (int i = 0; i < count && result == SHW_OK; i++)
        if (folders[i] != NULL)
            result = list_folder(params, arguments[i], in_folders ? last_names(folders[i], names) : "", list);
        else if (is_folder(arguments[i]))
            result = shw_fail(params->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "cannot open the folder %s: %s",
                              arguments[i], strerror(errno));
        else
            result = add_file(params, arguments[i], list);
    return result;
}

enum shw_result shw_image_list_make(char **arguments, int count, const struct shw_image_list_params *params,
                                    struct shw_image_list *list)
{
    char **folders = calloc((size_t)count, sizeof *folders);
    enum shw_result result;

    *list = (struct shw_image_list){0};
    if (folders == NULL)
        return shw_fail_memory(params->log, "the names of the images");
    for (int i = 0; i < count; i++)
        if (is_folder(arguments[i]))
            folders[i] = realpath(arguments[i], NULL);
    result = list_arguments(params, arguments, count, folders, list);
    for (int i = 0; i < count; i++)
        free(folders[i]);
    free(folders);
    return result;
}

struct shw_digest shw_image_list_digest(const struct shw_image_list *list)
{
    struct shw_digester *digester = shw_digester_create();

    for (uint32_t i = 0; i < list->whole.count && digester != NULL; i++)
        shw_digester_add_text(digester, shw_path_last(list->whole.paths[i]));
    return shw_digester_end(&digester);
}

static void receive_warnings(void *user, enum shw_log_level level, enum shw_log_item item, const char *text)
{
    const struct shw_log *log = user;

    if (level != SHW_LOG_ERROR && log->function != NULL)
        log->function(log->user, level, item, text);
}

bool shw_image_list_settle_choice(const struct shw_image_list *list, struct shw_image_choice *choice,
                                  const struct shw_log *log)
{
    struct shw_log outer = *log;
    const struct shw_log warnings = {.function = receive_warnings, .user = &outer, .level = log->level};

    const bool is_shard = list->whole.count > 0;

    for (uint32_t i = 0; i < (is_shard ? list->whole.count : list->count); i++)
        if (shw_image_choice_settle(choice, is_shard ? list->whole.paths[i] : list->list[i].path, &warnings) == SHW_OK)
            return true;
    return false;
}

void shw_image_list_free(struct shw_image_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        free(list->list[i].path);
        free(list->list[i].place);
    }
    free(list->list);
    shw_image_paths_free(&list->whole);
    *list = (struct shw_image_list){0};
}
