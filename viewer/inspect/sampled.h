/* A channel, or its integral image, at the pixels of a part of a large picture, computed band by band, so that no frame
 * takes long. For the main thread. */
#ifndef VIEW_INSPECT_SAMPLED_H
#define VIEW_INSPECT_SAMPLED_H

#include <shadewood/explain.h>
#include <shadewood/label.h>

struct view_sampled {
    struct shw_part part; /* width 0: none */
    int16_t *channel;     /* [part] */
    uint32_t *integral;   /* [part]: sums over each pixel and all to the left of it and above; NULL: not wanted */
    uint32_t rows;        /* of the part, complete so far */
    uint32_t *sums;       /* for integral images: those of the last row, of the whole width of the picture */
};

void view_sampled_free(struct view_sampled *sampled);

/* Begins anew. Integral images are only of parts that begin at (0, 0). False: out of memory. */
bool view_sampled_begin(const struct shw_part *part, uint32_t width, bool integral, struct view_sampled *sampled);

bool view_sampled_is_complete(const struct view_sampled *sampled);

/* Computes the next rows, about `pixels` pixels of the picture. `width` is the picture's. Errors: those of
 * shw_channel_reader_get_part(). */
enum shw_result view_sampled_continue(struct view_sampled *sampled, struct shw_channel_reader *reader, uint32_t channel,
                                      uint32_t width, uint32_t pixels);

#endif
