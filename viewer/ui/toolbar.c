/* The toolbar above the picture: what is used all the time, as icons. */
#include <stdio.h>
#include <string.h>

#include "object/objects.h"
#include "teach/teaching.h"
#include "teach/tools.h"
#include "ui/bars.h"
#include "ui/panels.h"

#define GAP      1.0f /* points */
#define PAD      3.0f /* above and below the tools */
#define SLIDER   62.0f
#define GROUP    5.0f /* on either side of the line between two groups */
#define HELP_MAX 400

struct toolbar {
    struct view_panel_context *context;
    const struct view_parts *parts;
    bool begun; /* there is something in it */
};

float view_toolbar_height(uint32_t rows)
{
    return 2.0f * PAD + (float)rows * VIEW_UI_ICON + (float)(rows - 1) * 3.0f;
}

/* The words, what they do, and the key. */
static void write_help(const struct toolbar *bar, const char *word, const char *help, const char *line,
                       char text[HELP_MAX])
{
    const struct view_key *key = view_key_find(bar->context->actions, line);

    if (key != NULL)
        snprintf(text, HELP_MAX, "%s (%s): %s", word, key->key, help);
    else
        snprintf(text, HELP_MAX, "%s: %s", word, help);
}

static void place(struct toolbar *bar, float width)
{
    if (bar->begun)
        view_ui_flow(width, GAP);
    bar->begun = true;
}

static void tool(struct toolbar *bar, enum view_ui_glyph glyph, const char *word, const char *help, const char *line,
                 bool chosen, bool possible)
{
    char text[HELP_MAX];

    write_help(bar, word, help, line, text);
    place(bar, view_ui_icon_width(word));
    if (view_ui_icon(glyph, word, chosen, possible, text))
        view_panel_run(bar->context, "%s", line);
}

/* A line between two groups; none where the next tool begins a row. */
static void end_group(struct toolbar *bar)
{
    view_ui_flow(2.0f * GROUP + VIEW_UI_ICON, GROUP);
    view_ui_bar_line();
    view_ui_same_line(0.0f);
    view_ui_gap(GROUP - 2.0f * GAP);
    bar->begun = true;
}

static void show_files(struct toolbar *bar)
{
    const struct view_parts *parts = bar->parts;
    const bool several = view_parts_have(parts, VIEW_NEEDS_PICTURES),
               project = view_parts_have(parts, VIEW_NEEDS_PROJECT), boxes = view_parts_have(parts, VIEW_NEEDS_BOXES),
               undoes = project || parts->teaching->hand == VIEW_HAND_RECTANGLE;

    tool(bar, VIEW_ICON_LEFT_COLUMN, "Left column", "pictures and settings of the view", "panels left toggle",
         view_panels_has_column(parts->panels, VIEW_SIDE_LEFT), true);
    tool(bar, VIEW_ICON_OPEN, "Open", "a picture, a folder, a video, a forest or a project", "browse", false, true);
    tool(bar, VIEW_ICON_SAVE, "Save", project || !boxes ? "the project" : "the table of rectangles",
         project || !boxes ? "save" : "rectangles-save", false, project || boxes);
    tool(bar, VIEW_ICON_BACK, "Previous picture", "of the folder, the data set or the video", "step back", false,
         several);
    tool(bar, VIEW_ICON_NEXT, "Next picture", "of the folder, the data set or the video", "step forward", false,
         several);
    end_group(bar);
    tool(bar, VIEW_ICON_UNDO, "Undo", "the last stroke or change of classes", "undo", false, undoes);
    tool(bar, VIEW_ICON_REDO, "Redo", "what was undone", "redo", false, undoes);
    end_group(bar);
}

static void show_hands(struct toolbar *bar)
{
    static const enum view_ui_glyph glyphs[VIEW_HAND_COUNT] = {VIEW_ICON_MOVE, VIEW_ICON_BRUSH,    VIEW_ICON_ERASER,
                                                               VIEW_ICON_FILL, VIEW_ICON_LASSO,    VIEW_ICON_POLYGON,
                                                               VIEW_ICON_WAND, VIEW_ICON_RECTANGLE};
    const bool project = view_parts_have(bar->parts, VIEW_NEEDS_PROJECT);
    char line[64];

    for (uint32_t hand = 0; hand < VIEW_HAND_COUNT; hand++) {
        const struct view_tool *entry = view_tools[hand];
        const bool free = hand == VIEW_HAND_PAN || hand == VIEW_HAND_RECTANGLE;
        snprintf(line, sizeof line, "hand %s", entry->name);
        tool(bar, glyphs[hand], entry->label, free || project ? entry->help : "needs a project: Ctrl+N begins one",
             line, (uint32_t)bar->parts->teaching->hand == hand, free || project);
    }
}

static void show_size(struct toolbar *bar)
{
    struct view_teaching *teaching = bar->parts->teaching;
    const struct view_size *size = view_tool_size(teaching);

    if (teaching->project.data == NULL)
        return;
    place(bar, SLIDER);
    view_ui_disabled_begin(view_tool_in_hand(teaching)->size == NULL);
    view_ui_next_width(SLIDER);
    view_ui_bar_frames_begin();
    view_panel_slider_of(bar->context, "##size", (int)size->radius, 0, 64, (int)SHW_STROKE_RADIUS_MAX, "%d px",
                         "radius", "radius of the brush or the eraser, in pixels; keys < and >, or Ctrl and the wheel");
    view_ui_bar_frames_end();
    view_ui_disabled_end();
    tool(bar, VIEW_ICON_SCREEN, "Screen",
         "the radius is in pixels of the screen, the same at any zoom; otherwise of the picture",
         size->screen ? "radius picture" : "radius screen", size->screen, view_tool_in_hand(teaching)->size != NULL);
}

static void show_overlays(struct toolbar *bar)
{
    static const enum view_ui_glyph glyphs[VIEW_MODE_COUNT] = {
        [VIEW_MODE_NONE] = VIEW_ICON_PICTURE,      [VIEW_MODE_ARGMAX] = VIEW_ICON_CLASSES,
        [VIEW_MODE_HEAT] = VIEW_ICON_HEAT,         [VIEW_MODE_BLEND] = VIEW_ICON_BLEND,
        [VIEW_MODE_ENTROPY] = VIEW_ICON_UNCERTAIN, [VIEW_MODE_TRUTH] = VIEW_ICON_TRUTH,
        [VIEW_MODE_ERRORS] = VIEW_ICON_ERRORS,     [VIEW_MODE_DEPTH] = VIEW_ICON_DEPTH};
    const struct view_scene *scene = bar->parts->scene;
    char line[64];

    for (uint32_t mode = 0; mode < VIEW_MODE_COUNT; mode++) {
        const struct view_overlay_kind *kind = &view_overlay_kinds[mode];
        if (kind->panel != VIEW_ON_OVERLAY_PANEL)
            continue;
        snprintf(line, sizeof line, "overlay %s", kind->name);
        tool(bar, glyphs[mode], kind->button, kind->tip, line, scene->settings.mode == mode,
             view_overlay_is_possible(scene, mode));
    }
}

static void show_looks(struct toolbar *bar)
{
    const struct view_parts *parts = bar->parts;
    const struct view_scene *scene = parts->scene;
    const bool labels = scene->forest != NULL;

    tool(bar, VIEW_ICON_SMOOTH, "Smooth", "labels up to the edges in the picture, or as the forest says them",
         "smoothing toggle", labels && view_scene_radius(scene) > 0 && !scene->smoothing.off, labels);
    tool(bar, VIEW_ICON_CONTOURS, "Contours", "contour lines between classes", "contours toggle",
         scene->settings.contours, true);
    tool(bar, VIEW_ICON_STROKES, "Strokes", "show or hide them", "strokes toggle",
         !parts->teaching->hide_strokes && parts->teaching->project.data != NULL,
         parts->teaching->project.data != NULL);
    place(bar, SLIDER);
    view_ui_next_width(SLIDER);
    view_ui_bar_frames_begin();
    view_panel_slider_of(bar->context, "##opacity", (int)scene->settings.opacity, 0, 100, 100, "%d %%", "opacity",
                         "opacity of the overlay; keys [ and ]");
    view_ui_bar_frames_end();
    end_group(bar);
    tool(bar, VIEW_ICON_FIT, "Fit", "the whole picture in the window", "zoom fit", scene->fitted,
         scene->picture != NULL);
    tool(bar, VIEW_ICON_PIXELS, "1 : 1", "pixel for pixel", "zoom 1", false, scene->picture != NULL);
    end_group(bar);
    tool(bar, VIEW_ICON_RIGHT_COLUMN, "Right column", "classes, the pixel under the mouse and training",
         "panels right toggle", view_panels_has_column(parts->panels, VIEW_SIDE_RIGHT), true);
}

uint32_t view_toolbar_show(struct view_panel_context *context, const struct view_parts *parts, float top, float height)
{
    struct toolbar bar = {.context = context, .parts = parts};
    float used;

    view_ui_window_begin(VIEW_UI_BAR, "tools", 0.0f, top, (float)context->frame.canvas.width, height, 1.0f);
    show_files(&bar);
    show_hands(&bar);
    show_size(&bar);
    end_group(&bar);
    show_overlays(&bar);
    end_group(&bar);
    show_looks(&bar);
    used = view_ui_height_used();
    view_ui_window_end();
    return (uint32_t)((used - PAD) / (VIEW_UI_ICON + 3.0f) + 0.5f);
}
