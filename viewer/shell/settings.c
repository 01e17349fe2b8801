#include "shell/settings.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <jansson.h>

#include "base/atomic_file.h"
#include "base/log.h"
#include "files/io/file_bytes.h"
#include "source/browser.h"

#define FORMAT    "shadewood-viewer-settings"
#define VERSION   1
#define PLACE_MAX 32768

static char *usual_path(void)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    char path[PATH_MAX];
    int length = -1;

    if (config != NULL && config[0] == '/')
        length = snprintf(path, sizeof path, "%s/shadewood/viewer.json", config);
    else if (home != NULL && home[0] == '/')
        length = snprintf(path, sizeof path, "%s/.config/shadewood/viewer.json", home);
    return length > 0 && length < PATH_MAX ? strdup(path) : NULL;
}

static bool is_recent(const char *line)
{
    static const char *const actions[] = {"open ", "forest ", "project ", "detect-open ", "rectangles "};
    bool known = false;

    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        known = known || (strncmp(line, actions[i], strlen(actions[i])) == 0 && line[strlen(actions[i])] != '\0');
    for (const char *c = line; *c != '\0'; c++)
        known = known && (unsigned char)*c >= ' ' && *c != 0x7f;
    return known && strlen(line) < VIEW_SETTINGS_LINE;
}

static bool read_number(const json_t *object, const char *key, json_int_t low, json_int_t high, json_int_t *number)
{
    const json_t *value = json_object_get(object, key);

    *number = json_integer_value(value);
    return json_is_integer(value) && *number >= low && *number <= high;
}

static void read_window(const json_t *window, struct view_settings *settings)
{
    json_int_t x, y, width, height;

    if (!read_number(window, "x", -PLACE_MAX, PLACE_MAX, &x) || !read_number(window, "y", -PLACE_MAX, PLACE_MAX, &y) ||
        !read_number(window, "width", 64, VIEW_SETTINGS_SIDE_MAX, &width) ||
        !read_number(window, "height", 64, VIEW_SETTINGS_SIDE_MAX, &height))
        return;
    settings->window.x = (int32_t)x;
    settings->window.y = (int32_t)y;
    settings->window.width = (uint32_t)width;
    settings->window.height = (uint32_t)height;
}

static const char *const tool_names[] = {"brush", "eraser"};

/* Both or none. */
static void read_sizes(const json_t *tools, struct view_settings *settings)
{
    json_int_t radius;

    settings->sizes_known = true;
    for (int t = 0; t < 2; t++) {
        const json_t *tool = json_object_get(tools, tool_names[t]), *screen = json_object_get(tool, "screen");
        settings->sizes_known = settings->sizes_known && json_is_boolean(screen) &&
                                read_number(tool, "radius", 0, SHW_STROKE_RADIUS_MAX, &radius);
        if (settings->sizes_known)
            settings->sizes[t] = (struct view_size){(uint32_t)radius, json_is_true(screen)};
    }
}

static void read_scale(const json_t *scale, struct view_settings *settings)
{
    double number = json_number_value(scale);

    if (number >= VIEW_SCALE_MIN && number <= VIEW_SCALE_MAX)
        settings->scale = (float)number;
}

/* "shown" or "folded"; anything else: the usual state. */
static const char *const column_states[] = {
    [VIEW_COLUMN_AUTO] = "auto", [VIEW_COLUMN_SHOWN] = "shown", [VIEW_COLUMN_FOLDED] = "folded"};
static const char *const column_keys[VIEW_SIDES] = {"left-column", "right-column"};

/* The number of the text in the list; `count`: it is none of them. */
static int find_text(const json_t *text, const char *const *list, int count)
{
    int number = 0;

    while (number < count && (!json_is_string(text) || strcmp(json_string_value(text), list[number]) != 0))
        number++;
    return number;
}

static void read_panels(const json_t *panels, struct view_settings *settings)
{
    const char *name;
    json_t *panel;

    settings->panels_off = json_is_false(json_object_get(panels, "on"));
    for (int side = 0; side < VIEW_SIDES; side++) {
        double width = json_number_value(json_object_get(panels, view_side_names[side]));
        if (width >= VIEW_COLUMN_LEAST && width <= VIEW_COLUMN_MOST)
            settings->columns[side] = (float)width;
        settings->column_states[side] = (enum view_column_state)(
            find_text(json_object_get(panels, column_keys[side]), column_states, VIEW_COLUMN_FOLDED + 1) %
            (VIEW_COLUMN_FOLDED + 1));
    }
    json_object_foreach(json_object_get(panels, "panels"), name, panel)
    {
        uint32_t number = settings->panel_count;
        if (number == VIEW_PANELS_MAX)
            break;
        if (strlen(name) >= sizeof settings->panels[number].name || !json_is_boolean(json_object_get(panel, "shown")) ||
            !json_is_boolean(json_object_get(panel, "open")))
            continue;
        strcpy(settings->panels[number].name, name);
        settings->panels[number].shown = json_is_true(json_object_get(panel, "shown"));
        settings->panels[number].open = json_is_true(json_object_get(panel, "open"));
        settings->panels[number].side =
            (enum view_side)find_text(json_object_get(panel, "side"), view_side_names, VIEW_SIDES);
        settings->panel_count++;
    }
}

static enum shw_result read_recent(const json_t *recent, const json_t *times, const struct shw_log *log,
                                   struct view_settings *settings)
{
    const json_t *line;
    size_t i;

    json_array_foreach(recent, i, line)
    {
        if (settings->recent_count == VIEW_RECENTS)
            break;
        if (!json_is_string(line) || json_string_length(line) != strlen(json_string_value(line)) ||
            !is_recent(json_string_value(line)))
            continue;
        settings->recent[settings->recent_count] = strdup(json_string_value(line));
        if (settings->recent[settings->recent_count] == NULL)
            return shw_fail_memory(log, "the settings");
        if (json_integer_value(json_array_get(times, i)) > 0)
            settings->recent_times[settings->recent_count] = json_integer_value(json_array_get(times, i));
        settings->recent_count++;
    }
    return SHW_OK;
}

static bool is_path(const json_t *text)
{
    return json_is_string(text) && json_string_length(text) == strlen(json_string_value(text)) &&
           json_string_length(text) < VIEW_SETTINGS_LINE;
}

/* The latest is the first, and so noted last. */
static void read_exports(const json_t *exports, struct view_settings *settings)
{
    size_t count = json_array_size(exports);

    for (size_t i = count < VIEW_EXPORT_FOLDERS ? count : VIEW_EXPORT_FOLDERS; i-- > 0;) {
        const json_t *entry = json_array_get(exports, i), *project = json_object_get(entry, "project"),
                     *folder = json_object_get(entry, "folder");
        if (is_path(project) && is_path(folder))
            view_export_folders_note(&settings->exports,
                                     *json_string_value(project) != '\0' ? json_string_value(project) : NULL,
                                     json_string_value(folder));
    }
}

static void leave_alone(struct view_settings *settings)
{
    free(settings->path);
    settings->path = NULL;
}

enum shw_result view_settings_load(const char *path, const struct shw_log *log, struct view_settings *settings)
{
    struct shw_file_bytes text;
    json_t *root = NULL;
    json_int_t version;
    enum shw_result result = SHW_OK;

    memset(settings, 0, sizeof *settings);
    settings->path = path != NULL ? strdup(path) : usual_path();
    if (settings->path == NULL)
        return path != NULL ? shw_fail_memory(log, "the settings") : SHW_OK;
    if (shw_file_bytes_read(settings->path, SHW_TEXT_FILE_MAX, NULL, &text) != SHW_OK) {
        if (access(settings->path, F_OK) != 0)
            return SHW_OK;
        shw_log_message(log, SHW_LOG_WARNING, SHW_LOG_FILE_READ,
                        "%s cannot be read as settings of this program, and is left unchanged", settings->path);
        leave_alone(settings);
        return SHW_OK;
    }
    root = json_loadb(shw_skip_byte_order_mark(text.bytes, &text.size), text.size, 0, NULL);
    if (!json_is_string(json_object_get(root, "format")) ||
        strcmp(json_string_value(json_object_get(root, "format")), FORMAT) != 0 ||
        !read_number(root, "version", 1, INT_MAX, &version)) {
        bool named = path != NULL && text.size > 0; /* possibly by mistake */
        shw_log_message(log, SHW_LOG_WARNING, SHW_LOG_FILE_READ, "%s is not a settings file of this program, and %s",
                        settings->path, named ? "is left unchanged" : "is ignored");
        if (named)
            leave_alone(settings);
    } else if (version > VERSION) {
        shw_log_message(log, SHW_LOG_WARNING, SHW_LOG_FILE_READ,
                        "%s was written by a later version of this program, and is left unchanged", settings->path);
        leave_alone(settings);
    } else {
        read_window(json_object_get(root, "window"), settings);
        read_scale(json_object_get(root, "scale"), settings);
        read_sizes(json_object_get(root, "tools"), settings);
        read_panels(json_object_get(root, "panels"), settings);
        settings->colour_blind = json_is_true(json_object_get(root, "colour-blind"));
        read_exports(json_object_get(root, "exports"), settings);
        result = read_recent(json_object_get(root, "recent"), json_object_get(root, "recent-times"), log, settings);
    }
    json_decref(root);
    shw_file_bytes_free(&text);
    if (result != SHW_OK)
        view_settings_free(settings);
    return result;
}

/* Paths that are not UTF-8 are left out. */
static json_t *pack_exports(const struct view_export_folders *exports)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < exports->count; i++)
        json_array_append_new(
            list, json_pack("{s:s, s:s}", "project", exports->list[i].project, "folder", exports->list[i].folder));
    return list;
}

static json_t *pack_sizes(const struct view_size sizes[2])
{
    json_t *tools = json_object();

    for (int t = 0; t < 2; t++)
        json_object_set_new(tools, tool_names[t],
                            json_pack("{s:i, s:b}", "radius", (int)sizes[t].radius, "screen", sizes[t].screen));
    return tools;
}

static json_t *pack(const struct view_settings *settings)
{
    json_t *recent = json_array(), *times = json_array(), *panels = json_object();
    json_t *root = json_pack("{s:s, s:i, s:{s:b, s:O}, s:b, s:O, s:O}", "format", FORMAT, "version", VERSION, "panels",
                             "on", !settings->panels_off, "panels", panels, "colour-blind", settings->colour_blind,
                             "recent", recent, "recent-times", times);

    for (uint32_t i = 0; i < settings->recent_count; i++)
        if (json_array_append_new(recent, json_string(settings->recent[i])) == 0) /* invalid UTF-8 is omitted */
            json_array_append_new(times, json_integer(settings->recent_times[i]));
    for (uint32_t i = 0; i < settings->panel_count; i++)
        json_object_set_new(
            panels, settings->panels[i].name,
            json_pack("{s:b, s:b, s:s*}", "shown", settings->panels[i].shown, "open", settings->panels[i].open, "side",
                      settings->panels[i].side < VIEW_SIDES ? view_side_names[settings->panels[i].side] : NULL));
    for (int side = 0; root != NULL && side < VIEW_SIDES; side++)
        if (settings->column_states[side] != VIEW_COLUMN_AUTO)
            json_object_set_new(json_object_get(root, "panels"), column_keys[side],
                                json_string(column_states[settings->column_states[side]]));
    for (int side = 0; root != NULL && side < VIEW_SIDES; side++)
        if (settings->columns[side] > 0.0f)
            json_object_set_new(json_object_get(root, "panels"), view_side_names[side],
                                json_real((double)settings->columns[side]));
    if (root != NULL && settings->window.width > 0)
        json_object_set_new(root, "window",
                            json_pack("{s:i, s:i, s:i, s:i}", "x", settings->window.x, "y", settings->window.y, "width",
                                      (int)settings->window.width, "height", (int)settings->window.height));
    if (root != NULL && settings->exports.count > 0)
        json_object_set_new(root, "exports", pack_exports(&settings->exports));
    if (root != NULL && settings->sizes_known)
        json_object_set_new(root, "tools", pack_sizes(settings->sizes));
    if (root != NULL && settings->scale > 0.0f)
        json_object_set_new(root, "scale", json_real((double)settings->scale));
    json_decref(recent);
    json_decref(times);
    json_decref(panels);
    return root;
}

enum shw_result view_settings_save(const struct view_settings *settings, const struct shw_log *log)
{
    json_t *root;
    char *text;
    enum shw_result result;

    if (settings->path == NULL)
        return SHW_OK;
    root = pack(settings);
    text = root != NULL ? json_dumps(root, JSON_INDENT(2)) : NULL;
    json_decref(root);
    if (text == NULL)
        return shw_fail_memory(log, "the settings");
    shw_make_private_folders(settings->path);
    result = shw_atomic_file_write(settings->path, text, strlen(text), log);
    free(text);
    return result;
}

void view_settings_free(struct view_settings *settings)
{
    for (uint32_t i = 0; i < settings->recent_count; i++)
        free(settings->recent[i]);
    view_export_folders_free(&settings->exports);
    free(settings->path);
    memset(settings, 0, sizeof *settings);
}

/* Makes the path in the line absolute; false: the action is not recorded. */
static bool recent_line(const char *action, const char *argument, char line[VIEW_SETTINGS_LINE])
{
    static const char *const prefixes[] = {"camera:", "dataset:"};
    char *path;
    size_t prefix = 0;
    int length;

    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(argument, prefixes[i], strlen(prefixes[i])) == 0)
            prefix = strlen(prefixes[i]);
    path = realpath(argument + prefix, NULL);
    length = snprintf(line, VIEW_SETTINGS_LINE, "%s %.*s%s", action, (int)prefix, argument,
                      path != NULL ? path : argument + prefix);
    free(path);
    return length > 0 && length < (int)VIEW_SETTINGS_LINE && is_recent(line);
}

void view_settings_opened(struct view_settings *settings, const char *action, const char *argument)
{
    char line[VIEW_SETTINGS_LINE], *copy;
    uint32_t place = 0;

    if (strcmp(action, "save") == 0)
        action = "project";
    if (strcmp(action, "rectangles-save") == 0)
        action = "rectangles";
    if (strcmp(action, "detect-add") == 0 || strcmp(action, "cascade-save") == 0)
        action = "detect-open";
    if (strcmp(action, "open") == 0) /* it may have run another action */
        action = view_opening_action(argument);
    if (argument[0] == '\0' ||
        (strcmp(action, "open") != 0 && (strcmp(argument, "new") == 0 || strcmp(argument, "none") == 0)) ||
        !recent_line(action, argument, line) || (copy = strdup(line)) == NULL)
        return;
    while (place < settings->recent_count && strcmp(settings->recent[place], line) != 0)
        place++;
    if (place == VIEW_RECENTS)
        place--;
    if (place == settings->recent_count)
        settings->recent_count++;
    else
        free(settings->recent[place]);
    memmove(settings->recent + 1, settings->recent, place * sizeof *settings->recent);
    memmove(settings->recent_times + 1, settings->recent_times, place * sizeof *settings->recent_times);
    settings->recent[0] = copy;
    settings->recent_times[0] = (int64_t)time(NULL);
}

void view_settings_forget(struct view_settings *settings, uint32_t number)
{
    free(settings->recent[number]);
    settings->recent_count--;
    for (uint32_t i = number; i < settings->recent_count; i++) {
        settings->recent[i] = settings->recent[i + 1];
        settings->recent_times[i] = settings->recent_times[i + 1];
    }
}
