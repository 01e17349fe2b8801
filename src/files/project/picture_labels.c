#include "files/project/picture_labels.h"

#include <stdlib.h>

struct shw_picture_labels *shw_picture_labels_share(struct shw_picture_labels *labels)
{
    atomic_fetch_add(&labels->shares, 1);
    return labels;
}

void shw_picture_labels_release(struct shw_picture_labels **labels)
{
    struct shw_picture_labels *gone = *labels;

    *labels = NULL;
    if (gone == NULL || atomic_fetch_sub(&gone->shares, 1) > 1)
        return;
    shw_top_strokes_free(&gone->owners);
    free(gone->values);
    free(gone->visible);
    free(gone);
}

void shw_picture_labels_copy(const struct shw_picture_labels *labels, int64_t x, int64_t y, uint32_t width,
                             uint32_t height, uint32_t step, uint16_t *out)
{
    shw_top_strokes_copy(&labels->owners, x, y, width, height, step, labels->values, out);
}
