/* Objects of the shown picture: settings, counts, the largest ones, and their outlines over the picture. */
#include "ui/panel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "files/project/project_objects.h"
#include "label/classes.h"
#include "object/objects.h"
#include "ui/panel_objects_kinds.h"
#include "ui/scale_bar.h"

#define SLIDER_AREA  2000 /* pixels */
#define SLIDER_HOLES 2000
#define POINTS_MAX   4096u /* of a line that is drawn at once */
#define CLASSES_MAX  1024u /* in the list to choose from */
#define LABEL_WIDTH  92.0f /* points */
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

/* "120 px", with its area in units if the size of pixels is known. */
static void write_area(const struct view_objects *objects, uint32_t pixels, char *text, size_t size)
{
    const double side = view_objects_pixel_side(objects);
    char area[SHW_LENGTH_TEXT_SIZE];

    shw_area_write(pixels * side * side, 3, area);
    if (side > 0.0)
        snprintf(text, size, "%s, %u px", area, pixels);
    else
        snprintf(text, size, "%u px", pixels);
}

/* "12 x 9 px", or in units. */
static void write_extent(const struct view_objects *objects, const struct shw_object *object,
                         char text[2 * SHW_LENGTH_TEXT_SIZE + 32])
{
    const double side = view_objects_pixel_side(objects);
    char width[SHW_LENGTH_TEXT_SIZE], height[SHW_LENGTH_TEXT_SIZE];

    shw_length_write(object->width * side, 3, width);
    shw_length_write(object->height * side, 3, height);
    if (side > 0.0)
        snprintf(text, 2 * SHW_LENGTH_TEXT_SIZE + 32, "%s x %s", width, height);
    else
        snprintf(text, 2 * SHW_LENGTH_TEXT_SIZE + 32, "%u x %u px", object->width, object->height);
}

static void units(struct view_panel_context *context, struct view_objects *objects)
{
    const struct shw_pixel_size size = view_objects_pixel_size(objects);
    const double side = view_objects_pixel_side(objects);
    char text[SHW_LENGTH_TEXT_SIZE] = "not known";

    if (side > 0.0)
        shw_length_write(side, 4, text);
    view_ui_dim_text("pixel size: %s%s", text,
                     side > 0.0 && shw_pixel_size_is_of_files(&size) && objects->scene->picture->pixel_side > 0.0
                         ? ", from the file"
                         : "");
    view_ui_next_width(-LABEL_WIDTH);
    if (view_ui_text_field("pixel size##field", objects->size_field, sizeof objects->size_field, "0.65 um", false) &&
        objects->size_field[0] != '\0')
        view_panel_run(context, "pixel-size %s", objects->size_field);
    view_panel_tip(context,
                   "of all pictures: a length with its unit: nm, um, mm, cm, m\n"
                   "file: what each picture's file states; file or 0.65 um: else that\n"
                   "none: everything in pixels",
                   NULL);
    view_panel_toggle(
        context, "Scale bar", objects->scale_bar, "scale-bar",
        "over the picture, and in snapshots, exported overlays and recordings;\nneeds the size of pixels");
}

static void settings(struct view_panel_context *context, struct view_objects *objects)
{
    const struct shw_object_settings *chosen = &objects->settings;
    bool all = chosen->hole_max == SHW_OBJECT_HOLES_ALL;

    choose_class(context, objects);
    view_panel_slider(context, "smallest area", LABEL_WIDTH, (int)chosen->area_min, 0, SLIDER_AREA,
                      VIEW_OBJECTS_AREA_MAX, "%d px", "objects-area",
                      "smaller regions are not objects; Ctrl+click to enter a number");
    view_panel_slider(context, "largest area", LABEL_WIDTH, (int)chosen->area_max, 0, 10 * SLIDER_AREA,
                      VIEW_OBJECTS_AREA_MAX, chosen->area_max == 0 ? "any" : "%d px", "objects-area-max",
                      "larger regions are not objects; 0: any; Ctrl+click to enter a number");
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
    units(context, objects);
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
    const struct shw_object *object = &found->objects.list[found->listed[index] - 1];
    const struct shw_object_columns columns = view_objects_columns(objects);
    static char text[640];
    char area[80];

    write_area(objects, object->area, area, sizeof area);
    snprintf(text, sizeof text, "%u: %s, %s", found->listed[index],
             object->kind > 0 && object->kind <= columns.kind_count
                 ? columns.kinds[object->kind - 1].name
                 : view_objects_info(objects)->classes[object->label].name,
             area);
    return text;
}

static void list_largest(struct view_panel_context *context, struct view_objects *objects)
{
    const struct view_found *found = objects->found;
    uint32_t chosen = 0, clicked;

    while (chosen < found->listed_count && found->listed[chosen] != objects->chosen)
        chosen++;
    if (found->shown_count < found->objects.count)
        view_ui_dim_text("%u of %u objects: %s", found->shown_count, found->objects.count, objects->kind_name);
    if (found->listed_count < found->shown_count)
        view_ui_dim_text("the %u largest", found->listed_count);
    clicked = view_ui_long_list("##largest", LIST_HEIGHT, found->listed_count,
                                chosen < found->listed_count ? chosen : UINT32_MAX, row_text, objects);
    if (clicked != UINT32_MAX)
        view_panel_run(context, "object %u", found->listed[clicked]);
}

static void describe(const struct view_objects *objects, uint32_t number)
{
    const struct shw_objects *found = &objects->found->objects;
    const struct shw_object *object = &found->list[number - 1];
    const struct shw_object_columns columns = view_objects_columns(objects);
    const double side = view_objects_pixel_side(objects);
    struct shw_object_centre centre = shw_object_get_centre(object);
    char area[80], extent[2 * SHW_LENGTH_TEXT_SIZE + 32], length[SHW_LENGTH_TEXT_SIZE];

    write_area(objects, object->area, area, sizeof area);
    shw_length_write(object->perimeter * side, 3, length);
    view_ui_wrapped_text("Object %u: %s, %s, perimeter %s%s%u px%s", number,
                         view_objects_info(objects)->classes[object->label].name, area, side > 0.0 ? length : "",
                         side > 0.0 ? ", " : "", object->perimeter, object->at_border ? ", touches the border" : "");
    if (object->kind > 0 && object->kind <= columns.kind_count)
        view_ui_wrapped_text("%s, probability %.2f", columns.kinds[object->kind - 1].name,
                             object->kind_probability / 1e5);
    write_extent(objects, object, extent);
    view_ui_dim_text("%s at %u, %u; centre %.1f, %.1f", extent, object->x, object->y, (double)centre.x / 1000,
                     (double)centre.y / 1000);
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
        view_ui_same_line(0.0f);
        view_ui_dim_text(view_player_info(objects->scene->player).playing ? "when it stops" : "searching");
    }
    view_panel_object_classes(context, objects);
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

/* The colour of an object: that of its object class, or of its class. */
static void choose_colour(const struct view_objects *objects, const struct shw_object *object, uint8_t colour[3])
{
    const struct shw_object_columns columns = view_objects_columns(objects);
    const bool told = object->kind > 0 && object->kind <= columns.kind_count;
    const uint8_t *own = told && object->kind <= view_kinds_count(&objects->kinds)
                             ? view_kinds_get(&objects->kinds, object->kind - 1u)->colour
                             : view_objects_info(objects)->classes[object->label].colour;

    if (told)
        memcpy(colour, own, 3);
    else
        view_shown_colour(objects->scene->colour_blind, own, colour);
}

/* Rings on the objects that are taught, in the colour that they were taught. */
static void mark_taught(const struct view_objects *objects)
{
    const struct view_kinds *kinds = &objects->kinds;
    const struct view_place *place = &objects->scene->place;
    const float zoom = (float)place->zoom / VIEW_ZOOM_ONE;
    static const uint8_t dark[3] = {0, 0, 0};
    const struct shw_project *project = kinds->teaching->project.data;

    for (uint32_t e = 0; project != NULL && e < shw_project_get_example_count(project); e++) {
        const struct shw_object_example example = shw_project_get_example(project, e);
        float x = ((float)example.x + 0.5f) * zoom + (float)place->offset_x / VIEW_ZOOM_ONE;
        float y = ((float)example.y + 0.5f) * zoom + (float)place->offset_y / VIEW_ZOOM_ONE;

        if (!example.counts || example.number == UINT32_MAX || example.picture != kinds->teaching->painting.picture)
            continue;
        view_ui_canvas_circle(x, y, 4.0f, dark, 0.9f, 6.0f);
        view_ui_canvas_circle(x, y, 4.0f, view_kinds_get(kinds, example.number)->colour, 1.0f, 3.0f);
    }
}

/* Area and extent of the chosen object over it, if they are known in units. */
static void measure_chosen(const struct view_objects *objects)
{
    static const uint8_t dark[3] = {0, 0, 0}, light[3] = {255, 255, 255};
    const struct view_place *place = &objects->scene->place;
    const double side = view_objects_pixel_side(objects), zoom = (double)place->zoom / VIEW_ZOOM_ONE;
    const struct shw_object *object;
    char text[3 * SHW_LENGTH_TEXT_SIZE + 40], extent[2 * SHW_LENGTH_TEXT_SIZE + 32], area[SHW_LENGTH_TEXT_SIZE];

    if (objects->chosen == 0 || !(side > 0.0) || !view_objects_shows(objects, objects->chosen))
        return;
    object = &objects->found->objects.list[objects->chosen - 1];
    shw_area_write(object->area * side * side, 3, area);
    write_extent(objects, object, extent);
    snprintf(text, sizeof text, "%s, %s", area, extent);
    view_ui_canvas_text((float)(object->x * zoom + (double)place->offset_x / VIEW_ZOOM_ONE),
                        (float)(object->y * zoom + (double)place->offset_y / VIEW_ZOOM_ONE) - 4.0f, text, light, dark);
}

static void outline_objects(const struct view_objects *objects)
{
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
        float width;

        if (!is_visible(objects, outline->object) || !view_objects_shows(objects, outline->object) ||
            objects->scene->hidden[label])
            continue;
        width = found->objects.list[outline->object - 1].kind > 0 ? 2.5f : 1.0f;
        choose_colour(objects, &found->objects.list[outline->object - 1], colour);
        draw_outline(objects, outline, dark, 0.8f, (chosen ? 4.0f : 2.0f) + width);
        draw_outline(objects, outline, chosen ? light : colour, 1.0f, chosen ? 2.0f + width : width);
    }
    mark_taught(objects);
    measure_chosen(objects);
}

void view_objects_outline(void *user)
{
    const struct view_objects *objects = user;

    outline_objects(objects);
    if (objects->scale_bar)
        view_scale_bar_draw(objects);
}
