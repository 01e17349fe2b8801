#include "object/save.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "files/image/image_write.h"
#include "files/io/image_name.h"
#include "files/io/image_paths.h"
#include "files/objects/object_files.h"
#include "source/file_place.h"

#define ENDINGS 4

static const struct {
    const char *ending;
    const struct shw_file_kind *kind;
} written[ENDINGS] = {{"_objects.csv", &shw_file_table},
                      {"_objects.geojson", &shw_file_outlines},
                      {"_instances.png", &shw_file_instances},
                      {"_instances.tif", &shw_file_instance_page}};

static enum shw_result write_table(const struct view_objects_saving *saving, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *files = strdup(slash != NULL ? slash + 1 : path);
    struct shw_object_table table;
    enum shw_result result;

    if (files == NULL)
        return shw_fail_memory(&saving->files.log, path);
    files[strlen(files) - strlen(written[0].ending)] = '\0';
    result = shw_object_table_open(&table, path, &saving->files.log);
    if (result == SHW_OK)
        shw_object_table_add(&table, saving->picture, files, &saving->found->objects, saving->info->classes);
    free(files);
    return result == SHW_OK ? shw_object_table_commit(&table, &saving->files.log) : result;
}

static enum shw_result write_files(const struct view_objects_saving *saving, char *const paths[ENDINGS])
{
    const struct shw_object_paths others = {paths[1], paths[2], paths[3]};

    for (uint32_t i = 0; i < ENDINGS; i++)
        SHW_PROPAGATE(paths[i] != NULL ? shw_output_files_look_again(&saving->files, paths[i])
                                       : shw_fail_memory(&saving->files.log, "file names"));
    SHW_PROPAGATE(write_table(saving, paths[0]));
    return shw_object_files_write(&others, &saving->found->objects, saving->info->classes, saving->info->class_count,
                                  &saving->files.log);
}

static enum shw_result work(void *user)
{
    struct view_objects_saving *saving = user;
    char *paths[ENDINGS];
    enum shw_result result;

    for (uint32_t i = 0; i < ENDINGS; i++)
        paths[i] = shw_path_join(saving->stem, written[i].ending, "");
    result = write_files(saving, paths);
    for (uint32_t i = 0; i < ENDINGS; i++)
        free(paths[i]);
    return result;
}

static enum shw_result check(struct view_objects_saving *saving)
{
    for (uint32_t i = 0; i < ENDINGS; i++) {
        char *path = shw_path_join(saving->stem, written[i].ending, "");

        saving->files.incomplete = saving->files.incomplete || path == NULL;
        shw_output_files_write(&saving->files, path, written[i].kind);
        free(path);
    }
    return shw_output_files_check(&saving->files);
}

static void forget(struct view_objects_saving *saving)
{
    shw_output_files_free(&saving->files);
    free(saving->stem);
    saving->stem = NULL;
}

enum shw_result view_objects_save(struct view_objects_saving *saving, const struct view_scene *scene,
                                  const struct view_found *found, const char *picture,
                                  const struct shw_forest_info *info)
{
    static const struct view_job_kind kind = {"saving objects", (enum shw_priority)0, work, NULL};
    char name[SHW_BASE_NAME_SIZE];
    enum shw_result result;

    saving->wanted = saving->written = false;
    saving->found = found;
    saving->picture = picture;
    saving->info = info;
    saving->stem = shw_path_in(saving->folder, shw_image_base_name(picture, name));
    view_outputs_begin(scene, &saving->files);
    SHW_TRY(saving->stem != NULL ? SHW_OK : shw_fail_memory(&scene->log, "file names"));
    SHW_TRY(view_make_folder(saving->folder, &scene->log));
    SHW_TRY(check(saving));
    if (saving->job.kind == NULL)
        view_job_init(&saving->job, &kind, saving);
    SHW_TRY(view_job_begin(&saving->job, &scene->log));
    saving->under_way = true;
    return SHW_OK;

fail:
    forget(saving);
    return result;
}

bool view_objects_saved(struct view_objects_saving *saving, enum shw_result *result)
{
    if (!view_job_is_done(&saving->job))
        return false;
    *result = view_job_take(&saving->job);
    saving->under_way = false;
    saving->written = *result == SHW_OK;
    forget(saving);
    return true;
}

void view_objects_saving_destroy(struct view_objects_saving *saving)
{
    view_job_free(&saving->job);
    forget(saving);
    free(saving->folder);
    saving->folder = NULL;
}
