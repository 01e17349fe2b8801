/* Actions for exports. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "action/action.h"
#include "base/log.h"
#include "export/exporting.h"

#define CONTENT                                                                                                        \
    "labels, masks, probabilities, overlays, strokes, forest, videos, objects, separated by commas, and a folder"

static const struct shw_log *log_of(const struct view_exporting *exporting)
{
    return &exporting->teaching->scene->log;
}

/* WHAT PATH. */
static enum shw_result parse(const struct view_exporting *exporting, const char *argument, unsigned *content,
                             const char **path)
{
    size_t length = strcspn(argument, " \t");

    *path = argument + length + strspn(argument + length, " \t");
    *content = view_export_parse_content(argument, length);
    return *content != 0 && **path != '\0' ? SHW_OK : view_action_refuse(log_of(exporting), CONTENT, argument);
}

static enum shw_result start(void *user, const char *argument)
{
    struct view_exporting *exporting = user;
    const char *path;
    unsigned content;

    SHW_PROPAGATE(parse(exporting, argument, &content, &path));
    return view_exporting_begin(exporting, content, path);
}

static enum shw_result export_and_wait(void *user, const char *argument)
{
    struct view_exporting *exporting = user;

    SHW_PROPAGATE(start(exporting, argument));
    exporting->awaited = true;
    return SHW_OK;
}

static enum shw_result count(void *user, const char *argument)
{
    struct view_exporting *exporting = user;
    const char *path;
    unsigned content;

    SHW_PROPAGATE(parse(exporting, argument, &content, &path));
    SHW_PROPAGATE(view_exporting_count(exporting, content, path, log_of(exporting)));
    exporting->tells = exporting->awaited = true;
    return SHW_OK;
}

static enum shw_result stop(void *user, const char *argument)
{
    (void)argument;
    view_exporting_stop(user);
    return SHW_OK;
}

/* The number of a name in a list. */
static bool find(const char *text, const char *const *names, uint32_t count, uint32_t *number)
{
    for (*number = 0; *number < count; ++*number)
        if (strcmp(text, names[*number]) == 0)
            return true;
    return false;
}

static enum shw_result choose_pictures(void *user, const char *argument)
{
    struct view_exporting *exporting = user;
    uint32_t number;

    if (!find(argument, view_export_picture_names, VIEW_EXPORT_PICTURES, &number))
        return view_action_refuse(log_of(exporting), "all, shown, project, source or list", argument);
    exporting->settings.pictures = (enum view_export_pictures)number;
    return SHW_OK;
}

static enum shw_result choose_existing(void *user, const char *argument)
{
    struct view_exporting *exporting = user;
    uint32_t number;

    if (!find(argument, view_export_existing_names, VIEW_EXPORT_EXISTING, &number))
        return view_action_refuse(log_of(exporting), "check, replace or missing", argument);
    exporting->settings.existing = (enum view_export_existing)number;
    return SHW_OK;
}

static enum shw_result choose_probabilities(void *user, const char *argument)
{
    const struct shw_label_output_traits *probabilities = shw_label_outputs[SHW_LABEL_OUTPUT_PROBABILITIES];
    struct view_exporting *exporting = user;
    uint32_t number;

    if (!find(argument, probabilities->choices + 1, probabilities->form_count, &number))
        return view_action_refuse(log_of(exporting), "png, tiff or npy", argument);
    exporting->settings.probabilities = 1 + number;
    return SHW_OK;
}

static enum shw_result calibrate(void *user, const char *argument)
{
    struct view_exporting *exporting = user;

    return view_parse_switch(log_of(exporting), argument, &exporting->settings.calibrated);
}

static enum shw_result add(void *user, const char *argument)
{
    struct view_exporting *exporting = user;

    if (!shw_image_paths_add(&exporting->settings.list, "", argument))
        return shw_fail_memory(log_of(exporting), argument);
    exporting->settings.pictures = VIEW_EXPORT_LIST;
    return SHW_OK;
}

static enum shw_result drop(void *user, const char *argument)
{
    struct view_exporting *exporting = user;
    struct shw_image_paths *list = &exporting->settings.list;
    uint32_t number;

    if (strcmp(argument, "all") == 0) {
        shw_image_paths_free(list);
        *list = (struct shw_image_paths){0};
        return SHW_OK;
    }
    if (!find(argument, (const char *const *)list->paths, list->count, &number))
        return view_action_refuse(log_of(exporting), "in the list of pictures to export", argument);
    free(list->paths[number]);
    memmove(list->paths + number, list->paths + number + 1, (list->count - number - 1) * sizeof *list->paths);
    list->count--;
    return SHW_OK;
}

static enum shw_result switch_sheet(void *user, const char *argument)
{
    struct view_exporting *exporting = user;

    bool open = exporting->sheet.open;

    SHW_PROPAGATE(view_parse_switch(log_of(exporting), argument, &open));
    view_exporting_open_sheet(exporting, open);
    return SHW_OK;
}

/* What the sheet exports, without doing it. */
static enum shw_result choose_content(void *user, const char *argument)
{
    struct view_exporting *exporting = user;
    unsigned content = view_export_parse_content(argument, strlen(argument));

    if (content == 0)
        return view_action_refuse(log_of(exporting), CONTENT, argument);
    exporting->sheet.content = content;
    return SHW_OK;
}

/* now, later or no. */
static enum shw_result answer(void *user, const char *argument)
{
    struct view_exporting *exporting = user;

    if (!exporting->asks_to_quit)
        return shw_fail(log_of(exporting), SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there is no question to answer");
    if (strcmp(argument, "now") != 0 && strcmp(argument, "later") != 0 && strcmp(argument, "no") != 0)
        return view_action_refuse(log_of(exporting), "now, later or no", argument);
    exporting->quits = strcmp(argument, "no") != 0;
    if (strcmp(argument, "now") == 0)
        view_exporting_stop(exporting);
    exporting->asks_to_quit = false;
    return SHW_OK;
}

static const struct view_action actions[] = {
    {"export", "WHAT PATH",
     "write labels, masks, probabilities, overlays, strokes, videos or objects (or several: labels,overlays) of the "
     "chosen pictures to a folder; or forest FILE.ktx2; scripts wait for the end",
     export_and_wait},
    {"export-start", "WHAT PATH", "the same in the background; `wait export` waits for the end", start},
    {"export-stop", NULL, "stop the export; complete files stay", stop},
    {"export-count", "WHAT PATH", "print how many files an export would write, and how many of them exist", count},
    {"export-of", "all|shown|project|source|list",
     "choose the pictures to export; all: those of the project and its source", choose_pictures},
    {"export-add", "FILE",
     "add a picture, folder, data set, project or video to the list of those to export, and choose it", add},
    {"export-drop", "FILE|all", "remove it from this list", drop},
    {"export-existing", "check|replace|missing",
     "what becomes of files that exist: replace those that Shadewood wrote and refuse others, replace all, or write "
     "only those that are missing or that another forest or other settings made",
     choose_existing},
    {"export-probabilities", "png|tiff|npy", "choose the format of probabilities", choose_probabilities},
    {"export-calibrated", "on|off|toggle",
     "apply the calibration that the forest's file stores to exported probabilities, also those of objects", calibrate},
    {"export-sheet", "on|off|toggle", "choose what to export, and where to", switch_sheet},
    {"export-what", "WHAT", "choose what this exports", choose_content},
    {"export-answer", "now|later|no", "answer whether to quit while an export is in progress", answer},
    {0}};

static const struct view_key keys[] = {{"Ctrl+E", "export-sheet toggle", "export"}, {0}};

const struct view_action_group view_export_group = {"Export", actions, keys};
