/* The kinds of cascades as detection sees them: which windows there are, and on the host, what planes their tests read
 * and how their windows are walked. A kind is one file and one line in kinds.c. */
#ifndef SHW_DETECTION_DETECT_KINDS_H
#define SHW_DETECTION_DETECT_KINDS_H

#include "base/thread_pool.h"
#include "detection/detect/plan.h"

/* Rows of windows of one level at one angle. */
struct shw_detect_band {
    const struct shw_detect_level *level;
    uint32_t angle;
    uint32_t first_row, rows; /* from the level's first row on, inside its range at the angle */
};

/* What one thread finds. */
struct shw_detect_tally {
    const struct shw_detect_plan *plan;
    int32_t score_base;
    uint64_t *survivors; /* [0]: windows tested, [s + 1]: left after stage s */
    struct shw_detection *items;
    uint32_t count, capacity;
    bool failed; /* out of memory: found windows are missing */
};

/* Adds the window at a row and a column of the level, whose score is not yet reduced by score_base. */
void shw_detect_tally_add(struct shw_detect_tally *tally, const struct shw_detect_band *band, uint32_t column,
                          uint32_t row, int32_t score);

/* A walker is what a kind keeps on the host for a cascade and a size of images. Members that are NULL: the technique
 * `cpu` does not have the kind. */
struct shw_detect_kind {
    /* Adds the levels to a plan that has a size, and places them. Errors: MEMORY, LIMIT. */
    enum shw_result (*make_plan)(const struct shw_cascade *cascade, const struct shw_scan *scan,
                                 const struct shw_log *log, struct shw_detect_plan *plan);
    bool has_angles;

    /* The cascade and the scan, which is resolved, outlive the walker. Errors: MEMORY, LIMIT. */
    enum shw_result (*create)(const struct shw_cascade *cascade, const struct shw_scan *scan, const struct shw_log *log,
                              void **walker);
    void (*destroy)(void *walker); /* accepts NULL */
    /* Allocates the planes; the plan stays valid until the next call has returned. Errors: MEMORY. */
    enum shw_result (*resize)(void *walker, const struct shw_detect_plan *plan, const struct shw_log *log);
    /* Makes the planes from grey pixels without padding. */
    void (*prepare)(void *walker, const uint8_t *grey, struct shw_thread_pool *pool);
    /* Any thread, each with a tally of its own. */
    void (*walk)(const void *walker, const struct shw_detect_band *band, struct shw_detect_tally *tally);
};

/* Never NULL for kinds of cascades that exist. */
const struct shw_detect_kind *shw_detect_kind_get(enum shw_cascade_kind kind);

extern const struct shw_detect_kind shw_detect_kind_pixels, shw_detect_kind_scaled, shw_detect_kind_haar,
    shw_detect_kind_lbp;

#endif
