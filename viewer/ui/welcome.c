/* The page in the middle of a window in which nothing is open: how to begin, and what was opened before. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "files/io/image_paths.h"
#include "ui/sheets.h"

#define PAGE  860.0f /* points, at most */
#define CARD  150.0f /* at least */
#define GAP   10.0f
#define OFFER 180.0f /* at least, of a large button, */
#define SMALL 110.0f /* and without help */

static const struct {
    const char *name;
    enum view_ui_symbol symbol;
} kinds[VIEW_RECENT_KINDS] = {[VIEW_RECENT_PICTURE] = {"picture", VIEW_UI_SYMBOL_PICTURE},
                              [VIEW_RECENT_FOLDER] = {"folder", VIEW_UI_SYMBOL_PICTURE},
                              [VIEW_RECENT_DATASET] = {"data set", VIEW_UI_SYMBOL_PICTURE},
                              [VIEW_RECENT_VIDEO] = {"video", VIEW_UI_SYMBOL_CAMERA},
                              [VIEW_RECENT_CAMERA] = {"camera", VIEW_UI_SYMBOL_CAMERA},
                              [VIEW_RECENT_PROJECT] = {"project", VIEW_UI_SYMBOL_PICTURE},
                              [VIEW_RECENT_FOREST] = {"forest", VIEW_UI_SYMBOL_FOREST},
                              [VIEW_RECENT_CASCADE] = {"cascade", VIEW_UI_SYMBOL_FRAMES},
                              [VIEW_RECENT_RECTANGLES] = {"rectangles", VIEW_UI_SYMBOL_FRAMES}};

/* Days between two dates: 0 if both are the same, 1 if the second is the next one; more otherwise. */
static int days_between(const struct tm *before, const struct tm *now)
{
    struct tm one = {.tm_year = before->tm_year, .tm_mon = before->tm_mon, .tm_mday = before->tm_mday, .tm_hour = 12},
              other = {.tm_year = now->tm_year, .tm_mon = now->tm_mon, .tm_mday = now->tm_mday, .tm_hour = 12};

    return (int)((timegm(&other) - timegm(&one)) / 86400);
}

/* "today, 14:05", "yesterday", "3 March" or "3 March 2024". */
static void write_date(int64_t seconds, char *text, size_t size)
{
    const time_t then = (time_t)seconds, now = time(NULL);
    struct tm before, today;
    char month[40];
    int days;

    text[0] = '\0';
    if (seconds <= 0 || localtime_r(&then, &before) == NULL || localtime_r(&now, &today) == NULL)
        return;
    days = days_between(&before, &today);
    if (days == 0)
        strftime(text, size, "today, %H:%M", &before);
    else if (days == 1)
        snprintf(text, size, "yesterday");
    else if (strftime(month, sizeof month, before.tm_year == today.tm_year ? "%B" : "%B %Y", &before) > 0)
        snprintf(text, size, "%d %s", before.tm_mday, month); /* Windows has neither %e nor %-d */
}

/* The folder in which a file is. */
static void write_folder(const char *path, char *text, size_t size)
{
    const char *slash = strrchr(path, '/');

    if (slash == NULL)
        snprintf(text, size, "%s", path);
    else
        snprintf(text, size, "%.*s", slash == path ? 1 : (int)(slash - path), path);
}

static void show_card(struct view_panel_context *context, const struct view_opened_item *item, uint32_t number,
                      float width)
{
    const char *path = view_recent_path(item->line), *name = shw_path_last(path);
    const bool guessed = !item->known && item->kind == VIEW_RECENT_PICTURE; /* it may be a folder */
    const char *kind = guessed ? "" : kinds[item->kind].name;
    char folder[4096], date[64], note[128], remove[32];
    struct view_ui_card card = {.name = *name != '\0' ? name : path,
                                .place = folder,
                                .note = note,
                                .help = path,
                                .remove = remove,
                                .rgb = item->rgb,
                                .width = item->width,
                                .height = item->height,
                                .symbol = kinds[item->kind].symbol,
                                .missing = item->missing};

    write_folder(path, folder, sizeof folder);
    write_date(context->frame.recent_times[number], date, sizeof date);
    snprintf(note, sizeof note, "%s%s%s", item->missing ? "missing: " : "", kind,
             !item->missing && *kind != '\0' && date[0] != '\0' ? ", " : "");
    if (!item->missing)
        snprintf(note + strlen(note), sizeof note - strlen(note), "%s", date);
    snprintf(remove, sizeof remove, "##remove %u", number + 1);
    view_ui_push_id(number);
    switch (view_ui_card(&card, width)) {
    case VIEW_UI_CARD_OPENED: view_panel_run(context, "recent %u", number + 1); break;
    case VIEW_UI_CARD_REMOVED: view_panel_run(context, "recent remove %u", number + 1); break;
    default: break;
    }
    view_ui_pop_id();
}

static uint32_t columns_of(float least, uint32_t most, float *width)
{
    const float room = view_ui_page_width();
    uint32_t count = (uint32_t)((room + GAP) / (least + GAP));

    count = count < 1 ? 1 : count > most ? most : count;
    *width = (float)(int)((room - GAP * (float)(count - 1)) / (float)count);
    return count;
}

static void show_recent(struct view_panel_context *context)
{
    const struct view_opened *opened = context->frame.opened;
    bool missing = false;
    float width;
    const uint32_t columns = columns_of(CARD, 5, &width);

    if (opened->count == 0) {
        view_ui_dim_text("What you open or save is listed here the next time.");
        return;
    }
    view_ui_heading("Recent");
    for (uint32_t i = 0; i < opened->count; i++) {
        if (i % columns != 0)
            view_ui_same_line_after(GAP);
        show_card(context, &opened->items[i], i, width);
        missing = missing || opened->items[i].missing;
    }
    view_ui_space();
    if (missing) {
        view_panel_button(context, "Remove missing ones", "recent remove missing",
                          "remove from the list what is not there any more", 0.0f, false);
        view_ui_same_line(0.0f);
    }
    view_panel_button(context, "Empty this list", "recent remove all", "forget what was opened; all files stay", 0.0f,
                      false);
}

static void show_offers(struct view_panel_context *context)
{
    static const struct {
        const char *label, *help, *line, *tip;
    } offers[] = {{"Open...", "a picture, folder, video, forest", "browse",
                   "a picture, a folder, a data set, a video, a forest, a cascade or a project"},
                  {"New project...", "teach classes by painting", "browse project",
                   "choose pictures, name classes, paint a stroke of each: a forest learns while you paint"},
                  {"Try the demo", "a room that is painted already", "demo",
                   "opens rendered rooms with some strokes: labels appear at once, and you go on painting"}};
    float width;
    const uint32_t count = sizeof offers / sizeof *offers;
    const bool helps = columns_of(OFFER, count, &width) == count;
    uint32_t columns = columns_of(SMALL, count, &width);

    if (columns < count)
        columns = columns_of(OFFER, 1, &width);

    for (uint32_t i = 0; i < count; i++) {
        if (i % columns != 0)
            view_ui_same_line_after(GAP);
        if (view_ui_offer(offers[i].label, helps ? offers[i].help : NULL, width, i == (context->frame.project ? 0 : 1)))
            view_panel_run(context, "%s", offers[i].line);
        view_panel_tip(context, offers[i].tip, offers[i].line);
    }
}

void view_welcome_show(struct view_panel_context *context, const struct view_scene *scene)
{
    const struct view_area *area = &context->frame.area;

    if (scene->picture != NULL || scene->player->opening || scene->instead.on || context->frame.opened == NULL)
        return;
    view_ui_page_begin("welcome", (float)area->x, (float)area->y, (float)area->width, (float)area->height, PAGE);
    view_ui_title(context->frame.project ? "A new project" : "Shadewood");
    view_ui_dim_text("%s", context->frame.project
                               ? "Open the pictures that it is to learn from, or drop them here."
                               : "Decision forests that label every pixel. Drop a picture, a folder, a video, a forest "
                                 "or a project here, or begin with one of these; F1 lists all keys.");
    view_ui_space();
    show_offers(context);
    view_ui_space();
    show_recent(context);
    view_ui_page_end();
}
