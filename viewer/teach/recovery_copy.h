/* The files of a copy of unsaved work: a JSON document with the project, the images of pictures that are not files, and
 * a lock. */
#ifndef VIEW_TEACH_RECOVERY_COPY_H
#define VIEW_TEACH_RECOVERY_COPY_H

#include <time.h>

#include "teach/project_file.h"

#define VIEW_COPY_FILE "work.json"
#define VIEW_COPY_PATH 4096u /* bytes of a path, with its end */

/* A painted picture that is not a file, and the file of its pixels in the folder of the copy. */
struct view_kept_frame {
    char *name; /* of the picture in the project */
    char file[24];
    uint32_t picture; /* its number when it was added */
};
struct view_kept_frames {
    struct view_kept_frame *frames;
    uint32_t count;
};

/* Adds those that are missing. Errors: MEMORY, not logged. */
enum shw_result view_kept_frames_update(struct view_kept_frames *frames, const struct view_project *project);
void view_kept_frames_free(struct view_kept_frames *frames);

/* The document; to be freed with free(). NULL: memory is exhausted. */
char *view_copy_encode(const struct view_project *project, const struct view_kept_frames *frames);

/* Reads the document of a folder and, if `frames`, the images. Errors: IO, FORMAT, MEMORY. */
enum shw_result view_copy_read(const char *folder, bool frames, const struct shw_log *log,
                               struct view_project *project);

/* Locks a folder; -1: it is locked, or cannot be. The lock ends when the descriptor is closed. */
int view_copy_lock(const char *folder);
/* Whether somebody holds the lock of a folder, with the path that is noted in it; "" if there is none. */
bool view_copy_is_held(const char *folder, char path[VIEW_COPY_PATH]);
/* Notes the path of the open project in the lock; NULL: none. */
void view_copy_note_path(int lock, const char *path);

/* Removes a folder with the files of a copy, and nothing else. */
void view_copy_remove(const char *folder);

#endif
