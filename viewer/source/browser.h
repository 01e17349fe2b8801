/* The files in a folder that can be opened. For the main thread. */
#ifndef VIEW_SOURCE_BROWSER_H
#define VIEW_SOURCE_BROWSER_H

#include <stdbool.h>
#include <stdint.h>

#define VIEW_BROWSER_ENTRIES 20000u /* further ones are omitted */

struct view_browser_entry {
    char *name;
    bool folder;
};

struct view_browser {
    char *folder;                       /* absolute; NULL: none yet */
    struct view_browser_entry *entries; /* folders first, in natural order of their names, whatever the case of letters;
                                           without hidden files and files that cannot be opened */
    uint32_t count;
    bool (*wants)(const char *name); /* of files; NULL: all that can be opened */
};

/* Goes to a folder, relative to the current one; ".." is its parent. False: it cannot be read, and nothing has changed.
 */
bool view_browser_go(struct view_browser *browser, const char *folder);

/* Whether that is the current folder. */
bool view_browser_is_at(const struct view_browser *browser, const char *folder);

/* The absolute path of an entry, to be freed; NULL if out of memory. */
char *view_browser_path(const struct view_browser *browser, const char *name);

/* Accepts zero-initialised and freed ones. */
void view_browser_free(struct view_browser *browser);

/* The action that opens a path or another source specification, by the name's extension and, for .ktx2, by what the
 * file says that it holds: "forest", "detect-open", "project", "rectangles" or "open". */
const char *view_opening_action(const char *path);

#endif
