/* Data sets on disk. */
#ifndef SHW_FILES_DATASET_DATASET_H
#define SHW_FILES_DATASET_DATASET_H

#include <stddef.h>
#include <stdint.h>

#include <shadewood/dataset.h>
#include <shadewood/input.h>
#include <shadewood/log.h>

#include "files/dataset/examples.h"
#include "files/dataset/forest_classes.h"
#include "files/dataset/palette.h"
#include "files/image/image_file.h"

enum shw_dataset_layout {
    SHW_DATASET_PATTERNS = 0,
    SHW_DATASET_CURFIL /* the patterns {}_colors.png, {}_ground_truth.png and, unless `inputs` has another depth,
                          {}_depth.png */
};

/* The location of a data set. Zero means the default at the field; only `log` is kept.
 *
 * A pattern is a path in which {} stands for the name of the example, once in `images`, once or more in the others:
 * images "images/{}.png" and labels "labels/{}_L.png". A name may contain slashes: sub-folders are searched too. Files
 * that match `images` but are the label image or another input of another example are not images ("{}.bmp" with
 * "{}_GT.bmp").
 *
 * Examples are numbered in bytewise order of their names, on which hashes of forests depend. Without splits, they are
 * all examples with complete files; images without a label file or an input are skipped with one warning. With splits,
 * they are the listed ones, and a missing file is an error.
 *
 * Examples whose names have one folder are frames of one sequence, in natural order of their names (f8 before f10) or,
 * with splits, in the order in which they are listed; names without a folder are single images. If a split file has a
 * line "---", split files state the sequences instead: one begins at each such line and in each file, and has the order
 * of its lines. A name that is listed twice counts where it is listed first.
 *
 * Without a palette file, `palette.json` in the root or its parent is used if it exists. Otherwise the classes are the
 * values or colours that occur in the label images of all examples, listed or not, in ascending order ("class 0",
 * "#ff8000"; black, as a colour, is void); all label images are read to find them. The value 65535 of a 16-bit label
 * image is always void. */
struct shw_dataset_params {
    const char *root; /* a folder; the current one */
    enum shw_dataset_layout layout;
    const char *images;                  /* a pattern, relative to the root; required with PATTERNS, otherwise NULL */
    const char *labels;                  /* a pattern; NULL: unlabelled */
    const struct shw_input_file *inputs; /* other inputs than the colour image, their files as patterns */
    uint32_t input_count;
    const char *patterns_hint;  /* how the user can state patterns, for a message: "--images"; NULL: not at all */
    const char *palette_path;   /* NULL: see above */
    struct shw_ignored ignored; /* classes whose pixels are void; used by shw_dataset_open() alone, which also takes the
                                   forest's classes where these are known by colours (files/dataset/forest_classes.h);
                                   they must then outlive the data set */
    const char *const *splits;  /* paths, not relative to the root: files that list names, one per line; empty lines and
                                         lines that begin with # are ignored, names may have extensions */
    uint32_t split_count;
    bool with_previous; /* examples come with the previous frame of their sequence */
    enum shw_label_kind label_kind;
    struct shw_image_choice choice; /* for images and previous frames; completed by the first image */
    size_t cache_bytes;             /* of decoded pixels kept in memory, the least recently used are evicted: 1 GiB */
    struct shw_log log;
};

/* Finds the files of a data set. An unlabelled one without a palette has one class without a name. read() decodes, on
 * any thread, and reports to the log. Errors: IO, FORMAT, LIMIT, MEMORY, ARGUMENT. */
enum shw_result shw_dataset_open(const struct shw_dataset_params *params, struct shw_dataset *dataset);

/* Closes a data set; all examples must have been released. Accepts NULL, zero-initialised and closed ones. */
void shw_dataset_close(struct shw_dataset *dataset);

/* What label images mean, with the classes that are ignored; empty if the data set is unlabelled. Valid until it is
 * closed. */
const struct shw_palette *shw_dataset_get_palette(const struct shw_dataset *dataset);

/* The choice with which images are read. */
struct shw_image_choice shw_dataset_get_choice(const struct shw_dataset *dataset);
/* Changes it, completed by the first image; what is in the cache is forgotten. All examples must have been released.
 * Errors: those of shw_image_choice_settle(), MEMORY. */
enum shw_result shw_dataset_set_choice(const struct shw_dataset *dataset, const struct shw_image_choice *choice);

/* The name of an example, without decoding it. */
const char *shw_dataset_name(const struct shw_dataset *dataset, uint32_t index);

/* The path of its image, to be freed with free(); NULL if memory is exhausted. */
char *shw_dataset_image_path(const struct shw_dataset *dataset, uint32_t index);

/* Calls `visit` with the path of every file of the data set, except split files: the palette, and the images, label
 * images and other inputs of all examples. Errors: MEMORY. */
enum shw_result shw_dataset_list_files(const struct shw_dataset *dataset, void (*visit)(void *user, const char *path),
                                       void *user);

/* The order in which people see the examples, which is not that of their numbers: as split files list them, otherwise
 * in natural order of their names (f8 before f10). The number of the example at a place, from 0. */
uint32_t shw_dataset_at(const struct shw_dataset *dataset, uint32_t place);

/* The place of the frame before the one at a place, in one sequence. False: there is none. */
bool shw_dataset_find_before(const struct shw_dataset *dataset, uint32_t place, uint32_t *before);

/* A cache of decoded examples: those in use, and the most recently used of the others. */

struct shw_decoded_example {
    struct shw_image_file image;
    uint16_t *labels; /* NULL: none */
    uint32_t input_count;
    struct shw_image_file files[SHW_INPUTS_MAX]; /* of the other inputs */
    struct shw_input inputs[SHW_INPUTS_MAX];
};
void shw_decoded_example_free(struct shw_decoded_example *example);

struct shw_cache;

/* For examples 0..count-1. Keeps at most `bytes` of pixels beyond those in use. Errors: MEMORY. */
enum shw_result shw_cache_create(uint32_t count, size_t bytes, const struct shw_log *log, struct shw_cache **cache);
void shw_cache_destroy(struct shw_cache **cache);

/* The entry of an example in use. The functions below may be called from any thread. */
struct shw_cache_entry;
const struct shw_decoded_example *shw_cache_entry_get(const struct shw_cache_entry *entry);

/* The entry of an example, with another use. NULL: the calling thread decodes it, and then inserts it or gives it up;
 * other threads that look for it wait for that. */
struct shw_cache_entry *shw_cache_find(struct shw_cache *cache, uint32_t index);

void shw_cache_give_up(struct shw_cache *cache, uint32_t index);

/* Adds a decoded example, taking ownership, or frees it if another thread was faster; the entry is in use. NULL if
 * memory is exhausted; the example is then freed. */
struct shw_cache_entry *shw_cache_insert(struct shw_cache *cache, uint32_t index, struct shw_decoded_example *example);

/* Ends one use. */
void shw_cache_release(struct shw_cache *cache, struct shw_cache_entry *entry);

#endif
