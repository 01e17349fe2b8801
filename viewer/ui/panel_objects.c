/* Objects of the shown picture: settings, counts, the largest ones, and their outlines over the picture. */
#include "ui/panel.h"

#include <math.h>
#include <stdio.h>

#include "label/classes.h"
#include "object/objects.h"

#define SLIDER_AREA  2000 /* pixels */
#define SLIDER_HOLES 2000
#define POINTS_MAX   4096u /* of a line that is drawn at once */
#define CLASSES_MAX  1024u /* in the list to choose from */
#define LABEL_WIDTH  86.0f /* points */
#define LIST_HEIGHT  150.0f

static void choose_class(struct view_panel_context *context, const struct view_objects *objects)
{
    const struct view_classes classes = view_scene_classes(objects->scene);
    uint32_t count = classes.count < CLASSES_MAX ? classes.count : CLASSES_MAX, chosen = 0;
    const char *names[CLASSES_MAX + 1] = {"all classes"};

    if (classes.list == NULL)
        count = 0;
    for (uint32_t c = 0; c < count; c++) {
        names[c + 1] = classes.list[c].name;
        if (objects->class_name != NULL && strcmp(objects->class_name, names[c + 1]) == 0)
            chosen = c + 1;
    }
    view_ui_next_width(-LABEL_WIDTH);
    if (view_ui_combo("class##objects", &chosen, names, count + 1)) {
        if (chosen == 0)
            view_panel_run(context, "objects-class all");
        else
            view_panel_run(context, "objects-class #%u", chosen - 1);
    }
    view_panel_tip(context, "the class whose connected pixels are objects", NULL);
}

static void settings(struct view_panel_context *context, const struct view_objects *objects)
{
    const struct shw_object_settings *chosen = &objects->settings;
    bool all = chosen->hole_max == SHW_OBJECT_HOLES_ALL;

    choose_class(context, objects);
    view_panel_slider(context, "smallest area", LABEL_WIDTH, (int)chosen->area_min, 0, SLIDER_AREA,
                      VIEW_OBJECTS_AREA_MAX, "%d px", "objects-area",
                      "smaller ones are not objects; Ctrl+click to enter a number");
    view_ui_disabled_begin(all);
    view_panel_slider(context, "holes to fill", LABEL_WIDTH, all ? SLIDER_HOLES : (int)chosen->hole_max, 0,
                      SLIDER_HOLES, VIEW_OBJECTS_AREA_MAX, all ? "all" : "%d px", "objects-holes",
                      "what an object encloses, up to this area");
    view_ui_disabled_end();
    view_panel_slider(context, "smoothing", LABEL_WIDTH, (int)chosen->smooth, 0, 16, (int)SHW_OBJECT_SMOOTH_MAX,
                      "%d px", "objects-smooth",
                      "first give each pixel the most frequent class around it, within this distance");
    if (view_ui_toggle("Fill all holes", &all))
        view_panel_run(context, "objects-holes %s", all ? "all" : "0");
    view_panel_tip(context, "whatever their area; with all classes, what a class encloses belongs to it", NULL);
    view_panel_toggle(context, "Corners connect", !chosen->four, "objects-corners",
                      "pixels that touch at corners only belong together");
}

static void tell_counts(const struct view_objects *objects)
{
    const struct view_found *found = objects->found;
    const struct shw_forest_info *info = view_objects_info(objects);
    static const char *const headers[] = {"class", "objects"};

    if (!view_ui_table_begin("##counts", 2, headers, found->class_count > 6 ? 130.0f : 0.0f))
        return;
    for (uint32_t c = 0; c < found->class_count; c++) {
        if (objects->class_name != NULL && strcmp(objects->class_name, info->classes[c].name) != 0)
            continue;
        view_ui_table_row();
        view_ui_table_cell();
        view_ui_text("%s", info->classes[c].name);
        view_ui_table_cell();
        view_ui_text("%u", found->counts[c]);
    }
    view_ui_table_end();
}

static const char *row_text(void *user, uint32_t index)
{
    const struct view_objects *objects = user;
    const struct view_found *found = objects->found;
    const struct shw_object *object = &found->objects.list[found->largest[index] - 1];
    static char text[320];

    snprintf(text, sizeof text, "%u: %s, %u px", found->largest[index],
             view_objects_info(objects)->classes[object->label].name, object->area);
    return text;
}

static void list_largest(struct view_panel_context *context, struct view_objects *objects)
{
    const struct view_found *found = objects->found;
    uint32_t chosen = 0, clicked;

    while (chosen < found->largest_count && found->largest[chosen] != objects->chosen)
        chosen++;
    if (found->largest_count < found->objects.count)
        view_ui_dim_text("the %u largest", found->largest_count);
    clicked = view_ui_long_list("##largest", LIST_HEIGHT, found->largest_count,
                                chosen < found->largest_count ? chosen : UINT32_MAX, row_text, objects);
    if (clicked != UINT32_MAX)
        view_panel_run(context, "object %u", found->largest[clicked]);
}

static void describe(const struct view_objects *objects, uint32_t number)
{
    const struct shw_objects *found = &objects->found->objects;
    const struct shw_object *object = &found->list[number - 1];
    struct shw_object_centre centre = shw_object_get_centre(object);

    view_ui_wrapped_text("Object %u: %s, %u px, perimeter %u px%s", number,
                         view_objects_info(objects)->classes[object->label].name, object->area, object->perimeter,
                         object->at_border ? ", touches the border" : "");
    view_ui_dim_text("%u x %u at %u, %u; centre %.1f, %.1f", object->width, object->height, object->x, object->y,
                     (double)centre.x / 1000, (double)centre.y / 1000);
    if (found->has_probability)
        view_ui_dim_text("mean probability %.3f", shw_object_get_probability(object) / 1e5);
}

static void exports(struct view_panel_context *context, const struct view_objects *objects)
{
    const struct view_objects_saving *saved = &objects->saving;

    if (view_ui_wide_button("Export objects...", view_ui_width(), false)) {
        view_panel_run(context, "export-sheet on");
        view_panel_run(context, "export-what objects");
    }
    view_panel_tip(context,
                   "write a table (CSV), outlines (GeoJSON) and images of numbers (PNG) of any pictures\n"
                   "the action objects-save writes those of the shown one",
                   NULL);
    if (saved->wanted || saved->running)
        view_ui_dim_text("being saved to %s", saved->folder);
    else if (saved->written)
        view_ui_dim_text("saved to %s", saved->folder);
}

static void tell_found(struct view_panel_context *context, struct view_objects *objects)
{
    uint32_t object = view_objects_below(objects);

    tell_counts(objects);
    list_largest(context, objects);
    object = object > 0 ? object : objects->chosen;
    if (object > 0)
        describe(objects, object);
    else
        view_ui_dim_text("Point at an object, or click on one with Move (P).");
    if (!objects->found->objects.has_probability)
        view_ui_dim_text("Probabilities are left out: the picture is large.");
    if (objects->found->without_outline > 0)
        view_ui_dim_text("%u small ones are not outlined.", objects->found->without_outline);
    exports(context, objects);
}

void view_panel_objects(struct view_panel_context *context, void *user)
{
    struct view_objects *objects = user;

    view_panel_toggle(context, "Find objects", objects->on, "objects",
                      "find connected pixels of a class, and draw their outlines");
    if (objects->on && objects->scene->forest != NULL && !view_objects_are_current(objects)) {
        view_ui_same_line(150.0f);
        view_ui_dim_text(view_player_info(objects->scene->player).playing ? "when it stops" : "searching");
    }
    settings(context, objects);
    if (objects->scene->forest == NULL)
        view_ui_wrapped_text("Open a forest (.ktx2), or train one: its labels have objects.");
    else if (objects->found != NULL)
        tell_found(context, objects);
}

/* Whether the object is on the canvas. */
static bool is_visible(const struct view_objects *objects, uint32_t number)
{
    const struct shw_object *object = &objects->found->objects.list[number - 1];
    const struct view_place *place = &objects->scene->place;
    const struct view_area *area = &objects->scene->area;
    double zoom = (double)place->zoom / VIEW_ZOOM_ONE;
    double left = object->x * zoom + (double)place->offset_x / VIEW_ZOOM_ONE;
    double top = object->y * zoom + (double)place->offset_y / VIEW_ZOOM_ONE;

    return left < area->x + (double)area->width && left + object->width * zoom > area->x &&
           top < area->y + (double)area->height && top + object->height * zoom > area->y;
}

/* A line in pieces. Corners that are less than a pixel of the canvas from the one before are left out. */
static void draw_outline(const struct view_objects *objects, const struct view_contour *outline,
                         const uint8_t colour[3], float opacity, float width)
{
    const struct view_place *place = &objects->scene->place;
    const float zoom = (float)place->zoom / VIEW_ZOOM_ONE, right = (float)place->offset_x / VIEW_ZOOM_ONE,
                down = (float)place->offset_y / VIEW_ZOOM_ONE;
    static float points[POINTS_MAX][2];
    uint32_t count = 0;

    for (uint32_t i = 0; i <= outline->count; i++) {
        const struct view_corner *corner = &objects->found->corners[outline->first + i % outline->count];
        float x = (float)corner->x * zoom + right, y = (float)corner->y * zoom + down;

        if (count > 0 && i < outline->count && fabsf(x - points[count - 1][0]) + fabsf(y - points[count - 1][1]) < 1.0f)
            continue;
        points[count][0] = x;
        points[count++][1] = y;
        if (count == POINTS_MAX) {
            view_ui_canvas_path((const float(*)[2])points, count, colour, opacity, width);
            points[0][0] = x;
            points[0][1] = y;
            count = 1;
        }
    }
    view_ui_canvas_path((const float(*)[2])points, count, colour, opacity, width);
}

void view_objects_outline(void *user)
{
    const struct view_objects *objects = user;
    const struct view_found *found = objects->found;
    static const uint8_t dark[3] = {0, 0, 0}, light[3] = {255, 255, 255};

    if (!objects->on || found == NULL || objects->scene->instead.on ||
        objects->shown.picture != objects->scene->picture_count)
        return;
    for (uint32_t i = 0; i < found->contour_count; i++) {
        const struct view_contour *outline = &found->contours[i];
        const uint16_t label = found->objects.list[outline->object - 1].label;
        bool chosen = outline->object == objects->chosen;
        uint8_t colour[3];

        if (!is_visible(objects, outline->object) || objects->scene->hidden[label])
            continue;
        view_shown_colour(objects->scene->colour_blind, view_objects_info(objects)->classes[label].colour, colour);
        draw_outline(objects, outline, dark, 0.8f, chosen ? 5.0f : 3.0f);
        draw_outline(objects, outline, chosen ? light : colour, 1.0f, chosen ? 3.0f : 1.0f);
    }
}
