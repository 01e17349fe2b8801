/* Palettes: the meaning of values and colours in label images.
 *
 * The file is JSON: {"classes": [{"name": "grass", "colour": [0, 128, 0], "void": false}, ...]}; "void" is
 * optional. The label value (palette index, grey value) of an entry is its position in the list, from 0. Void entries
 * mark pixels that belong to no class; the others are the classes, numbered in order. */
#ifndef SHW_FILES_DATASET_PALETTE_H
#define SHW_FILES_DATASET_PALETTE_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/dataset.h>
#include <shadewood/log.h>

#include "files/image/image_file.h"

struct shw_palette_entry {
    char *name;
    uint8_t colour[3];
    bool is_void;
    bool is_ignored;       /* its pixels are void, whether or not it is a class; see files/dataset/forest_classes.h */
    uint16_t class_number; /* of its pixels: SHW_LABEL_VOID for void and ignored */
};

struct shw_palette {
    uint32_t entry_count; /* 1..SHW_CLASSES_MAX */
    struct shw_palette_entry *entries;
    uint32_t class_count; /* at least 1 */
    struct shw_class *classes;
    uint64_t *by_colour; /* colour << 32 | position, sorted, for shw_palette_find() */
};

/* Reads a palette file, or takes the classes of a forest file and void (files/dataset/forest_classes.h). Errors: IO,
 * FORMAT, LIMIT, MEMORY; VERSION of a forest. */
enum shw_result shw_palette_read(const char *path, const struct shw_log *log, struct shw_palette *palette);
/* The same from memory; `name` is for messages. */
enum shw_result shw_palette_decode(const void *bytes, size_t size, const char *name, const struct shw_log *log,
                                   struct shw_palette *palette);

/* Reads one whose entries may have equal colours, for values that are numbers: what such a colour means is not known.
 * Errors as above. */
enum shw_result shw_palette_read_numbers(const char *path, const struct shw_log *log, struct shw_palette *palette);

/* Writes a palette file that reads back as the same palette. Errors: IO, MEMORY. */
enum shw_result shw_palette_write(const char *path, const struct shw_palette *palette, const struct shw_log *log);

/* Makes a palette of copies of the entries; `name` and `log` as above. Refuses two classes of the same name, two
 * entries of the same colour unless both are void, and palettes without a class. class_number is ignored. Errors:
 * FORMAT, LIMIT, MEMORY. */
enum shw_result shw_palette_make(const struct shw_palette_entry *entries, uint32_t entry_count, const char *name,
                                 const struct shw_log *log, struct shw_palette *palette);

/* The same for numbers: of entries with equal colours, shw_palette_find() knows none unless all are void. */
enum shw_result shw_palette_make_numbers(const struct shw_palette_entry *entries, uint32_t entry_count,
                                         const char *name, const struct shw_log *log, struct shw_palette *palette);

/* Accepts NULL, zero-initialised and freed ones. */
void shw_palette_free(struct shw_palette *palette);

/* The position of the entry with that colour, or UINT32_MAX; of several void entries with the same colour, any. */
uint32_t shw_palette_find(const struct shw_palette *palette, const uint8_t colour[3]);

/* A colour for unlabelled pixels: black, or the first colour that no class has. */
void shw_palette_void_colour(const struct shw_class *classes, uint32_t count, uint8_t colour[3]);

/* The default colour of a class (base/class.h): never black, and different for all numbers below
 * SHW_CLASSES_MAX. */
void shw_palette_default_colour(uint32_t number, uint8_t colour[3]);

/* Conversion of label images to class numbers. */

/* The class of each pixel, or SHW_LABEL_VOID, in new memory, to be released with free(). A value or colour that is not
 * in the palette is an error that names file, pixel and value. Errors: FORMAT, MEMORY. */
enum shw_result shw_labels_to_classes(const struct shw_label_file *file, const char *name,
                                      const struct shw_palette *palette, const struct shw_log *log, uint16_t **classes);

/* Makes a palette of the values or colours that occur, as for shw_dataset_params. `read` returns label image `index`
 * below `count`. Errors: those of `read`, FORMAT, LIMIT, MEMORY. */
enum shw_result shw_palette_derive(uint32_t count,
                                   enum shw_result (*read)(void *user, uint32_t index, struct shw_label_file *file),
                                   void *user, const char *name, const struct shw_log *log,
                                   struct shw_palette *palette);

#endif
