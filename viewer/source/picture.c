#include "source/picture.h"

#include <stdlib.h>

void view_picture_free(struct view_picture *picture)
{
    if (picture == NULL)
        return;
    free((void *)picture->image.pixels);
    free(picture->labels);
    free(picture->depth_mm);
    free(picture->name);
    free(picture);
}
