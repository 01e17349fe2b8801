/* Going to a picture of the open source by what it is called. */
#include <stdlib.h>
#include <string.h>

#include "source/file_place.h"
#include "source/source.h"

#define ROUNDING 0.0005 /* seconds: names of frames have three decimals */

/* Whether that is the path of the place, by whatever links of its folder. */
static bool is_at(const char *path, const char *place, const char *last, struct view_real_folder *folder)
{
    const size_t length = path != NULL ? strlen(path) : 0;
    char *real;
    bool same;

    if (length < strlen(last) || strcmp(path + length - strlen(last), last) != 0)
        return false;
    real = view_real_place(path, folder);
    same = real != NULL && strcmp(real, place) == 0;
    free(real);
    return same;
}

/* By the picture's name, or by the file of an example. */
static bool find_place(const struct view_player *player, const char *place, uint32_t *entry)
{
    const char *slash = strrchr(place, '/'), *last = slash != NULL ? slash + 1 : place;
    uint32_t count = view_player_info(player).count;
    struct view_real_folder folder = {0};
    bool found = false;

    for (uint32_t i = 0; i < count && !found; i++) {
        char *file = view_source_file(player->source, i);

        found = is_at(view_source_name(player->source, i), place, last, &folder) || is_at(file, place, last, &folder);
        *entry = i;
        free(file);
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
