/* How image files are read: page, channels, and the values that are black and white. Part of the panel Pictures. */
#include <stdio.h>
#include <string.h>

#include "base/image.h"
#include "teach/teaching.h"
#include "ui/panel.h"

/* Channels beyond are chosen by the action. */

#define CHANNELS_SHOWN 64u

static void page(struct view_panel_context *context, const struct view_picture *picture)
{
    int number = (int)picture->page;

    if (picture->page_count < 2)
        return;
    view_ui_next_width(-50.0f);
    if (view_ui_int_slider("Page", &number, 1, (int)picture->page_count, (int)picture->page_count, NULL))
        view_panel_run(context, "page %d", number);
    view_panel_tip(context, "the page of the file; each is a picture of its own", NULL);
}

/* What is read when nothing is chosen: the first three, or the first. */
static struct shw_image_channels shown_channels(const struct view_player *player)
{
    struct shw_image_channels channels = player->chosen.channels;

    if (channels.count == 0 && player->facts.channel_count > 2)
        return (struct shw_image_channels){3, {1, 2, 3}};
    return channels.count == 0 ? (struct shw_image_channels){1, {1, 0, 0}} : channels;
}

static void run_channels(struct view_panel_context *context, const struct shw_image_channels *channels)
{
    if (channels->count == 1)
        view_panel_run(context, "image-channels %u", channels->numbers[0]);
    else
        view_panel_run(context, "image-channels %u %u %u", channels->numbers[0], channels->numbers[1],
                       channels->numbers[2]);
}

/* A combo of the file's channels; with `none`, also black. */
static bool channel(const char *label, bool none, uint32_t count, uint32_t *number)
{
    static char texts[CHANNELS_SHOWN + 1][12];
    const char *names[CHANNELS_SHOWN + 1];
    uint32_t first = none ? 0 : 1, chosen = *number - first;

    count = count < CHANNELS_SHOWN ? count : CHANNELS_SHOWN;
    for (uint32_t c = first; c <= count; c++) {
        if (c > 0)
            snprintf(texts[c], sizeof texts[c], "%u", c);
        names[c - first] = c > 0 ? texts[c] : "none";
    }
    view_ui_next_width(-50.0f);
    if (!view_ui_combo(label, &chosen, names, count + 1 - first))
        return false;
    *number = chosen + first;
    return true;
}

static void channels(struct view_panel_context *context, const struct view_player *player)
{
    static const char *const kinds[] = {"automatic", "grey", "colours"};
    static const char *const labels[] = {"Red", "Green", "Blue"};
    struct shw_image_channels shown = shown_channels(player);
    uint32_t count = player->facts.channel_count, kind = player->chosen.channels.count, before;
    bool changed = false;

    if (count < 2)
        return;
    kind = before = kind == 0 ? 0 : kind == 1 ? 1 : 2;
    view_ui_next_width(-70.0f);
    view_ui_combo("Channels", &kind, kinds, 3);
    view_panel_tip(context, "which channels of the file are read; classes are learnt from these", NULL);
    if (kind != before && kind == 0)
        view_panel_run(context, "image-channels auto");
    else if (kind != before) {
        shown.count = kind == 1 ? 1 : 3;
        shown.numbers[0] = shown.numbers[0] > 0 ? shown.numbers[0] : 1;
        run_channels(context, &shown);
    }
    if (kind != before || kind == 0)
        return;
    if (kind == 1)
        changed = channel("Grey", false, count, &shown.numbers[0]);
    for (uint32_t c = 0; kind == 2 && c < 3; c++)
        changed = channel(labels[c], true, count, &shown.numbers[c]) || changed;
    if (changed && shw_image_channels_fault(&shown) == NULL)
        run_channels(context, &shown);
}

/* Fills the fields when what is read has changed. */
static void show_range(struct view_player *player, const struct shw_intensity_range *range)
{
    if (range->low == player->fields.shown.low && range->high == player->fields.shown.high)
        return;
    player->fields.shown = *range;
    snprintf(player->fields.low, sizeof player->fields.low, "%.9g", range->low);
    snprintf(player->fields.high, sizeof player->fields.high, "%.9g", range->high);
}

static void values(struct view_panel_context *context, struct view_player *player)
{
    const struct shw_image_choice choice = view_player_get_choice(player);
    struct shw_intensity_range range = choice.range;
    bool automatic = !shw_intensity_range_is_set(&player->chosen.range), entered;

    if (!shw_intensity_range_is_set(&range))
        range = (struct shw_intensity_range){0, UINT16_MAX}; /* 16 bits as stored */
    show_range(player, &range);
    if (player->facts.wants_range && player->facts.least <= player->facts.largest)
        view_ui_dim_text("values from %.4g to %.4g", player->facts.least, player->facts.largest);
    if (view_ui_toggle("Automatic values", &automatic)) {
        if (automatic)
            view_panel_run(context, "image-range auto");
        else
            view_panel_run(context, "image-range %.17g %.17g", range.low, range.high);
    }
    view_panel_tip(context,
                   player->facts.wants_range ? "the range of the first picture, which holds for all"
                                             : "16 bits as they are stored",
                   NULL);
    view_ui_disabled_begin(automatic);
    view_ui_next_width(-50.0f);
    entered = view_ui_text_field("From", player->fields.low, sizeof player->fields.low, NULL, false);
    view_panel_tip(context, "the value of the file that is read as black; Enter takes it", NULL);
    view_ui_next_width(-50.0f);
    entered = view_ui_text_field("To", player->fields.high, sizeof player->fields.high, NULL, false) || entered;
    view_panel_tip(context, "the value of the file that is read as white; Enter takes it", NULL);
    view_ui_disabled_end();
    if (entered)
        view_panel_run(context, "image-range %s %s", player->fields.low, player->fields.high);
}

/* How image files are read, in the panel Pictures. */
static void view_panel_reading(struct view_panel_context *context, const struct view_scene *scene)
{
    const struct view_picture *picture = scene->picture;

    if (picture == NULL)
        return;
    page(context, picture);
    if (!picture->is_file)
        return;
    channels(context, scene->player);
    if (shw_pixel_is_wide(picture->image.format))
        values(context, scene->player);
}

/* The source, and which of its pictures is shown. */

#define FILTER_CLASSES 64u /* in the choice; `list class` knows all */
#define ROWS           6u  /* of the list without scrolling */

static void describe(const struct view_picture *picture, const struct view_source_info *info)
{
    static const char *const formats[] = {[SHW_PIXEL_GREY8] = "8 bits, grey",
                                          [SHW_PIXEL_RGB8] = "8 bits",
                                          [SHW_PIXEL_RGBA8] = "8 bits, with alpha",
                                          [SHW_PIXEL_GREY16] = "16 bits, grey",
                                          [SHW_PIXEL_RGB16] = "16 bits",
                                          [SHW_PIXEL_RGBA16] = "16 bits, with alpha"};

    if (picture == NULL) {
        view_ui_dim_text(info->state == VIEW_SOURCE_OPENING ? "opening" : "no picture");
        return;
    }
    view_ui_name(picture->name != NULL ? view_picture_list_base(picture->name) : "a picture", picture->name);
    view_ui_dim_text("%u × %u, %s", picture->image.width, picture->image.height, formats[picture->image.format]);
    if (info->count > 1)
        view_ui_dim_text("%u of %u", info->index + 1, info->count);
    if (info->kind == VIEW_SOURCE_CAMERA && info->frame_rate > 0.0)
        view_ui_dim_text("camera, %.4g pictures per second", info->frame_rate);
}

static void transport(struct view_panel_context *context, const struct view_source_info *info)
{
    const struct view_panel_item items[] = {
        {"Back", "step back", "the previous picture", false, info->kind == VIEW_SOURCE_CAMERA},
        {info->playing ? "Pause" : "Play", "play toggle", info->playing ? "pause" : "play", info->playing, false},
        {"Next", "step forward", "next picture", false, false}};

    view_panel_buttons(context, items, sizeof items / sizeof *items);
}

/* While the slider is dragged, seeks whenever the source has answered the previous seek. */
static void place(struct view_panel_context *context, const struct view_source_info *info)
{
    static const char *const names[] = {"1/4 speed", "1/2 speed", "real time", "2 × speed", "4 × speed"};
    static const double speeds[] = {0.25, 0.5, 1.0, 2.0, 4.0};
    float seconds = (float)info->seconds;
    uint32_t chosen = UINT32_MAX;
    char text[64];

    if (info->kind != VIEW_SOURCE_VIDEO)
        return;
    snprintf(text, sizeof text, "%%.2f s of %.2f s", info->duration);
    view_ui_next_width(view_ui_width());
    if (info->duration > 0.0 && view_ui_float_slider("##place", &seconds, 0.0f, (float)info->duration, text) &&
        !info->pending)
        view_panel_run(context, "seek %.4f", (double)seconds);
    view_panel_tip(context, "position in the video", NULL);
    for (uint32_t i = 0; i < 5; i++)
        if (info->speed == speeds[i])
            chosen = i;
    view_ui_next_width(view_ui_width());
    if (view_ui_combo("##speed", &chosen, names, 5))
        view_panel_run(context, "speed %g", speeds[chosen]);
    view_panel_tip(context, "playback speed", NULL);
}

static void append(char *text, size_t size, const char *format, unsigned number)
{
    size_t length = strlen(text);

    if (length > 0)
        length += (size_t)snprintf(text + length, size - length, "  ");
    if (length < size)
        snprintf(text + length, size - length, format, number);
}

/* Rectangles, whether the picture is kept for testing, and uncertainty, as far as there are any. */
static void write_value(const struct view_teaching *teaching, uint32_t entry, char *value, size_t size)
{
    const double uncertainty = view_ranking_value(&teaching->ranking, entry);
    const uint32_t boxes = view_box_marks_count(&teaching->box_marks, entry);

    if (boxes > 0)
        append(value, size, "\u25ad %u", boxes);
    if (view_picture_list_is_kept(&teaching->list, entry))
        append(value, size, "test", 0);
    if (uncertainty >= 0.0)
        append(value, size, "%u %%", (unsigned)(100.0 * uncertainty + 0.5) % 1000);
}

static void describe_row(void *user, uint32_t index, struct view_ui_list_row *row)
{
    struct view_teaching *teaching = user;
    const struct view_picture_list *list = &teaching->list;
    const struct view_player *player = teaching->scene->player;
    const uint32_t entry = list->rows[index];
    const char *name = view_source_name(player->source, entry);
    const struct view_thumbnail *thumbnail = view_thumbnails_get(&teaching->thumbnails, player, entry);
    uint32_t strokes;
    const bool *classes = view_picture_list_marks(list, entry, &strokes);

    row->name = name != NULL ? view_picture_list_base(name) : "";
    if (thumbnail != NULL) {
        row->picture = thumbnail->pixels;
        row->width = thumbnail->width;
        row->height = thumbnail->height;
    }
    write_value(teaching, entry, row->value, sizeof row->value);
    if (strokes > 0)
        snprintf(row->count, sizeof row->count, "%u", strokes);
    for (uint32_t c = 0; strokes > 0 && c < list->class_count && c < teaching->class_count; c++)
        if (classes[c] && row->dot_count < VIEW_UI_DOTS_MAX)
            view_scene_class_colour(teaching->scene, c, row->dots[row->dot_count++]);
}

/* Which pictures are listed. */
static void filter(struct view_panel_context *context, struct view_teaching *teaching)
{
    static const char *const kinds[] = {"All", "Painted", "Not painted", "Kept for testing"};
    struct view_picture_list *list = &teaching->list;
    const char *names[VIEW_LIST_CLASS + FILTER_CLASSES];
    uint32_t count = VIEW_LIST_CLASS,
             chosen = (uint32_t)list->filter + (list->filter == VIEW_LIST_CLASS ? list->class_number : 0);
    char name[sizeof list->name];

    snprintf(name, sizeof name, "%s", list->name);
    view_ui_next_width(view_ui_width() / 2.0f);
    if (view_ui_text_field("##filter", name, sizeof name, "name", true))
        view_panel_run(context, "list name %s", name);
    view_panel_tip(context, "list the pictures whose names contain this", NULL);
    view_ui_same_line(0.0f);
    memcpy(names, kinds, sizeof kinds);
    for (uint32_t c = 0; c < teaching->class_count && c < FILTER_CLASSES; c++)
        names[count++] = teaching->classes[c].name;
    view_ui_next_width(view_ui_width());
    if (view_ui_combo("##kind", &chosen, names, count)) {
        static const char *const lines[] = {"list all", "list painted", "list unpainted", "list kept"};
        if (chosen < VIEW_LIST_CLASS)
            view_panel_run(context, "%s", lines[chosen]);
        else
            view_panel_run(context, "list class #%u", chosen - VIEW_LIST_CLASS);
    }
    view_panel_tip(context, "list pictures by what is painted on them", NULL);
}

static void pictures(struct view_panel_context *context, struct view_teaching *teaching,
                     const struct view_source_info *info)
{
    const struct view_picture_list *list = &teaching->list;
    uint32_t clicked, rows = info->count < ROWS ? info->count : ROWS;

    if (info->count < 2)
        return;
    view_picture_list_update(&teaching->list, teaching->scene->player, &teaching->project);
    view_box_marks_update(&teaching->box_marks, teaching->scene->player, &teaching->annotating->work.boxes);
    filter(context, teaching);
    clicked = view_ui_marked_list("##pictures", VIEW_UI_MARKED_ROW * (float)rows + 12.0f, list->row_count,
                                  view_picture_list_row(list, info->index), describe_row, teaching);
    if (view_ranking_is_running(&teaching->ranking))
        view_ui_dim_text("%u of %u listed, %u ranked", list->row_count, list->count,
                         view_ranking_done(&teaching->ranking));
    else
        view_ui_dim_text("%u of %u listed", list->row_count, list->count);
    view_ui_disabled_begin(teaching->scene->forest == NULL);
    view_panel_button(context, "Next uncertain", "uncertain picture",
                      "rank the pictures by how uncertain the forest is on them (percent), and show the first one that "
                      "has not been shown",
                      view_ui_width(), false);
    view_ui_disabled_end();
    if (clicked < list->row_count)
        view_panel_run(context, "go %u", list->rows[clicked] + 1);
}

/* Which 16-bit samples are black and white. */
static void range(struct view_panel_context *context, const struct view_scene *scene)
{
    int low = scene->display.range.low, high = scene->display.range.high;
    bool found = scene->auto_range, changed;
    struct view_display_plane planes[3];

    if (scene->picture == NULL || !shw_pixel_is_wide(scene->picture->image.format) ||
        view_display_find(&scene->display, scene->picture, false, planes) > 0)
        return;
    view_ui_dim_text("shown on the screen");
    if (view_ui_toggle("Automatic range", &found)) {
        if (found)
            view_panel_run(context, "range auto");
        else
            view_panel_run(context, "range %d %d", low, high);
    }
    view_panel_tip(context, "map the samples that occur to black to white; labels are computed from all of them", NULL);
    view_ui_disabled_begin(scene->auto_range);
    view_ui_next_width(-50.0f);
    changed = view_ui_int_slider("Black", &low, 0, UINT16_MAX, UINT16_MAX, NULL);
    view_ui_next_width(-50.0f);
    changed = view_ui_int_slider("White", &high, 0, UINT16_MAX, UINT16_MAX, NULL) || changed;
    view_ui_disabled_end();
    if (changed && low < high)
        view_panel_run(context, "range %d %d", low, high);
}

void view_panel_sources(struct view_panel_context *context, void *user)
{
    struct view_teaching *teaching = user;
    const struct view_scene *scene = teaching->scene;
    struct view_source *source = scene->player->source;
    const struct view_source_info info = view_player_info(scene->player);

    view_panel_button(context, "Open ...", "browse", "open a picture, a folder, a video, a forest or a project",
                      view_ui_width(), false);
    if (source == NULL && scene->picture == NULL) {
        view_ui_wrapped_text("Or drop a picture, a folder, a video, a forest or a project here.");
        return;
    }
    describe(scene->picture, &info);
    if (source == NULL || info.state == VIEW_SOURCE_FAILED)
        return;
    if (info.kind == VIEW_SOURCE_VIDEO || info.kind == VIEW_SOURCE_CAMERA || info.count > 1)
        transport(context, &info);
    place(context, &info);
    pictures(context, teaching, &info);
    view_panel_reading(context, scene);
    view_panel_planes(context, teaching);
    range(context, scene);
}
