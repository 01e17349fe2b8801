/* The frames before painted ones that are not files, for projects that come to be taught on motion: they are kept with
 * a frame when it is painted on, but not if motion was chosen later. Frames of videos are read again for that, on a
 * thread, and others get theirs when they are shown again. */
#ifndef VIEW_TEACH_FRAMES_BEFORE_H
#define VIEW_TEACH_FRAMES_BEFORE_H

#include "source/source.h"
#include "teach/project_file.h"

struct view_frames_before {
    struct view_source *source; /* that reads; NULL: nothing is read */
    struct view_other_inputs others;
    char *video;      /* that is open */
    uint32_t picture; /* of the project: whose frame is awaited */
    bool awaits;
    bool *tried; /* of each of the project's pictures */
    uint32_t room;
    uint64_t looked; /* the project's revision when there was nothing to read; 0: it is to be looked at */
};

/* Gives a picture of the project that lacks it the previous frame of the same picture, if that has one. Errors: MEMORY.
 */
enum shw_result view_frames_before_take(struct view_project *project, uint32_t picture,
                                        const struct view_picture *shown, const struct shw_log *log);

/* Continues, without waiting, while the project is taught on motion; says once which frames must be shown again. */
void view_frames_before_poll(struct view_frames_before *before, struct view_project *project,
                             const struct shw_log *log);

/* Whether a frame is being read. */
bool view_frames_before_are_read(const struct view_frames_before *before);

/* Gives up: another project is open, or motion is not taught. Accepts zero-initialised ones. */
void view_frames_before_end(struct view_frames_before *before);

#endif
