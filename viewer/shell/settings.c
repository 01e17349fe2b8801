#include "shell/settings.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <jansson.h>

#include "base/atomic_file.h"
#include "base/file_bytes.h"
#include "base/log.h"
#include "files/io/file_lock.h"
#include "files/io/image_paths.h"
#include "source/browser.h"
#include "source/opened.h"

#define FORMAT    "shadewood-viewer-settings"
#define VERSION   1
#define PLACE_MAX 32768

static char *usual_path(void)
{
    return shw_path_of_user("XDG_CONFIG_HOME", ".config", "shadewood/viewer.json");
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

static void read_trainer(const json_t *command, struct view_settings *settings)
{
    if (json_is_string(command) && json_string_length(command) < sizeof settings->trainer &&
        json_string_length(command) == strlen(json_string_value(command)))
        strcpy(settings->trainer, json_string_value(command));
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

/* Lists of recent lines. */

static void free_recent(struct view_settings_recent *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        free(list->lines[i]);
    *list = (struct view_settings_recent){.count = 0};
}

/* Without lines for which there is no memory. */
static struct view_settings_recent copy_recent(const struct view_settings *settings)
{
    struct view_settings_recent copy = {.count = 0};

    for (uint32_t i = 0; i < settings->recent_count; i++) {
        copy.times[copy.count] = settings->recent_times[i];
        copy.lines[copy.count] = strdup(settings->recent[i]);
        copy.count += copy.lines[copy.count] != NULL;
    }
    return copy;
}

static void note_known(struct view_settings *settings)
{
    free_recent(&settings->known);
    settings->known = copy_recent(settings);
}

/* The number of a line; `count` if it is not there. */
static uint32_t find_line(char *const *lines, uint32_t count, const char *line)
{
    uint32_t number = 0;

    while (number < count && strcmp(lines[number], line) != 0)
        number++;
    return number;
}

/* Puts a line where its time belongs, in place of the oldest if there is no room; takes it. */
static void insert_recent(struct view_settings *settings, char *line, int64_t when)
{
    uint32_t place = 0;

    while (place < settings->recent_count && settings->recent_times[place] >= when)
        place++;
    if (place == VIEW_RECENTS) {
        free(line);
        return;
    }
    if (settings->recent_count == VIEW_RECENTS)
        free(settings->recent[--settings->recent_count]);
    memmove(settings->recent + place + 1, settings->recent + place,
            (settings->recent_count - place) * sizeof *settings->recent);
    memmove(settings->recent_times + place + 1, settings->recent_times + place,
            (settings->recent_count - place) * sizeof *settings->recent_times);
    settings->recent[place] = line;
    settings->recent_times[place] = when;
    settings->recent_count++;
}

/* Takes over what another program has opened or removed since the file was read or written here. */
static void merge_recent(struct view_settings *settings, const struct view_settings *other)
{
    const struct view_settings_recent *known = &settings->known;

    for (uint32_t i = settings->recent_count; i-- > 0;) {
        const uint32_t k = find_line(known->lines, known->count, settings->recent[i]);
        if (k < known->count && known->times[k] == settings->recent_times[i] &&
            find_line(other->recent, other->recent_count, settings->recent[i]) == other->recent_count)
            view_settings_forget(settings, i);
    }
    for (uint32_t i = other->recent_count; i-- > 0;) {
        const char *line = other->recent[i];
        const uint32_t k = find_line(known->lines, known->count, line),
                       own = find_line(settings->recent, settings->recent_count, line);
        char *copy;
        if ((k < known->count && known->times[k] >= other->recent_times[i]) ||
            (own < settings->recent_count && settings->recent_times[own] >= other->recent_times[i]) ||
            (copy = strdup(line)) == NULL)
            continue;
        if (own < settings->recent_count)
            view_settings_forget(settings, own);
        insert_recent(settings, copy, other->recent_times[i]);
    }
}

/* Folders of exports that another program has noted come after those that were noted here. */
static void merge_exports(struct view_settings *settings, const struct view_settings *other)
{
    struct view_export_folders own = settings->exports;

    settings->exports = (struct view_export_folders){.count = 0};
    for (uint32_t i = other->exports.count; i-- > 0;)
        view_export_folders_note(&settings->exports,
                                 other->exports.list[i].project[0] != '\0' ? other->exports.list[i].project : NULL,
                                 other->exports.list[i].folder);
    for (uint32_t i = own.count; i-- > 0;)
        view_export_folders_note(&settings->exports, own.list[i].project[0] != '\0' ? own.list[i].project : NULL,
                                 own.list[i].folder);
    view_export_folders_free(&own);
}

static void leave_alone(struct view_settings *settings)
{
    free(settings->path);
    settings->path = NULL;
}

enum shw_result view_settings_load(const char *path, const struct shw_log *log, struct view_settings *settings)
{
    struct shw_file_bytes text;
    struct stat status;
    json_t *root = NULL;
    json_int_t version;
    enum shw_result result = SHW_OK;

    memset(settings, 0, sizeof *settings);
    settings->path = path != NULL ? strdup(path) : usual_path();
    if (settings->path == NULL)
        return path != NULL ? shw_fail_memory(log, "the settings") : SHW_OK;
    if (shw_file_bytes_read(settings->path, SHW_TEXT_FILE_MAX, NULL, &text) != SHW_OK) {
        if (lstat(settings->path, &status) != 0 && (errno == ENOENT || errno == ENOTDIR))
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
        settings->readable = true;
        read_window(json_object_get(root, "window"), settings);
        read_scale(json_object_get(root, "scale"), settings);
        read_sizes(json_object_get(root, "tools"), settings);
        read_panels(json_object_get(root, "panels"), settings);
        settings->colour_blind = json_is_true(json_object_get(root, "colour-blind"));
        settings->words = json_is_true(json_object_get(root, "words"));
        read_trainer(json_object_get(root, "trainer"), settings);
        read_exports(json_object_get(root, "exports"), settings);
        result = read_recent(json_object_get(root, "recent"), json_object_get(root, "recent-times"), log, settings);
    }
    json_decref(root);
    shw_file_bytes_free(&text);
    if (result != SHW_OK)
        view_settings_free(settings);
    else
        note_known(settings);
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
    json_t *root = json_pack("{s:s, s:i, s:{s:b, s:O}, s:b, s:b, s:O, s:O}", "format", FORMAT, "version", VERSION,
                             "panels", "on", !settings->panels_off, "panels", panels, "colour-blind",
                             settings->colour_blind, "words", settings->words, "recent", recent, "recent-times", times);

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
    if (root != NULL && settings->trainer[0] != '\0')
        json_object_set_new(root, "trainer", json_string(settings->trainer)); /* not if it is no UTF-8 */
    if (root != NULL && settings->sizes_known)
        json_object_set_new(root, "tools", pack_sizes(settings->sizes));
    if (root != NULL && settings->scale > 0.0f)
        json_object_set_new(root, "scale", json_real((double)settings->scale));
    json_decref(recent);
    json_decref(times);
    json_decref(panels);
    return root;
}

/* The text of the file; NULL if memory is exhausted. */
static char *print(const struct view_settings *settings)
{
    json_t *root = pack(settings);
    char *text = root != NULL ? json_dumps(root, JSON_INDENT(2)) : NULL;

    json_decref(root);
    return text;
}

static void say_nothing(void *user, enum shw_log_level level, enum shw_log_item item, const char *text)
{
    (void)user, (void)level, (void)item, (void)text;
}

/* Adds what the file has of other programs. One that cannot be read has nothing. */
static void merge(struct view_settings *settings)
{
    const struct shw_log silent = {say_nothing, NULL, SHW_LOG_ERROR};
    struct view_settings other;

    if (access(settings->path, F_OK) != 0 || view_settings_load(settings->path, &silent, &other) != SHW_OK)
        return;
    if (other.readable) {
        merge_recent(settings, &other);
        merge_exports(settings, &other);
    }
    view_settings_free(&other);
}

#define LOCK_TRIES  50
#define LOCK_SECOND 1000000000

/* Others hold it only while they read and write. Without a lock, the file is written nevertheless. */
static struct shw_file_lock *lock(const char *path)
{
    const struct timespec moment = {.tv_nsec = LOCK_SECOND / 200};
    struct shw_file_lock *lock = NULL;

    for (int tries = 0; tries < LOCK_TRIES && shw_file_lock_take(path, &lock) == SHW_LOCK_TAKEN; tries++)
        nanosleep(&moment, NULL);
    return lock;
}

/* The file is locked. */
static enum shw_result write_file(struct view_settings *settings, const struct shw_log *log)
{
    char *text;
    enum shw_result result;

    merge(settings);
    text = print(settings);
    if (text == NULL)
        return shw_fail_memory(log, "the settings");
    free(settings->written);
    settings->written = text;
    result = shw_atomic_file_write(settings->path, text, strlen(text), log);
    if (result == SHW_OK)
        note_known(settings);
    return result;
}

enum shw_result view_settings_save(struct view_settings *settings, const struct shw_log *log)
{
    const struct shw_log silent = {say_nothing, NULL, SHW_LOG_ERROR};
    struct shw_file_lock *held;
    enum shw_result result;
    char *text;
    bool same;

    if (settings->path == NULL)
        return SHW_OK;
    text = print(settings);
    same = text != NULL && settings->written != NULL && strcmp(text, settings->written) == 0;
    free(text);
    if (same)
        return SHW_OK;
    shw_make_private_folders(settings->path);
    held = lock(settings->path);
    result = write_file(settings, settings->failed ? &silent : log);
    shw_file_lock_release(&held);
    settings->failed = result != SHW_OK;
    return result;
}

void view_settings_free(struct view_settings *settings)
{
    for (uint32_t i = 0; i < settings->recent_count; i++)
        free(settings->recent[i]);
    free_recent(&settings->known);
    view_export_folders_free(&settings->exports);
    free(settings->written);
    free(settings->path);
    memset(settings, 0, sizeof *settings);
}

/* The path of a file, or of a page of it, from the root and without links. NULL: there is no such file. */
static char *absolute(const char *path)
{
    uint32_t page;
    char *file = shw_image_file_of(path, &page), *real = file != NULL ? realpath(file, NULL) : NULL, *whole = real;

    if (real != NULL && page > 0) {
        whole = shw_image_page_path(real, page);
        free(real);
    }
    free(file);
    return whole;
}

/* Makes the path in the line absolute; false: the action is not recorded. */
static bool recent_line(const char *action, const char *argument, char line[VIEW_SETTINGS_LINE])
{
    char *path, *given;
    size_t before;
    int length = snprintf(line, VIEW_SETTINGS_LINE, "%s %s", action, argument);

    if (length <= 0 || length >= (int)VIEW_SETTINGS_LINE || !is_recent(line))
        return false;
    before = (size_t)(view_recent_path(line) - line);
    given = line + before;
    path = absolute(given);
    if (path != NULL)
        length = (int)before + snprintf(given, VIEW_SETTINGS_LINE - before, "%s", path);
    free(path);
    return length < (int)VIEW_SETTINGS_LINE;
}

void view_settings_opened(struct view_settings *settings, const char *action, const char *argument)
{
    char line[VIEW_SETTINGS_LINE], *copy;
    uint32_t place = 0;

    if (strcmp(action, "save") == 0)
        action = "project";
    if (strcmp(action, "add-pictures") == 0)
        action = "open";
    if (strcmp(action, "rectangles-save") == 0)
        action = "rectangles";
    if (strcmp(action, "detect-add") == 0 || strcmp(action, "cascade-save") == 0)
        action = "detect-open";
    if (strcmp(action, "open") == 0) /* it may have run another action */
        action = view_opening_action(argument);
    if (argument[0] == '\0' ||
        (strcmp(action, "open") != 0 &&
         (strcmp(argument, "new") == 0 || strcmp(argument, "none") == 0 || strcmp(argument, "close") == 0)) ||
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
