/* The internals of a session, private to this folder. */
#ifndef SHW_FILES_SERVE_SESSION_STATE_H
#define SHW_FILES_SERVE_SESSION_STATE_H

#include "files/code/code.h"
#include "files/project/project_texts.h"
#include "files/serve/session.h"

struct served_settings {
    bool given;
    bool refused;           /* it has texts, which are not trusted */
    enum shw_result failed; /* of compiling them */
    struct shw_project_training training;
    char *notes;
    struct shw_class *classes;
    uint32_t class_count;
    struct shw_code_made texts[SHW_PROJECT_TEXTS_MAX]; /* held */
    uint32_t text_count;
};

/* Where the pixels of a picture come from. */
struct served_origin;

struct served_picture {
    char *name;
    uint64_t name_bytes, bytes; /* counted */
    uint32_t width, height, generation;
    bool kept;
    uint16_t *classes; /* of its strokes */
    uint32_t stroke_count, stroke_capacity;
    struct shw_top_strokes top;
    struct shw_picture_labels *labels; /* of these; NULL: they have changed */
    struct shw_pixels *pixels;
    struct served_origin *origin; /* that of `pixels`, as long as these are held */
};

struct shw_session {
    struct shw_session_params params;
    struct served_settings settings;
    struct served_picture **pictures; /* SHW_SESSION_PICTURES_MAX */
    uint32_t picture_count, numbers_end;
    uint64_t bytes; /* of labels, names and settings */
    struct shw_squares cache;
    uint64_t pixel_bytes;          /* in use */
    struct served_fetch *fetching; /* NULL: nothing is being fetched */
};

/* Pixels of a picture that the client has; NULL if memory is exhausted. */
struct shw_pixels *shw_served_pixels_create(struct shw_session *session, uint32_t number, uint32_t width,
                                            uint32_t height, struct served_origin **origin);

#endif
