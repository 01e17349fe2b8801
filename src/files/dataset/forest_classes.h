/* Classes that a forest stores, as a palette and as those of a data set. */
#ifndef SHW_FILES_DATASET_FOREST_CLASSES_H
#define SHW_FILES_DATASET_FOREST_CLASSES_H

#include <shadewood/forest.h>

#include "files/dataset/palette.h"

/* Makes the palette of a forest: its classes in their order, and after them an entry for void, black unless a class
 * is. What a forest that was imported from CURFIL was trained without is void, too. Classes may have equal colours,
 * which mean nothing then. `name` is the forest's in messages. Errors: FORMAT, MEMORY. */
enum shw_result shw_forest_palette_make(const struct shw_forest_info *forest, const char *name,
                                        const struct shw_log *log, struct shw_palette *palette);

/* Whether a file is one that shw_forest_load() reads, by its first bytes. Pipes are not. */
bool shw_is_forest_file(const char *path);

/* Numbers the entries of a data set's palette as the forest does, and makes its classes those of the forest, where
 * these are known by their colours: the forest is an import of CURFIL's trees, or all of its classes, or all of the
 * palette's, are called after their colours (#rrggbb). Each class of the palette must then have the colour of another
 * class of the forest, which may have more, or one that CURFIL ignored, which is void; and a void entry that is called
 * after its colour is a class if the forest has one of that colour. Otherwise nothing changes, nor where the palette
 * was made of numbers in label images, so that its colours mean nothing: `from_file` says that it was not made at all.
 * The names of the classes become the forest's, which must outlive them. Errors: MEMORY. */
enum shw_result shw_forest_classes_adopt(const struct shw_forest_info *forest, bool from_file,
                                         const struct shw_log *log, struct shw_palette *palette);

#endif
