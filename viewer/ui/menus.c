/* The menus: one table of the actions that they offer. */
#include <stdio.h>
#include <string.h>

#include "annotate/annotating.h"
#include "detect/detecting.h"
#include "detect/tracking.h"
#include "inspect/inspect.h"
#include "object/objects.h"
#include "record/recorder.h"
#include "teach/teaching.h"
#include "teach/tools.h"
#include "ui/bars.h"
#include "ui/panels.h"

static bool contours(const struct view_parts *parts)
{
    return parts->scene->settings.contours;
}

static bool smooths(const struct view_parts *parts)
{
    return view_scene_radius(parts->scene) > 0 && !parts->scene->smoothing.off;
}

static bool compares(const struct view_parts *parts)
{
    return parts->scene->comparison.on;
}

static bool colour_blind(const struct view_parts *parts)
{
    return parts->scene->colour_blind;
}

static bool strokes(const struct view_parts *parts)
{
    return !parts->teaching->hide_strokes;
}

static bool fitted(const struct view_parts *parts)
{
    return parts->scene->fitted;
}

static bool plays(const struct view_parts *parts)
{
    return view_player_info(parts->scene->player).playing;
}

static bool trains(const struct view_parts *parts)
{
    struct view_train_status status = {.stopped = true};

    if (parts->teaching->project.data != NULL)
        view_train_worker_get_status(parts->teaching->worker, &status);
    return !status.stopped;
}

static bool kept(const struct view_parts *parts)
{
    const uint32_t picture = parts->teaching->painting.picture;

    return parts->teaching->project.data != NULL && picture != UINT32_MAX &&
           shw_project_get_picture(parts->teaching->project.data, picture).kept;
}

static bool explains(const struct view_parts *parts)
{
    return parts->inside->inspect.on;
}

static bool shows_texture(const struct view_parts *parts)
{
    return parts->scene->instead.on;
}

static bool finds_objects(const struct view_parts *parts)
{
    return parts->objects->on;
}

static bool detects(const struct view_parts *parts)
{
    return parts->detecting->on;
}

static bool tracks(const struct view_parts *parts)
{
    return parts->tracking->on;
}

static bool compares_boxes(const struct view_parts *parts)
{
    return parts->detecting->compared;
}

static bool shows_boxes(const struct view_parts *parts)
{
    return !parts->annotating->hidden;
}

static bool records(const struct view_parts *parts)
{
    return view_recorder_is_on(parts->recorder);
}

static bool left_shown(const struct view_parts *parts)
{
    return view_panels_has_column(parts->panels, VIEW_SIDE_LEFT);
}

static bool right_shown(const struct view_parts *parts)
{
    return view_panels_has_column(parts->panels, VIEW_SIDE_RIGHT);
}

static bool shows_icons(const struct view_parts *parts)
{
    (void)parts;
    return view_ui_has_icons();
}

#define LINE                                                                                                           \
    {                                                                                                                  \
        NULL, "-", 0, NULL                                                                                             \
    }
#define END                                                                                                            \
    {                                                                                                                  \
        NULL, NULL, 0, NULL                                                                                            \
    }
#define PICTURE    VIEW_NEEDS_PICTURE
#define PICTURES   VIEW_NEEDS_PICTURES
#define FOREST     VIEW_NEEDS_FOREST
#define PROJECT    VIEW_NEEDS_PROJECT
#define RECTANGLES VIEW_NEEDS_BOXES
#define RECORDING  VIEW_NEEDS_RECORDING
#define COPIES     VIEW_NEEDS_COPIES

static const struct view_menu_entry file[] = {{"Open ...", "browse", 0, NULL},
                                              {"New project", "project new", 0, NULL},
                                              {"Add pictures to the project ...", "browse pictures", PROJECT, NULL},
                                              {"Close the project", "project close", PROJECT, NULL},
                                              LINE,
                                              {"Save", "save", PROJECT, NULL},
                                              {"Save as ...", "save-as", PROJECT, NULL},
                                              {"Recover unsaved work ...", "recover ask", COPIES, NULL},
                                              LINE,
                                              {"Import ...", "browse import", PROJECT, NULL},
                                              {"Export ...", "export-sheet toggle", 0, NULL},
                                              {"Snapshot", "snapshot", PICTURE, NULL},
                                              {"Screenshot of the window", "screenshot shadewood-viewer.png", 0, NULL},
                                              {"Record a video", "record on", PICTURE, records},
                                              {"End the recording", "record off", RECORDING, NULL},
                                              LINE,
                                              {"Quit", "leave", 0, NULL},
                                              END};

static const struct view_menu_entry edit[] = {{"Undo", "undo", 0, NULL},
                                              {"Redo", "redo", 0, NULL},
                                              LINE,
                                              {"Move", "hand pan", 0, NULL},
                                              {"Brush", "hand brush", PROJECT, NULL},
                                              {"Eraser", "hand eraser", PROJECT, NULL},
                                              {"Fill", "hand fill", PROJECT, NULL},
                                              {"Lasso", "hand lasso", PROJECT, NULL},
                                              {"Polygon", "hand polygon", PROJECT, NULL},
                                              {"Wand", "hand wand", PROJECT, NULL},
                                              {"Rectangle", "hand rectangle", 0, NULL},
                                              LINE,
                                              {"Larger brush", "radius +2", PROJECT, NULL},
                                              {"Smaller brush", "radius -2", PROJECT, NULL},
                                              {"Brush in pixels of the screen", "radius screen", PROJECT, NULL},
                                              {"Brush in pixels of the picture", "radius picture", PROJECT, NULL},
                                              END};

static const struct view_menu_entry view[] = {
    {"Picture alone", "overlay none", 0, NULL},
    {"Classes", "overlay argmax", 0, NULL},
    {"Heat: one class", "overlay heat", 0, NULL},
    {"Blend of all classes", "overlay blend", 0, NULL},
    {"Uncertainty", "overlay entropy", 0, NULL},
    {"Ground truth", "overlay truth", 0, NULL},
    {"Errors", "overlay errors", 0, NULL},
    {"Depth", "overlay depth", 0, NULL},
    LINE,
    {"Contours", "contours toggle", 0, contours},
    {"Smooth labels", "smoothing toggle", FOREST, smooths},
    {"Before and after smoothing", "compare-smoothing toggle", FOREST, compares},
    {"Strokes", "strokes toggle", 0, strokes},
    {"More opaque", "opacity +10", 0, NULL},
    {"More transparent", "opacity -10", 0, NULL},
    {"Colours for colour-blind people", "colour-blind toggle", 0, colour_blind},
    LINE,
    {"Whole picture", "zoom fit", PICTURE, fitted},
    {"Pixel for pixel", "zoom 1", PICTURE, NULL},
    {"Zoom in", "zoom in", PICTURE, NULL},
    {"Zoom out", "zoom out", PICTURE, NULL},
    LINE,
    {"Previous picture", "step back", PICTURES, NULL},
    {"Next picture", "step forward", PICTURES, NULL},
    {"Play", "play toggle", PICTURES, plays},
    END};

static const struct view_menu_entry teach[] = {
    {"Train", "teach toggle", PROJECT, trains},
    {"Previous forest, and back", "restore", PROJECT, NULL},
    LINE,
    {"Most uncertain place", "uncertain", FOREST | PICTURE, NULL},
    {"Most uncertain picture", "uncertain picture", FOREST | PICTURES, NULL},
    {"Keep this picture for testing", "keep-for-test toggle", PROJECT | PICTURE, kept},
    LINE,
    {"Add a feature or channel from a text ...", "browse code", 0, NULL},
    LINE,
    {"Next class", "class next", 0, NULL},
    {"Find a class ...", "find-class", 0, NULL},
    {"Show all classes", "visible all on", 0, NULL},
    {"Hide all classes", "visible all off", 0, NULL},
    LINE,
    {"Explain pixels", "inspect toggle", FOREST, explains},
    {"Keep the explained pixel", "inspect stay", FOREST, NULL},
    {"The forest's texture", "texture toggle", FOREST, shows_texture},
    END};

static const struct view_menu_entry objects[] = {
    {"Find objects", "objects toggle", FOREST, finds_objects},
    LINE,
    {"Draw rectangles", "hand rectangle", 0, NULL},
    {"New table of rectangles", "rectangles new", 0, NULL},
    {"Save rectangles", "rectangles-save", RECTANGLES, NULL},
    {"Save rectangles as ...", "rectangles-save-as", RECTANGLES, NULL},
    {"Recover unsaved rectangles ...", "rectangles-recover ask", COPIES, NULL},
    {"Show rectangles", "rectangles-shown toggle", 0, shows_boxes},
    {"Delete the chosen rectangle", "rectangle-delete", RECTANGLES, NULL},
    LINE,
    {"Open a cascade ...", "browse cascade", 0, NULL},
    {"Open another cascade ...", "browse another-cascade", 0, NULL},
    {"Train a detector", "detect-train", RECTANGLES, NULL},
    {"Detect", "detect toggle", 0, detects},
    {"Track detections", "track toggle", 0, tracks},
    {"Compare detections with rectangles", "detect-compare toggle", 0, compares_boxes},
    {"Accept all detections", "detect-accept all", 0, NULL},
    END};

static const struct view_menu_entry panels[] = {{"All panels", "panels toggle", 0, NULL},
                                                {"Left column", "panels left toggle", 0, left_shown},
                                                {"Right column", "panels right toggle", 0, right_shown},
                                                LINE,
                                                END};

static const struct view_menu_entry help[] = {{"Keys and text size", "help toggle", 0, NULL},
                                              {"Icons instead of words", "icons toggle", 0, shows_icons},
                                              {"Close messages", "close", 0, NULL},
                                              LINE,
                                              {"Text size 100 %", "scale 1", 0, NULL},
                                              {"Text size 150 %", "scale 1.5", 0, NULL},
                                              {"Text size 200 %", "scale 2", 0, NULL},
                                              {"Text size of the display", "scale auto", 0, NULL},
                                              END};

const struct view_menu view_menus[] = {{"File", file, false},   {"Edit", edit, false},       {"View", view, false},
                                       {"Teach", teach, false}, {"Objects", objects, false}, {"Panels", panels, true},
                                       {"Help", help, false},   {NULL, NULL, false}};

bool view_parts_have(const struct view_parts *parts, unsigned needs)
{
    const struct view_scene *scene = parts->scene;
    const struct view_source_info info = view_player_info(scene->player);

    return ((needs & VIEW_NEEDS_PICTURE) == 0 || scene->picture != NULL) &&
           ((needs & VIEW_NEEDS_PICTURES) == 0 || info.count > 1 || info.kind == VIEW_SOURCE_VIDEO ||
            info.kind == VIEW_SOURCE_CAMERA) &&
           ((needs & VIEW_NEEDS_FOREST) == 0 || scene->forest != NULL) &&
           ((needs & VIEW_NEEDS_PROJECT) == 0 || parts->teaching->project.data != NULL) &&
           ((needs & VIEW_NEEDS_BOXES) == 0 || parts->annotating->work.boxes.picture_count > 0) &&
           ((needs & VIEW_NEEDS_RECORDING) == 0 || view_recorder_is_on(parts->recorder)) &&
           ((needs & VIEW_NEEDS_COPIES) == 0 || parts->teaching->autosave != NULL);
}

bool view_parts_can(const struct view_parts *parts, const char *line, unsigned needs)
{
    return view_parts_have(parts, needs) &&
           (strncmp(line, "overlay ", 8) != 0 || view_overlay_is_possible(parts->scene, view_overlay_find(line + 8)));
}

bool view_parts_are(const struct view_parts *parts, const char *line)
{
    if (strncmp(line, "overlay ", 8) == 0)
        return parts->scene->settings.mode == view_overlay_find(line + 8);
    if (strncmp(line, "hand ", 5) == 0)
        return strcmp(view_tool_in_hand(parts->teaching)->name, line + 5) == 0;
    return false;
}

static void show_entry(struct view_panel_context *context, const struct view_parts *parts,
                       const struct view_menu_entry *entry)
{
    const struct view_key *key = view_key_find(context->actions, entry->line);
    const bool chosen = entry->chosen != NULL ? entry->chosen(parts) : view_parts_are(parts, entry->line);

    if (view_ui_menu_item(entry->label, key != NULL ? key->key : NULL, chosen,
                          view_parts_can(parts, entry->line, entry->needs)))
        view_panel_run(context, "%s", entry->line);
}

/* One entry per panel, as the program lists them. */
static void show_panels(struct view_panel_context *context, const struct view_parts *parts)
{
    const struct view_panel *list = parts->panels->params.list;
    char line[64];

    for (uint32_t p = 0; list[p].name != NULL; p++) {
        const struct view_key *key;
        snprintf(line, sizeof line, "panel %s toggle", list[p].name);
        key = view_key_find(context->actions, line);
        if (view_ui_menu_item(list[p].title, key != NULL ? key->key : NULL, parts->panels->shown[p], true))
            view_panel_run(context, "%s", line);
    }
}

void view_menus_show(struct view_panel_context *context, const struct view_parts *parts, float height)
{
    if (!view_ui_menus_begin(height))
        return;
    for (const struct view_menu *menu = view_menus; menu->title != NULL; menu++) {
        if (!view_ui_menu_begin(menu->title))
            continue;
        for (const struct view_menu_entry *entry = menu->entries; entry->line != NULL; entry++)
            if (entry->label == NULL)
                view_ui_separator();
            else
                show_entry(context, parts, entry);
        if (menu->panels)
            show_panels(context, parts);
        view_ui_menu_end();
    }
    view_ui_menus_end();
}
