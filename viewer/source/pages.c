#include "source/pages.h"

#include <stdlib.h>
#include <string.h>

#include "files/image/image_file.h"
#include "files/io/image_name.h"

static bool add_file(struct shw_image_paths *paths, const char *path, uint32_t pages)
{
    bool fine = shw_image_paths_add(paths, "", path);

    for (uint32_t page = 2; page <= pages && fine; page++) {
        char *name = shw_image_page_path(path, page);
        fine = name != NULL && shw_image_paths_add(paths, "", name);
        free(name);
    }
    return fine;
}

bool view_add_pages(struct shw_image_paths *paths, const atomic_bool *stop)
{
    struct shw_image_paths all = {0};
    bool fine = true;

    for (uint32_t i = 0; i < paths->count && fine; i++) {
        uint32_t named, pages = 1;
        (void)shw_image_page_of(paths->paths[i], &named);
        if (named == 0 && (stop == NULL || !atomic_load(stop)))
            (void)shw_image_file_count_pages(paths->paths[i], NULL, &pages); /* reading tells what is wrong */
        fine = add_file(&all, paths->paths[i], pages);
    }
    shw_image_paths_free(paths);
    *paths = all;
    return fine;
}

static bool is_page(const char *path, const char *file, size_t length)
{
    uint32_t page;

    return shw_image_page_of(path, &page) == length && memcmp(path, file, length) == 0;
}

void view_find_page(const struct shw_image_paths *paths, uint32_t index, uint32_t *page, uint32_t *count)
{
    const char *path = paths->paths[index];
    size_t length = shw_image_page_of(path, page);
    uint32_t first = index, last = index;

    while (first > 0 && is_page(paths->paths[first - 1], path, length))
        first--;
    while (last + 1 < paths->count && is_page(paths->paths[last + 1], path, length))
        last++;
    *count = first < last || *page > 0 ? last - first + 1 : 0;
    if (*count > 0 && *page == 0)
        *page = 1;
}
