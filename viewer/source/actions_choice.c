#include "source/player.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "action/action.h"
#include "base/log.h"
#include "files/io/image_paths.h"

static const char channels_argument[] = "auto, the number of a channel, or three of them, 0 for none";
static const char range_argument[] = "auto, or two numbers, the second above the first";

/* One number or three, separated by blanks. */
static bool parse_channels(const char *text, struct shw_image_channels *channels)
{
    for (channels->count = 0; *text != '\0' && channels->count < 3; channels->count++) {
        char *end;
        unsigned long number = strtoul(text, &end, 10);

        if (*text < '0' || *text > '9' || (*end != '\0' && *end != ' ') || number > UINT16_MAX)
            return false;
        channels->numbers[channels->count] = (uint32_t)number;
        text = end + strspn(end, " ");
    }
    return *text == '\0' && channels->count > 0 && shw_image_channels_fault(channels) == NULL;
}

static enum shw_result set_channels(void *user, const char *argument)
{
    struct view_player *player = user;
    struct shw_image_choice choice = player->chosen;

    choice.channels = (struct shw_image_channels){0};
    if (strcmp(argument, "auto") != 0 && !parse_channels(argument, &choice.channels))
        return view_action_refuse(&player->log, channels_argument, argument);
    for (uint32_t c = 0; c < choice.channels.count; c++)
        if (player->facts.channel_count > 0 && choice.channels.numbers[c] > player->facts.channel_count)
            return shw_fail(&player->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                            "there is no channel %u, the picture has %u", choice.channels.numbers[c],
                            player->facts.channel_count);
    return view_player_choose(player, &choice);
}

static enum shw_result set_range(void *user, const char *argument)
{
    struct view_player *player = user;
    struct shw_image_choice choice = player->chosen;
    char *middle, *end;

    choice.range = (struct shw_intensity_range){0};
    if (strcmp(argument, "auto") == 0)
        return view_player_choose(player, &choice);
    choice.range.low = strtod(argument, &middle);
    choice.range.high = strtod(middle, &end);
    if (middle == argument || end == middle || *end != '\0' || !shw_intensity_range_is_set(&choice.range) ||
        shw_intensity_range_fault(&choice.range) != NULL)
        return view_action_refuse(&player->log, range_argument, argument);
    return view_player_choose(player, &choice);
}

/* Goes to the picture of that path. */
static enum shw_result go_to_path(struct view_player *player, const char *path, uint32_t from)
{
    uint32_t count = view_player_info(player).count;

    for (uint32_t i = 0; i < count; i++) { /* pages are side by side: the nearest first */
        uint32_t index = (from + (i % 2 == 0 ? i / 2 : count - (i + 1) / 2)) % count;
        const char *name = view_source_name(player->source, index);
        if (name != NULL && strcmp(name, path) == 0) {
            player->settle = true;
            return view_source_go_to(player->source, index);
        }
    }
    return shw_fail(&player->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s is not among the pictures", path);
}

static enum shw_result go_to_page(void *user, const char *argument)
{
    struct view_player *player = user;
    const struct view_source_info info = view_player_info(player);
    const char *shown = player->source != NULL ? view_source_name(player->source, info.index) : NULL;
    uint32_t page;
    long number;
    char *file, *path;
    enum shw_result result;

    if (!view_parse_number(argument, 1, SHW_IMAGE_PAGES_MAX, &number))
        return view_action_refuse(&player->log, "a page's number, from 1", argument);
    if (shown == NULL || info.kind == VIEW_SOURCE_DATASET)
        return shw_fail(&player->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there is no picture that has pages");
    file = shw_image_file_of(shown, &page);
    path = file != NULL && number > 1 ? shw_image_page_path(file, (uint32_t)number) : NULL;
    result = file == NULL || (path == NULL && number > 1) ? shw_fail_memory(&player->log, shown)
                                                          : go_to_path(player, path != NULL ? path : file, info.index);
    free(file);
    free(path);
    return result;
}

static const struct view_action actions[] = {
    {"page", "NUMBER", "go to this page of the shown picture's file, counted from 1", go_to_page},
    {"image-channels", "auto|GREY|RED GREEN BLUE",
     "read these channels of image files, counted from 1, 0 for none; auto: the first three, or the first of two",
     set_channels},
    {"image-range", "auto|LOW HIGH",
     "read these values of image files with more than 8 bits as black and white; auto: 16 bits as stored, others by "
     "the "
     "first picture",
     set_range},
    {0}};

static const struct view_key keys[] = {{0}};

const struct view_action_group view_choice_group = {"Reading pictures", actions, keys};
