#include "export/export_settings.h"

#include <stdlib.h>
#include <string.h>

const char *const view_export_picture_names[VIEW_EXPORT_PICTURES] = {"all", "shown", "project", "source", "list"};
const char *const view_export_existing_names[VIEW_EXPORT_EXISTING] = {"check", "replace", "missing"};

struct view_export_text view_export_content_text(uint32_t number)
{
    static const struct view_export_text others[] = {
        {"forest", "Forest", "the forest that is shown, as a file for shadewood and other programs"},
        {"videos", "Overlay videos",
         "NAME_overlay.mkv of each video in a list, or of the whole source: its frames under the colours of the "
         "classes"},
        {"objects", "Objects",
         "objects.csv, a table; NAME_objects.geojson, outlines for QuPath; NAME_instances.png, numbers: with the "
         "settings of the panel Objects"}};

    if (number >= SHW_LABEL_OUTPUT_COUNT)
        return others[number - SHW_LABEL_OUTPUT_COUNT];
    return (struct view_export_text){shw_label_outputs[number]->name, shw_label_outputs[number]->title,
                                     shw_label_outputs[number]->tip};
}

/* Whether it is the name of an offered content. */
static bool is_content(uint32_t number, const char *text, size_t length)
{
    const struct view_export_text known = view_export_content_text(number);

    return known.title != NULL && strlen(known.name) == length && memcmp(known.name, text, length) == 0;
}

unsigned view_export_parse_content(const char *text, size_t length)
{
    const char *end = text + length;
    unsigned content = 0;

    while (text <= end) {
        const char *comma = memchr(text, ',', (size_t)(end - text)), *stop = comma != NULL ? comma : end;
        uint32_t k = 0;

        while (k < VIEW_EXPORT_CONTENTS && !is_content(k, text, (size_t)(stop - text)))
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
