/* Where exports went, by project, so that the next one is offered the same folder. For the main thread. */
#ifndef VIEW_EXPORT_EXPORT_FOLDERS_H
#define VIEW_EXPORT_EXPORT_FOLDERS_H

#include <stdint.h>

#define VIEW_EXPORT_FOLDERS 12u

struct view_export_folders {
    struct {
        char *project; /* its file; "": without one */
        char *folder;
    } list[VIEW_EXPORT_FOLDERS]; /* the latest first */
    uint32_t count;
};

/* Notes a folder, as an absolute path; nothing happens if memory is exhausted. `project` NULL: none. */
void view_export_folders_note(struct view_export_folders *folders, const char *project, const char *folder);

/* The folder of a project's last export; without one, NULL. */
const char *view_export_folders_find(const struct view_export_folders *folders, const char *project);

/* Accepts zero-initialised ones. */
void view_export_folders_free(struct view_export_folders *folders);

#endif
