#include "ui/panel.h"

#include <stdarg.h>
#include <string.h>

void view_panel_run(struct view_panel_context *context, const char *format, ...)
{
    char line[4096];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (context->line_count < VIEW_PANEL_LINES && (context->lines[context->line_count] = strdup(line)) != NULL)
        context->line_count++;
}

void view_panel_tip(const struct view_panel_context *context, const char *help, const char *line)
{
    const struct view_key *key = line != NULL ? view_key_find(context->actions, line) : NULL;

    if (help != NULL && key != NULL)
        view_ui_tooltip("%s  (%s)", help, key->key);
    else if (help != NULL || key != NULL)
        view_ui_tooltip("%s", help != NULL ? help : key->key);
}

void view_panel_button(struct view_panel_context *context, const char *label, const char *line, const char *help,
                       float width, bool chosen)
{
    if (view_ui_wide_button(label, width, chosen))
        view_panel_run(context, "%s", line);
    view_panel_tip(context, help, line);
}

void view_panel_slider(struct view_panel_context *context, const char *label, float room, int value, int low, int high,
                       const char *format, const char *action, const char *help)
{
    view_ui_next_width(-room);
    if (view_ui_int_slider(label, &value, low, high, format))
        view_panel_run(context, "%s %d", action, value);
    view_panel_tip(context, help, NULL);
}

void view_panel_toggle(struct view_panel_context *context, const char *label, bool on, const char *action,
                       const char *help)
{
    char line[64];

    if (view_ui_toggle(label, &on))
        view_panel_run(context, "%s %s", action, on ? "on" : "off");
    snprintf(line, sizeof line, "%s toggle", action);
    view_panel_tip(context, help, line);
}
