#include "source/player.h"

#include "base/log.h"

/* Whether pictures may be read again with the previous frame. Warns if that is wanted of single ones. */
static bool check_frames(const struct view_player *player)
{
    enum view_source_kind kind = view_player_info(player).kind;
    bool single = !player->others.frames && (kind == VIEW_SOURCE_IMAGE || kind == VIEW_SOURCE_FOLDER);

    if (single && atomic_load(&player->others.previous) && player->others.count == 0)
        shw_log_message(&player->log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                        "the forest reads the previous frame: without --frames all motion is zero");
    return !single && kind != VIEW_SOURCE_CAMERA;
}

enum shw_result view_player_open(struct view_player *player, const char *spec)
{
    struct view_source_params params = {.spec = spec,
                                        .every_picture = player->every_picture,
                                        .others = &player->others,
                                        .choice = player->chosen,
                                        .log = player->log};
    struct view_source *source = NULL;

    SHW_PROPAGATE(view_source_open(&params, &source));
    view_source_close(&player->source);
    player->source = source;
    player->opened++;
    player->opening = player->settle = true;
    player->facts = (struct shw_image_facts){0};
    check_frames(player);
    return SHW_OK;
}

void view_player_want_previous(struct view_player *player, bool wanted)
{
    bool before = atomic_exchange(&player->others.previous, wanted);

    if (before || !wanted || player->source == NULL || !check_frames(player))
        return;
    player->settle = true;
    view_source_seek(player->source, view_player_info(player).seconds);
}

static void take_facts(struct view_player *player, const struct view_picture *picture)
{
    player->facts = picture->facts;
    if (picture->facts.only_first == 0 || player->reported == player->opened)
        return;
    shw_image_report_channels(picture->name, &picture->facts, &player->log);
    player->reported = player->opened;
}

enum shw_result view_player_poll(struct view_player *player, double now, struct view_picture **picture)
{
    bool failed;

    *picture = player->source != NULL ? view_source_poll(player->source, now) : NULL;
    player->opening = player->opening && *picture == NULL;
    if (*picture != NULL)
        take_facts(player, *picture);
    if (player->source == NULL || view_player_info(player).pending)
        return SHW_OK;
    failed = player->settle && player->opening;
    player->settle = false;
    return failed ? SHW_ERROR_IO : SHW_OK; /* the error has been logged */
}

enum shw_result view_player_choose(struct view_player *player, const struct shw_image_choice *choice)
{
    SHW_PROPAGATE(shw_image_choice_check(choice, &player->log));
    player->chosen = *choice;
    player->recalled = false;
    if (player->source == NULL)
        return SHW_OK;
    player->settle = true;
    view_source_choose(player->source, choice);
    return SHW_OK;
}

struct shw_image_choice view_player_get_choice(const struct view_player *player)
{
    return player->source != NULL ? view_source_get_choice(player->source) : player->chosen;
}

struct view_source_info view_player_info(const struct view_player *player)
{
    struct view_source_info info = {0};

    if (player->source != NULL)
        view_source_info(player->source, &info);
    return info;
}

const struct shw_class *view_player_classes(const struct view_player *player, uint32_t *count)
{
    *count = 0;
    return player->source != NULL ? view_source_classes(player->source, count) : NULL;
}
