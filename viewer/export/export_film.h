/* The overlay of a whole video, as a video. For the thread of an export. */
#ifndef VIEW_EXPORT_EXPORT_FILM_H
#define VIEW_EXPORT_EXPORT_FILM_H

#include "base/atomic_file.h"
#include "export/export_job.h"
#include "files/video/video_write.h"

struct view_export_film {
    char *path;                     /* NULL: none is written */
    struct shw_atomic_file written; /* from the first frame on, like the next */
    struct shw_video_file *file;
    double frame_rate;
    bool failed; /* nothing is added any more */
};

/* The path of the film for a video; to be freed. NULL if memory is exhausted. */
char *view_export_film_path(const struct view_export_item *item);

/* Prepares one if the export asks for it and it is not kept. Errors: MEMORY. */
enum shw_result view_export_film_begin(const struct view_export_job *job, const struct view_export_item *item,
                                       double frame_rate, struct view_export_film *film);

/* Adds a frame. Errors: IO, FORMAT (another size), MEMORY. */
enum shw_result view_export_film_add(const struct view_export_job *job, struct view_export_film *film,
                                     const struct view_picture *picture, const uint16_t *labels);

/* Gives the film its name or, unless it is complete, forgets it. Errors: IO, MEMORY. */
enum shw_result view_export_film_end(const struct view_export_job *job, struct view_export_film *film, bool complete);

#endif
