/* Going to a picture of the open source by what it is called. */
#include <stdlib.h>
#include <string.h>

#include "source/file_place.h"
#include "source/source.h"

#define ROUNDING 0.0005 /* seconds: names of frames have three decimals */

static bool find_place(const struct view_player *player, const char *place, uint32_t *entry)
{
    const char *slash = strrchr(place, '/'), *last = slash != NULL ? slash + 1 : place;
    uint32_t count = view_player_info(player).count;
    struct view_real_folder folder = {0};
    bool found = false;

    for (uint32_t i = 0; i < count && !found; i++) {
        const char *name = view_source_name(player->source, i);
        size_t length = name != NULL ? strlen(name) : 0;
        char *other;

        if (length < strlen(last) || strcmp(name + length - strlen(last), last) != 0)
            continue;
        other = view_real_place(name, &folder);
        found = other != NULL && strcmp(other, place) == 0;
        *entry = i;
        free(other);
    }
    view_real_folder_free(&folder);
    return found;
}

/* Whether the name is that of a frame of the open video. */
static bool find_frame(const struct view_player *player, const char *name, double *seconds)
{
    char *video = strdup(name), *spec = view_source_spec(player->source);
    bool found = video != NULL && spec != NULL && view_picture_split_name(video, seconds) && strcmp(video, spec) == 0;

    free(video);
    free(spec);
    return found;
}

bool view_player_go_to(struct view_player *player, const char *place, const char *frame)
{
    double seconds;
    uint32_t entry;

    if (player->source == NULL)
        return false;
    if (view_player_info(player).kind == VIEW_SOURCE_VIDEO) {
        if (frame == NULL || !find_frame(player, frame, &seconds))
            return false;
        view_source_pause(player->source);
        player->settle = true;
        return view_source_seek(player->source, seconds + ROUNDING) == SHW_OK;
    }
    if (place == NULL || !find_place(player, place, &entry))
        return false;
    view_source_pause(player->source);
    player->settle = true;
    return view_source_go_to(player->source, entry) == SHW_OK;
}
