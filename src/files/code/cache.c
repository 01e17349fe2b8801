/* Keeps the folder of what was compiled small: what nobody has used for longest goes first. Other programs use and make
 * the same files meanwhile: whoever has one open or loaded keeps it, and whoever misses one compiles again. */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "files/code/compile.h"

#define DAY       86400
#define HASH_SIZE 32u /* hexadecimal digits */

/* HASH.so and HASH.spv, or HASH-tcc.so and HASH-tcc.spv. */
struct made {
    char stem[HASH_SIZE + 8];
    uint64_t size;
    time_t used; /* the later time of both */
};

/* The length of the name without its ending; 0: the file is not ours. */
static size_t stem_length(const char *name)
{
    size_t length = 0;

    while (length < HASH_SIZE && isxdigit((unsigned char)name[length]) && !isupper((unsigned char)name[length]))
        length++;
    if (length < HASH_SIZE)
        return 0;
    length += strncmp(name + length, "-tcc", 4) == 0 ? 4 : 0;
    return strcmp(name + length, ".so") == 0 || strcmp(name + length, ".spv") == 0 ? length : 0;
}

static int by_stem(const void *a, const void *b)
{
    return strcmp(((const struct made *)a)->stem, ((const struct made *)b)->stem);
}

static int by_use(const void *a, const void *b)
{
    const struct made *x = a, *y = b;

    return x->used != y->used ? (x->used < y->used ? -1 : 1) : by_stem(a, b);
}

/* The files of the folder that are ours, each for itself. */
static struct made *list_files(int folder, DIR *stream, size_t *count)
{
    struct made *list = NULL;
    size_t room = 0;
    struct dirent *entry;

    for (*count = 0; (entry = readdir(stream)) != NULL;) {
        const size_t length = stem_length(entry->d_name);
        struct stat status;

        if (length == 0 || fstatat(folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(status.st_mode) || status.st_uid != geteuid())
            continue;
        if (*count == room) {
            struct made *grown = realloc(list, (room = 2 * room + 64) * sizeof *list);

            if (grown == NULL)
                break; /* the others another time */
            list = grown;
        }
        list[*count] = (struct made){.size = (uint64_t)status.st_size, .used = status.st_mtime};
        snprintf(list[(*count)++].stem, sizeof list->stem, "%.*s", (int)length, entry->d_name);
    }
    return list;
}

/* Both files of a text become one entry. */
static size_t join(struct made *list, size_t count)
{
    size_t joined = 0;

    if (count > 0)
        qsort(list, count, sizeof *list, by_stem);
    for (size_t i = 0; i < count; i++)
        if (joined > 0 && strcmp(list[joined - 1].stem, list[i].stem) == 0) {
            list[joined - 1].size += list[i].size;
            list[joined - 1].used = list[i].used > list[joined - 1].used ? list[i].used : list[joined - 1].used;
        } else {
            list[joined++] = list[i];
        }
    return joined;
}

/* That which says what the other is goes first. */
static void remove_made(int folder, const struct made *made)
{
    static const char *const endings[] = {".spv", ".so"};

    for (int e = 0; e < 2; e++) {
        char name[sizeof made->stem + 8];

        snprintf(name, sizeof name, "%s%s", made->stem, endings[e]);
        (void)unlinkat(folder, name, 0);
    }
}

void shw_code_cache_trim(const char *path, uint64_t bytes, uint32_t days)
{
    const time_t oldest = time(NULL) - (time_t)days * DAY;
    DIR *stream = opendir(path);
    struct made *list;
    uint64_t total = 0;
    size_t count;

    if (stream == NULL)
        return;
    list = list_files(dirfd(stream), stream, &count);
    count = join(list, count);
    if (count > 0)
        qsort(list, count, sizeof *list, by_use);
    for (size_t i = 0; i < count; i++)
        total += list[i].size;
    for (size_t i = 0; i < count && (total > bytes || list[i].used < oldest); i++) {
        remove_made(dirfd(stream), &list[i]);
        total -= list[i].size;
    }
    free(list);
    closedir(stream);
}

void shw_code_cache_use(int file)
{
    const time_t now = time(NULL);
    struct stat status;

    if (fstat(file, &status) == 0 && now - status.st_mtime > DAY)
        (void)futimens(file, NULL);
}
