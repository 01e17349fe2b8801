/* What the dialog knows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/exporting.h"
#include "files/io/image_name.h"

/* A folder beside the project's file, like photos-export for photos.json. */
static void propose_folder(const struct view_exporting *exporting, char *folder, size_t size)
{
    const char *project = exporting->teaching->project.path;
    const char *last = view_export_folders_find(exporting->folders, project), *slash;
    char name[SHW_BASE_NAME_SIZE];

    if (last == NULL && project == NULL)
        last = "export";
    if (last != NULL) {
        snprintf(folder, size, "%s", last);
        return;
    }
    slash = strrchr(project, '/');
    snprintf(folder, size, "%.*s%s-export", slash != NULL ? (int)(slash + 1 - project) : 0, project,
             shw_image_base_name(project, name));
}

void view_exporting_open_sheet(struct view_exporting *exporting, bool open)
{
    struct view_export_sheet *sheet = &exporting->sheet;

    if (open && !sheet->open)
        propose_folder(exporting, sheet->folder, sizeof sheet->folder);
    sheet->open = open;
    sheet->focus = false;
    sheet->counted = 0;
}

void view_exporting_sheet_path(const struct view_exporting *exporting, char path[VIEW_EXPORT_PATH])
{
    const struct view_export_sheet *sheet = &exporting->sheet;
    const char *project = exporting->teaching->project.path;
    char name[SHW_BASE_NAME_SIZE];

    if (sheet->content == VIEW_EXPORT_FOREST)
        snprintf(path, VIEW_EXPORT_PATH, "%s/%s.ktx2", sheet->folder,
                 shw_image_base_name(project != NULL ? project : "forest", name));
    else
        snprintf(path, VIEW_EXPORT_PATH, "%s", sheet->folder);
}

static uint64_t add_hash(uint64_t hash, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* Of all that the number of files depends on; never 0. */
static uint64_t hash_settings(const struct view_exporting *exporting)
{
    const struct view_export_settings *settings = &exporting->settings;
    const struct view_scene *scene = exporting->teaching->scene;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    hash = add_hash(hash, &exporting->sheet.content, sizeof exporting->sheet.content);
    hash = add_hash(hash, &settings->pictures, sizeof settings->pictures);
    hash = add_hash(hash, &settings->probabilities, sizeof settings->probabilities);
    hash = add_hash(hash, &scene->forest, sizeof scene->forest);
    hash = add_hash(hash, &scene->picture_count, sizeof scene->picture_count);
    for (uint32_t i = 0; i < settings->list.count; i++)
        hash = add_hash(hash, settings->list.paths[i], strlen(settings->list.paths[i]) + 1);
    return add_hash(hash, exporting->sheet.folder, strlen(exporting->sheet.folder)) | 1;
}

/* Instead of a log: the last reason why files cannot be counted. It comes from the
 * thread, and is read when that has ended. */
static void keep_trouble(void *user, enum shw_log_level level, enum shw_log_item item, const char *text)
{
    struct view_export_sheet *sheet = user;

    (void)level, (void)item;
    snprintf(sheet->trouble, sizeof sheet->trouble, "%s", text);
}

void view_exporting_poll_sheet(struct view_exporting *exporting)
{
    struct view_export_sheet *sheet = &exporting->sheet;
    const struct shw_log log = {keep_trouble, sheet, SHW_LOG_ERROR};
    char path[VIEW_EXPORT_PATH];
    uint64_t hash;

    if (!sheet->open || exporting->job != NULL || (hash = hash_settings(exporting)) == sheet->counted)
        return;
    sheet->counted = hash;
    sheet->trouble[0] = '\0';
    exporting->counted = (struct view_export_progress){.count = 0};
    view_exporting_sheet_path(exporting, path);
    if (view_exporting_count(exporting, sheet->content, path, &log) != SHW_OK)
        exporting->awaited = false;
    exporting->teaching->scene->redraw = true;
}

void view_exporting_await(struct view_exporting *exporting)
{
    exporting->awaited =
        exporting->job != NULL || (exporting->sheet.open && hash_settings(exporting) != exporting->sheet.counted);
}
