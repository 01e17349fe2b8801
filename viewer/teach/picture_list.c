#include "teach/picture_list.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "teach/project_file.h"

/* A name that a picture of the project may have in a source. */
struct known {
    char *path;
    uint32_t picture;
};

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct known *)a)->path, ((const struct known *)b)->path);
}

const char *view_picture_list_base(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

void view_picture_list_free(struct view_picture_list *list)
{
    free(list->of_entry);
    free(list->rows);
    free(list->strokes);
    free(list->classes);
    free(list->kept);
    *list = (struct view_picture_list){0};
}

static void free_known(struct known *known, uint32_t count)
{
    for (uint32_t i = 0; known != NULL && i < count; i++)
        free(known[i].path);
    free(known);
}

/* The pictures of the project by path; NULL if out of memory. */
static struct known *know_pictures(const struct view_project *project, uint32_t count)
{
    struct known *known = calloc(count + (size_t)1, sizeof *known);
    struct view_real_folder folder = {0};
    bool fine = known != NULL;

    for (uint32_t p = 0; fine && p < count; p++) {
        known[p] = (struct known){view_project_picture_place(project, p, &folder), p};
        fine = known[p].path != NULL;
    }
    view_real_folder_free(&folder);
    if (!fine) {
        free_known(known, count);
        return NULL;
    }
    qsort(known, count, sizeof *known, by_path);
    return known;
}

static void find_entries(struct view_picture_list *list, struct view_source *source, const struct known *known)
{
    struct view_real_folder folder = {0};

    for (uint32_t i = 0; i < list->count; i++) {
        const char *name = view_source_name(source, i);
        struct known wanted = {name != NULL ? view_real_place(name, &folder) : NULL, 0};
        const struct known *found = NULL;

        if (wanted.path != NULL && list->picture_count > 0)
            found = bsearch(&wanted, known, list->picture_count, sizeof *known, by_path);
        list->of_entry[i] = found != NULL ? found->picture : UINT32_MAX;
        free(wanted.path);
    }
    view_real_folder_free(&folder);
}

static bool mark_pictures(struct view_picture_list *list, struct shw_project *project)
{
    uint64_t *counts = calloc(list->class_count + (size_t)1, sizeof *counts);

    for (uint32_t p = 0; counts != NULL && p < list->picture_count; p++) {
        list->strokes[p] = shw_project_get_picture(project, p).stroke_count;
        list->kept[p] = shw_project_get_picture(project, p).kept;
        list->incomplete = list->incomplete || !shw_project_has_labels(project, p);
        if (list->strokes[p] == 0 || !shw_project_has_labels(project, p) ||
            shw_project_count_labels(project, p, counts) != SHW_OK)
            continue;
        for (uint32_t c = 0; c < list->class_count; c++)
            list->classes[(size_t)p * list->class_count + c] = counts[c] > 0;
    }
    free(counts);
    return counts != NULL;
}

/* False: out of memory. */
static bool make(struct view_picture_list *list, const struct view_player *player, const struct view_project *project)
{
    struct known *known;
    bool fine;

    list->picture_count = project->data != NULL ? shw_project_get_picture_count(project->data) : 0;
    list->class_count = project->data != NULL ? shw_project_get_class_count(project->data) : 0;
    list->of_entry = calloc(list->count + (size_t)1, sizeof *list->of_entry);
    list->rows = calloc(list->count + (size_t)1, sizeof *list->rows);
    list->strokes = calloc(list->picture_count + (size_t)1, sizeof *list->strokes);
    list->classes = calloc((size_t)list->picture_count * list->class_count + 1, sizeof *list->classes);
    list->kept = calloc(list->picture_count + (size_t)1, sizeof *list->kept);
    known = know_pictures(project, list->picture_count);
    fine = list->of_entry != NULL && list->rows != NULL && list->strokes != NULL && list->classes != NULL &&
           list->kept != NULL && known != NULL && mark_pictures(list, project->data);
    if (fine)
        find_entries(list, player->source, known);
    free_known(known, list->picture_count);
    return fine;
}

static bool has_name(const char *name, const char *part)
{
    size_t length = strlen(part);

    for (; strlen(name) >= length; name++) {
        size_t same = 0;
        while (same < length && tolower((unsigned char)name[same]) == tolower((unsigned char)part[same]))
            same++;
        if (same == length)
            return true;
    }
    return false;
}

static bool lets_through(const struct view_picture_list *list, struct view_source *source, uint32_t entry)
{
    const char *name = list->name[0] != '\0' ? view_source_name(source, entry) : NULL;
    uint32_t strokes;
    const bool *classes = view_picture_list_marks(list, entry, &strokes);

    if (list->name[0] != '\0' && (name == NULL || !has_name(view_picture_list_base(name), list->name)))
        return false;
    switch (list->filter) {
    case VIEW_LIST_ALL: break;
    case VIEW_LIST_PAINTED: return strokes > 0;
    case VIEW_LIST_UNPAINTED: return strokes == 0;
    case VIEW_LIST_KEPT: return view_picture_list_is_kept(list, entry);
    case VIEW_LIST_CLASS:
        return classes != NULL && list->class_number < list->class_count && classes[list->class_number];
    }
    return true;
}

static void choose_rows(struct view_picture_list *list, struct view_source *source)
{
    list->row_count = 0;
    for (uint32_t i = 0; i < list->count; i++)
        if (lets_through(list, source, i))
            list->rows[list->row_count++] = i;
    list->stale = false;
}

static bool has_all_labels(const struct shw_project *project)
{
    for (uint32_t p = 0; p < shw_project_get_picture_count(project); p++)
        if (!shw_project_has_labels(project, p))
            return false;
    return true;
}

void view_picture_list_update(struct view_picture_list *list, const struct view_player *player,
                              const struct view_project *project)
{
    const uint32_t count = view_player_info(player).count;
    struct view_picture_list made = {.filter = list->filter, .class_number = list->class_number, .count = count};

    if (project->data != NULL && shw_project_is_painting(project->data))
        return;
    made.made.opened = player->opened;
    made.made.project = project->data;
    made.made.revision = project->data != NULL ? shw_project_get_revision(project->data) : 0;
    made.made.saved = project->saved;
    if (list->count != count || (list->incomplete && has_all_labels(project->data)) ||
        memcmp(&list->made, &made.made, sizeof made.made) != 0) {
        memcpy(made.name, list->name, sizeof made.name);
        if (!make(&made, player, project)) {
            view_picture_list_free(&made);
            made = (struct view_picture_list){.made = made.made};
        }
        view_picture_list_free(list);
        *list = made;
        list->stale = true;
    }
    if (list->stale)
        choose_rows(list, player->source);
}

uint32_t view_picture_list_row(const struct view_picture_list *list, uint32_t entry)
{
    uint32_t low = 0, high = list->row_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (list->rows[middle] < entry)
            low = middle + 1;
        else
            high = middle;
    }
    return low < list->row_count && list->rows[low] == entry ? low : UINT32_MAX;
}

const bool *view_picture_list_marks(const struct view_picture_list *list, uint32_t entry, uint32_t *strokes)
{
    uint32_t picture = entry < list->count ? list->of_entry[entry] : UINT32_MAX;

    *strokes = picture < list->picture_count ? list->strokes[picture] : 0;
    return picture < list->picture_count ? list->classes + (size_t)picture * list->class_count : NULL;
}

bool view_picture_list_is_kept(const struct view_picture_list *list, uint32_t entry)
{
    uint32_t picture = entry < list->count ? list->of_entry[entry] : UINT32_MAX;

    return picture < list->picture_count && list->kept[picture];
}
