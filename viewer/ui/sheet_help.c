/* All keys, and the functions of the mouse. */
#include "ui/sheets.h"

static const struct {
    const char *what, *help;
} mouse[] = {{"Drag", "move the picture or the wipe line; use the tool in hand"},
             {"Right drag", "erase with the tool in hand"},
             {"Shift", "straight lines with brush and eraser"},
             {"Middle drag", "move the picture"},
             {"Wheel", "zoom around the cursor; with Ctrl: radius of the brush"},
             {"Ctrl+click", "enter a number in a slider"},
             {"Drop a file", "open it"}};

static void row(const char *key, const char *help)
{
    view_ui_table_row();
    view_ui_table_cell();
    view_ui_text("%s", key);
    view_ui_table_cell();
    view_ui_wrapped_text("%s", help);
}

static void group(const struct view_action_group *shown)
{
    view_ui_heading(shown->title);
    if (!view_ui_key_table_begin(shown->title))
        return;
    for (const struct view_key *key = shown->keys; key->key != NULL; key++)
        if (key->help != NULL)
            row(key->key, key->help);
    view_ui_table_end();
    view_ui_space();
}

static uint32_t rows_of(const struct view_action_group *shown)
{
    uint32_t count = 0;

    for (const struct view_key *key = shown->keys; key->key != NULL; key++)
        count += key->help != NULL;
    return count > 0 ? count + 3 : 0; /* with the title and spacing */
}

/* Distributes groups to columns of about the same height. */
static void columns(const struct view_action_entry *next, uint32_t count)
{
    uint32_t rows = sizeof mouse / sizeof *mouse + 3, before = 0;

    for (const struct view_action_entry *entry = next; entry->group != NULL; entry++)
        rows += rows_of(entry->group);
    for (uint32_t c = 0; c < count; c++) {
        view_ui_column_begin(c, count);
        for (; next->group != NULL && (c + 1 == count || before + rows_of(next->group) / 2 < (c + 1) * rows / count);
             next++) {
            before += rows_of(next->group);
            if (rows_of(next->group) > 0)
                group(next->group);
        }
        if (c + 1 == count) {
            view_ui_heading("Mouse");
            if (view_ui_key_table_begin("Mouse")) {
                for (uint32_t i = 0; i < sizeof mouse / sizeof *mouse; i++)
                    row(mouse[i].what, mouse[i].help);
                view_ui_table_end();
            }
        }
        view_ui_column_end();
    }
}

/* Functions of the window itself, which have no action. */
static void show_window(struct view_panel_context *context)
{
    static const char *const names[] = {"as the display", "75 %", "100 %", "125 %", "150 %", "200 %", "300 %"};
    static const float factors[] = {0.0f, 0.75f, 1.0f, 1.25f, 1.5f, 2.0f, 3.0f};
    uint32_t chosen = UINT32_MAX;

    for (uint32_t i = 0; i < sizeof factors / sizeof *factors; i++)
        if (context->frame.chosen_scale == factors[i])
            chosen = i;
    view_ui_next_width(140.0f);
    if (view_ui_combo("Text size", &chosen, names, sizeof names / sizeof *names)) {
        if (chosen == 0)
            view_panel_run(context, "scale auto");
        else
            view_panel_run(context, "scale %g", (double)factors[chosen]);
    }
    view_ui_same_line(320.0f);
    view_panel_toggle(context, "Vertical sync", context->frame.vsync, "vsync", "synchronise frames with the display");
    view_ui_separator();
}

bool view_sheet_help(struct view_panel_context *context)
{
    float scale = view_ui_scale(context->ui);
    bool open = true;

    if (!view_ui_sheet_begin("Help", 880.0f * scale, 640.0f * scale, &open))
        return open;
    show_window(context);
    columns(context->actions, (float)context->frame.canvas.width >= 860.0f * scale ? 3 : 2);
    view_ui_sheet_end();
    return open;
}
