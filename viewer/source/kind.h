/* Kinds of sources. */
#ifndef VIEW_SOURCE_KIND_H
#define VIEW_SOURCE_KIND_H

enum view_source_kind {
    VIEW_SOURCE_IMAGE,   /* one image file */
    VIEW_SOURCE_FOLDER,  /* the image files of a folder, in natural order of their names; not those of its sub-folders
                          */
    VIEW_SOURCE_DATASET, /* images with ground truth, in natural order of their names, or in that of sequences.txt */
    VIEW_SOURCE_VIDEO,
    VIEW_SOURCE_CAMERA
};

#endif
