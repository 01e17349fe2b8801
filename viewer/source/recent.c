#include "source/recent.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "files/io/image_paths.h"

/* False if there is no such file. */
static bool stamp(const char *path, struct view_recent_picture *entry)
{
    uint32_t page;
    char *file = shw_image_file_of(path, &page);
    struct stat status;
    bool found = file != NULL && stat(file, &status) == 0;

    free(file);
    if (!found)
        return false;
    entry->stamp.device = status.st_dev;
    entry->stamp.number = status.st_ino;
    entry->stamp.size = status.st_size;
    entry->stamp.changed = status.st_mtim;
    return true;
}

static bool is_unchanged(const struct view_recent_picture *entry)
{
    struct view_recent_picture now = {0};

    return stamp(entry->picture->name, &now) && now.stamp.device == entry->stamp.device &&
           now.stamp.number == entry->stamp.number && now.stamp.size == entry->stamp.size &&
           now.stamp.changed.tv_sec == entry->stamp.changed.tv_sec &&
           now.stamp.changed.tv_nsec == entry->stamp.changed.tv_nsec;
}

static void drop(struct view_recent_picture *entry)
{
    view_picture_free(entry->picture);
    *entry = (struct view_recent_picture){0};
}

struct view_picture *view_recent_find(struct view_recent *recent, uint32_t index, const struct shw_image_choice *choice)
{
    for (uint32_t i = 0; i < VIEW_RECENT_PICTURES; i++) {
        struct view_recent_picture *entry = &recent->pictures[i];

        if (entry->picture == NULL || entry->index != index)
            continue;
        if (shw_image_choice_equal(&entry->picture->choice, choice) && is_unchanged(entry)) {
            entry->used = ++recent->uses;
            return view_picture_copy(entry->picture);
        }
        drop(entry);
    }
    return NULL;
}

/* A free place, after making room for so many bytes. */
static struct view_recent_picture *make_room(struct view_recent *recent, size_t bytes)
{
    for (;;) {
        struct view_recent_picture *oldest = NULL, *room = NULL;
        size_t sum = bytes;

        for (uint32_t i = 0; i < VIEW_RECENT_PICTURES; i++) {
            struct view_recent_picture *entry = &recent->pictures[i];
            sum += entry->bytes;
            if (entry->picture == NULL)
                room = entry;
            else if (oldest == NULL || entry->used < oldest->used)
                oldest = entry;
        }
        if (room != NULL && sum <= recent->limit)
            return room;
        drop(oldest);
    }
}

void view_recent_keep(struct view_recent *recent, uint32_t index, const struct view_picture *picture)
{
    const struct shw_image *image = &picture->image;
    struct view_recent_picture made = {.index = index,
                                       .bytes = (size_t)image->width * image->height * shw_pixel_size(image->format)};

    if (made.bytes > recent->limit / 2 || !stamp(picture->name, &made))
        return;
    made.picture = view_picture_copy(picture);
    if (made.picture == NULL)
        return;
    made.used = ++recent->uses;
    *make_room(recent, made.bytes) = made;
}

void view_recent_free(struct view_recent *recent)
{
    for (uint32_t i = 0; i < VIEW_RECENT_PICTURES; i++)
        drop(&recent->pictures[i]);
}
