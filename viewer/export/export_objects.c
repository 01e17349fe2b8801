#include "export/export_objects.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "files/image/image_write.h"
#include "files/io/image_paths.h"

const struct shw_file_kind *const view_export_object_kinds[VIEW_EXPORT_OBJECT_FILES] = {
    &shw_file_outlines, &shw_file_instances, &shw_file_instance_page};

enum shw_result view_export_objects_take(struct view_export_objects *export, const struct view_objects *objects,
                                         const struct shw_forest_info *info, const struct shw_log *log)
{
    export->wanted = true;
    export->settings = objects->settings;
    return view_object_classes(objects->class_name, info, log, &export->classes, &export->settings);
}

void view_export_objects_free(struct view_export_objects *export)
{
    shw_object_table_abandon(&export->table);
    free(export->classes);
    free(export->table_path);
}

enum shw_result view_export_object_paths_make(const char *place, const struct shw_log *log,
                                              struct view_export_object_paths *made)
{
    static const char *const endings[VIEW_EXPORT_OBJECT_FILES] = {"_objects.geojson", "_instances.png",
                                                                  "_instances.tif"};
    bool complete = true;

    for (uint32_t f = 0; f < VIEW_EXPORT_OBJECT_FILES; f++) {
        made->paths[f] = shw_path_join(place, endings[f], "");
        complete = complete && made->paths[f] != NULL;
    }
    return complete ? SHW_OK : shw_fail_memory(log, "the names of files");
}

void view_export_object_paths_free(struct view_export_object_paths *paths)
{
    for (uint32_t f = 0; f < VIEW_EXPORT_OBJECT_FILES; f++)
        free(paths->paths[f]);
}

enum shw_result view_export_objects_write(struct view_export_objects *export, const char *name, const char *files,
                                          const struct shw_label_results *results, const struct shw_forest_info *info,
                                          const struct shw_object_paths *paths, const struct shw_log *log)
{
    const struct shw_object_picture picture = {results->labelling.argmax, results->labelling.distribution,
                                               results->width, results->height, info->class_count};
    struct shw_objects found;
    enum shw_result result = shw_objects_find(&picture, &export->settings, log, &found);

    if (result == SHW_OK)
        result = shw_object_files_write(paths, &found, info->classes, info->class_count, log);
    if (result == SHW_OK && export->has_table)
        shw_object_table_add(&export->table, name, files, &found, info->classes);
    shw_objects_free(&found);
    return result;
}
