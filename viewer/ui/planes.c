/* Which planes are shown as colours, and by which ranges. Part of the panel Pictures. */
#include <stdio.h>
#include <string.h>

#include "label/shown.h"
#include "teach/planes.h"
#include "ui/panel.h"

#define PLANES_SHOWN 256u /* in the choices; the action knows all */
#define LABEL_WIDTH  70.0f

struct choices {
    uint32_t count;
    char texts[PLANES_SHOWN][SHW_INPUT_NAME_SIZE];
    const char *names[PLANES_SHOWN];
};

static void list_planes(const struct view_picture *picture, struct choices *choices)
{
    const char *name;

    for (choices->count = 0; choices->count < PLANES_SHOWN; choices->count++) {
        char *text = choices->texts[choices->count];

        name = view_plane_name(picture, choices->count, text);
        if (name == NULL)
            return;
        choices->names[choices->count] = name;
    }
}

/* The number of the plane, which may be called otherwise; the count of choices: it is not there. */
static uint32_t find_choice(const struct view_picture *picture, const struct choices *choices, const char *name)
{
    const uint32_t number = shw_plane_list_find(&picture->planes, name);

    if (number < picture->planes.count)
        return number;
    for (uint32_t i = 0; i < choices->count; i++)
        if (strcmp(choices->names[i], name) == 0)
            return i;
    return choices->count;
}

static void run_shown(struct view_panel_context *context, const char *const names[3], uint32_t count)
{
    if (count == 1)
        view_panel_run(context, "planes show %s", names[0]);
    else
        view_panel_run(context, "planes show %s %s %s", names[0], names[1], names[2]);
}

/* Grey, or colours: with the first planes unless others were chosen. */
static void choose_kind(struct view_panel_context *context, const struct choices *choices,
                        const struct view_display_plane shown[3], uint32_t count, bool chosen)
{
    static const char *const kinds[] = {"automatic", "one plane", "three planes"};
    uint32_t kind = !chosen ? 0 : count == 1 ? 1 : 2, before = kind;

    view_ui_next_width(-LABEL_WIDTH);
    view_ui_combo("Shown", &kind, kinds, choices->count < 3 ? 2 : 3);
    view_panel_tip(context,
                   "planes of the file as colours on the screen; automatic: the colours that are read\n"
                   "what classes are learned from is chosen in the panel Teaching",
                   NULL);
    if (kind == before)
        return;
    if (kind == 0) {
        view_panel_run(context, "planes show auto");
    } else {
        const char *names[3];

        for (uint32_t i = 0; i < 3; i++)
            names[i] = i < count ? shown[i].name : choices->names[i < choices->count ? i : 0];
        run_shown(context, names, kind == 1 ? 1 : 3);
    }
}

/* The range of a plane, from the numbers that occur. */
static void range(struct view_panel_context *context, const struct view_picture *picture,
                  const struct view_display_plane *plane)
{
    const uint32_t input = view_picture_find_plane(picture, plane->name);
    const struct view_plane_numbers *numbers = &picture->numbers[input];
    const float width = numbers->greatest > numbers->least ? numbers->greatest - numbers->least : 1.0f;
    float low = plane->low, high = plane->high;
    bool automatic = !plane->chosen, changed;

    if (view_ui_toggle("Automatic##plane", &automatic)) {
        if (automatic)
            view_panel_run(context, "planes range %s auto", plane->name);
        else
            view_panel_run(context, "planes range %s %.9g %.9g", plane->name, (double)low,
                           (double)(high > low ? high : low + 1.0f));
    }
    view_panel_tip(context, "from 1 % to 99 % of the numbers that occur", NULL);
    view_ui_disabled_begin(automatic);
    view_ui_next_width(-LABEL_WIDTH);
    changed = view_ui_float_slider("Black##plane", &low, numbers->least - 0.5f * width,
                                   numbers->greatest + 0.5f * width, "%.5g");
    view_panel_tip(context, "the number that is shown as black; Ctrl and a click: type it", NULL);
    view_ui_next_width(-LABEL_WIDTH);
    changed = view_ui_float_slider("White##plane", &high, numbers->least - 0.5f * width,
                                   numbers->greatest + 0.5f * width, "%.5g") ||
              changed;
    view_panel_tip(context, "the number that is shown as white; Ctrl and a click: type it", NULL);
    view_ui_disabled_end();
    if (changed && low < high)
        view_panel_run(context, "planes range %s %.9g %.9g", plane->name, (double)low, (double)high);
}

void view_panel_planes(struct view_panel_context *context, struct view_teaching *teaching)
{
    static const char *const labels[] = {"Red##plane", "Green##plane", "Blue##plane"};
    const struct view_scene *scene = teaching->scene;
    const struct view_picture *picture = scene->picture;
    struct view_display_plane shown[3];
    static struct choices choices;
    uint32_t count;

    if (picture == NULL || !view_picture_has_planes(picture))
        return;
    list_planes(picture, &choices);
    count = view_display_find(&scene->display, picture, true, shown);
    view_ui_dim_text(choices.count == 1 ? "%u plane" : "%u planes", choices.count);
    choose_kind(context, &choices, shown, count, scene->display.planes.count > 0);
    for (uint32_t i = 0; i < count; i++) {
        const char *names[3] = {shown[0].name, count == 3 ? shown[1].name : NULL, count == 3 ? shown[2].name : NULL};
        uint32_t chosen = find_choice(picture, &choices, shown[i].name);
        const uint32_t before = chosen;

        view_ui_push_id(i);
        view_ui_next_width(-LABEL_WIDTH);
        view_ui_combo(count == 1 ? "Grey##plane" : labels[i], &chosen, choices.names, choices.count);
        view_panel_tip(context, "the plane that is shown so", NULL);
        if (chosen != before && chosen < choices.count) {
            names[i] = choices.names[chosen];
            run_shown(context, names, count);
        }
        if (shown[i].plane != NULL)
            range(context, picture, &shown[i]);
        else
            view_ui_dim_text("the picture has no such plane");
        view_ui_pop_id();
    }
    view_ui_disabled_begin(teaching->project.data == NULL || choices.count > SHW_CHANNELS_MAX);
    view_panel_button(context, "Teach on all planes", "planes teach",
                      "train the project on all planes of the picture, each as it is and smoothed", view_ui_width(),
                      false);
    view_ui_disabled_end();
}
