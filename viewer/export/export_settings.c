#include "export/export_settings.h"

#include <stdlib.h>
#include <string.h>

const char *const view_export_content_names[VIEW_EXPORT_CONTENTS] = {"labels",  "masks",  "probabilities", "overlays",
                                                                     "strokes", "forest", "videos",        "objects"};
const char *const view_export_picture_names[VIEW_EXPORT_PICTURES] = {"all", "shown", "project", "source", "list"};
const char *const view_export_existing_names[VIEW_EXPORT_EXISTING] = {"check", "replace", "missing"};

unsigned view_export_parse_content(const char *text, size_t length)
{
    const char *end = text + length;
    unsigned content = 0;

    while (text <= end) {
        const char *comma = memchr(text, ',', (size_t)(end - text)), *stop = comma != NULL ? comma : end;
        uint32_t k = 0;

        while (k < VIEW_EXPORT_CONTENTS && (strlen(view_export_content_names[k]) != (size_t)(stop - text) ||
                                            memcmp(view_export_content_names[k], text, (size_t)(stop - text)) != 0))
            k++;
        if (k == VIEW_EXPORT_CONTENTS)
            return 0;
        content |= 1u << k;
        text = stop + 1;
    }
    return content;
}

static void free_entry(struct view_export_folders *folders, uint32_t number)
{
    free(folders->list[number].project);
    free(folders->list[number].folder);
}

/* The number of the entry of a project; the count if there is none. */
static uint32_t find(const struct view_export_folders *folders, const char *project)
{
    uint32_t number = 0;

    while (number < folders->count && strcmp(folders->list[number].project, project) != 0)
        number++;
    return number;
}

void view_export_folders_note(struct view_export_folders *folders, const char *project, const char *folder)
{
    char *real_project = project != NULL ? realpath(project, NULL) : strdup(""), *real = realpath(folder, NULL);
    uint32_t number;

    if (real_project == NULL || real == NULL) {
        free(real_project);
        free(real);
        return;
    }
    number = find(folders, real_project);
    if (number == VIEW_EXPORT_FOLDERS)
        number--;
    if (number < folders->count)
        free_entry(folders, number);
    else
        folders->count++;
    memmove(folders->list + 1, folders->list, number * sizeof *folders->list);
    folders->list[0].project = real_project;
    folders->list[0].folder = real;
}

const char *view_export_folders_find(const struct view_export_folders *folders, const char *project)
{
    char *real = project != NULL ? realpath(project, NULL) : strdup("");
    uint32_t number = real != NULL ? find(folders, real) : folders->count;

    free(real);
    return number < folders->count ? folders->list[number].folder : NULL;
}

void view_export_folders_free(struct view_export_folders *folders)
{
    for (uint32_t i = 0; i < folders->count; i++)
        free_entry(folders, i);
    folders->count = 0;
}
