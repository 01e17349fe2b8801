#include "ui/panel_objects_kinds.h"

#include <stdio.h>
#include <string.h>

#include "files/project/project_objects.h"

#define LABEL_WIDTH 92.0f /* points */
#define LISTED_MAX  256u

/* How many objects of the shown picture have an object class. */
static uint32_t count_kind(const struct view_found *found, uint32_t number)
{
    uint32_t count = 0;

    for (uint32_t n = 0; found != NULL && n < found->objects.count; n++)
        count += found->objects.list[n].kind == number + 1;
    return count;
}

/* By number of the object class. */
static void count_taught(const struct shw_project *project, uint32_t counts[SHW_OBJECT_CLASSES_MAX])
{
    for (uint32_t e = 0; e < shw_project_get_example_count(project); e++) {
        const struct shw_object_example example = shw_project_get_example(project, e);

        if (example.counts && example.number != UINT32_MAX)
            counts[example.number]++;
    }
}

static void kind_row(struct view_panel_context *context, const struct view_objects *objects, uint32_t number,
                     uint32_t taught)
{
    const struct view_kinds *kinds = &objects->kinds;
    const struct shw_project_class *kind = view_kinds_get(kinds, number);
    char label[400];
    uint8_t colour[3];

    memcpy(colour, kind->colour, sizeof colour);
    view_ui_push_id(number);
    if (view_ui_colour("##colour", colour))
        view_panel_run(context, "object-colour #%u #%02x%02x%02x", number, colour[0], colour[1], colour[2]);
    view_ui_same_line(0.0f);
    if (kinds->forest != NULL)
        snprintf(label, sizeof label, "%s: %u, %u taught", kind->name, count_kind(objects->found, number), taught);
    else
        snprintf(label, sizeof label, "%s: %u taught", kind->name, taught);
    if (view_ui_row(label, kinds->hand == number))
        view_panel_run(context, kinds->hand == number ? "object-hand none" : "object-hand #%u", number);
    view_panel_tip(context, "take it in hand, then click on objects that are of it", NULL);
    view_ui_pop_id();
}

static void kind_fields(struct view_panel_context *context, struct view_kinds *kinds)
{
    view_ui_next_width(-1.0f);
    kinds->teaching->scene->redraw = kinds->teaching->scene->redraw || kinds->more;
    view_ui_focus(&kinds->more);
    if (view_ui_text_field("##object-class", kinds->add, sizeof kinds->add, "name of a new object class", false) &&
        kinds->add[0] != '\0') {
        view_panel_run(context, "add-object-class %s", kinds->add);
        kinds->add[0] = '\0';
        kinds->more = true;
    }
    if (kinds->hand >= view_kinds_count(kinds))
        return;
    view_ui_next_width(-LABEL_WIDTH);
    if (view_ui_text_field("rename##object-class", kinds->rename, sizeof kinds->rename,
                           view_kinds_get(kinds, kinds->hand)->name, false) &&
        kinds->rename[0] != '\0') {
        view_panel_run(context, "rename-object-class #%u %s", kinds->hand, kinds->rename);
        kinds->rename[0] = '\0';
    }
}

/* What is to be done next, until objects are told apart. */
static void advise(const struct view_kinds *kinds)
{
    if (view_kinds_count(kinds) < 2)
        view_ui_wrapped_text("Tell objects apart: enter the names of two object classes, as round and long.");
    else if (kinds->forest == NULL && !kinds->running)
        view_ui_wrapped_text("Choose an object class, and click on objects of it; then the other.");
}

static void choose_shown(struct view_panel_context *context, const struct view_objects *objects)
{
    const char *names[LISTED_MAX + 1] = {"all objects"};
    uint32_t count = view_kinds_count(&objects->kinds), chosen = 0;

    count = count < LISTED_MAX ? count : LISTED_MAX;
    for (uint32_t k = 0; k < count; k++) {
        names[k + 1] = view_kinds_get(&objects->kinds, k)->name;
        if (objects->kind_name != NULL && strcmp(objects->kind_name, names[k + 1]) == 0)
            chosen = k + 1;
    }
    view_ui_next_width(-LABEL_WIDTH);
    if (view_ui_combo("shown##objects", &chosen, names, count + 1)) {
        if (chosen == 0)
            view_panel_run(context, "objects-show all");
        else
            view_panel_run(context, "objects-show #%u", chosen - 1);
    }
    view_panel_tip(context, "show, list and export only objects of one object class", NULL);
}

void view_panel_object_classes(struct view_panel_context *context, struct view_objects *objects)
{
    struct view_kinds *kinds = &objects->kinds;
    const uint32_t count = view_kinds_count(kinds);
    uint32_t taught[SHW_OBJECT_CLASSES_MAX] = {0};
    char line[64];

    if (kinds->teaching->project.data == NULL)
        return;
    view_ui_heading("Object classes");
    count_taught(kinds->teaching->project.data, taught);
    for (uint32_t number = 0; number < count; number++)
        kind_row(context, objects, number, taught[number]);
    advise(kinds);
    kind_fields(context, kinds);
    if (count == 0)
        return;
    snprintf(line, sizeof line, "delete-object-class #%u", kinds->hand);
    view_panel_buttons(context,
                       (const struct view_panel_item[]){
                           {"Forget", "object-hand forget", "clicked objects are taught no longer",
                            kinds->hand == VIEW_FORGET_KIND, false},
                           {"Choose", "object-hand none", "clicks choose objects", kinds->hand == VIEW_NO_KIND, false},
                           {"Delete", line, "delete the object class in hand", false, kinds->hand >= count}},
                       3);
    if (kinds->forest == NULL)
        return;
    choose_shown(context, objects);
    view_ui_next_width(-LABEL_WIDTH);
    if (view_ui_text_field("save forest##objects", kinds->file, sizeof kinds->file, "objects.ktx2", false) &&
        kinds->file[0] != '\0')
        view_panel_run(context, "object-forest %s", kinds->file);
    view_panel_tip(context, "write the forest that tells objects apart, for the program records", NULL);
}
