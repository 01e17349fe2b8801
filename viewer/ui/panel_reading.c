/* How image files are read: page, channels, and the values that are black and white. Part of the panel Pictures. */
#include "ui/panel.h"

#include <stdio.h>
#include <string.h>

#include "base/image.h"

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

void view_panel_reading(struct view_panel_context *context, const struct view_scene *scene)
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
