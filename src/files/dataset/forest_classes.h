/* Classes as a forest stores them, as users name them, and those that are ignored. */
#ifndef SHW_FILES_DATASET_FOREST_CLASSES_H
#define SHW_FILES_DATASET_FOREST_CLASSES_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include <shadewood/dataset.h>
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

/* Classes as users name them: by name or by colour. */

/* The position of the class of that name, or if there is none, of that colour, "#rrggbb" or "R,G,B" with numbers up to
 * 255; UINT32_MAX if there is neither. */
uint32_t shw_class_find(const struct shw_class *classes, uint32_t count, const char *text);

/* What there is to choose from, for messages: "grass (#008000), sky (#0102ff) and 7 more", as many as fit. */
void shw_class_list(const struct shw_class *classes, uint32_t count, char *text, size_t size);

/* Classes that are ignored: their pixels are void when labels are read. */

/* Zero-initialised: none. */
struct shw_ignored {
    const char *const *given; /* names or colours, see shw_class_find() */
    uint32_t count;
    const struct shw_forest_info *forest; /* NULL, or: what it was trained without is ignored, too, and the classes that
                                             it has stay classes, without pixels */
};

/* Makes entries of the palette void; `name` is the palette's in messages. Other classes are numbered anew. Entries that
 * are void may be given, too. What is given and not in the palette is an error that lists what is; what the forest was
 * trained without need not be there. Errors: ARGUMENT, also if no class is left; MEMORY. */
enum shw_result shw_ignored_apply(const struct shw_ignored *ignored, const char *name, const struct shw_log *log,
                                  struct shw_palette *palette);

/* The member "ignored" of provenance: the names of the classes that were ignored, in the order of the palette.
 * NULL if memory is exhausted. */
json_t *shw_ignored_pack(const struct shw_palette *palette);

#define SHW_IGNORED_KEY "ignored"

#endif
