/* RGB-D data of others: folders of frames as TUM and ScanNet publish them, NYU Depth v2's labelled set, organised point
 * clouds. A kind of source is one file with a struct shw_source_kind, and an entry in the list in source.c.
 *
 * Nothing in a source is trusted: what is damaged, too large or of another type fails with one message that names the
 * file, the place in it and the reason. */
#ifndef SHW_FILES_CONVERT_SOURCE_H
#define SHW_FILES_CONVERT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <shadewood/image.h>
#include <shadewood/log.h>

/* Frames that are read from sources. */

/* Labels of pixels: numbers below SHW_VALUE_COLOUR; colours, 0xRRGGBB, plus SHW_VALUE_COLOUR; or void. */
#define SHW_VALUE_COLOUR 0x1000000u
#define SHW_VALUE_VOID   UINT32_MAX

struct shw_frame {
    uint32_t width, height;
    uint8_t *colours; /* width * height * 3: R, G, B; NULL: none */
    uint16_t *depth;  /* width * height, millimetres, 0: missing */
    uint32_t *labels; /* width * height; NULL: none */
};

/* A part of an image. Width 0: all of it. */
struct shw_frame_part {
    uint32_t x, y, width, height;
};

/* Accepts zero-initialised and freed ones. */
void shw_frame_free(struct shw_frame *frame);

/* Leaves the part of the frame; `name` is for the message. Errors: FORMAT if it is not in it. */
enum shw_result shw_frame_crop(struct shw_frame *frame, const struct shw_frame_part *part, const char *name,
                               const struct shw_log *log);

/* The nearest millimetre, the upper one of two; of positive depth at least 1, at most 65535; 0 for everything else. */
uint16_t shw_millimetres_of_metres(double metres);
/* The same for a value of which `units` are a metre. */
uint16_t shw_millimetres_of_units(uint16_t value, uint32_t units);

/* What is shown where there is no colour: grey, the nearer the lighter, 0 where depth is missing and otherwise
 * 255 - min(254, millimetres / 40). In new memory; NULL if it is exhausted. */
uint8_t *shw_colours_of_depth(const uint16_t *depth, size_t pixels);

/* R, G, B of 8 bits, without padding: samples of 16 bits become v * 255 / 65535, rounded to the nearest, the upper one
 * of two. In new memory; NULL if it is exhausted. */
uint8_t *shw_colours_of_image(const struct shw_image *image);

/* Colours in another size: each pixel is the mean of what it covers, in exact integer arithmetic, rounded to the
 * nearest, the upper one of two. In new memory; NULL if it is exhausted. */
uint8_t *shw_colours_resize(const uint8_t *colours, uint32_t width, uint32_t height, uint32_t new_width,
                            uint32_t new_height);

/* Labels in another size: each pixel has the label at its centre. As above. */
uint32_t *shw_labels_resize(const uint32_t *labels, uint32_t width, uint32_t height, uint32_t new_width,
                            uint32_t new_height);

/* How a source is read. Zero is the default at the field. Everything is borrowed. */
struct shw_source_params {
    const char *path;         /* a folder or a file */
    const char *label_folder; /* of label images, named like the colour images; default: that of the kind, or none */
    const char *label_names;  /* a table of names for label numbers; default: that of the kind, or none */
    const char *name_column;  /* of that table: "nyu40class" */
    uint32_t units;           /* depth image values per metre; default: that of the kind */
    uint32_t apart_ms;        /* the most time between a colour and its depth image; default: 20 */
    bool raw_depth;           /* measured depth with holes instead of filled depth */
    struct shw_log log;
};

/* The name of a label number. */
struct shw_label_name {
    uint32_t value;
    char *name; /* "" for void */
};

/* The label numbers that a source knows, in ascending order. Empty: those that occur. */
struct shw_label_names {
    struct shw_label_name *list;
    uint32_t count, capacity;
};

/* Sorts the names by their numbers. Errors: FORMAT if a number has two; `path` is for the message. */
enum shw_result shw_label_names_sort(struct shw_label_names *names, const char *path, const struct shw_log *log);
/* Accepts zero-initialised and freed ones. */
void shw_label_names_free(struct shw_label_names *names);

struct shw_source_kind {
    const char *name;
    const char *text;     /* for the help */
    bool is_video;        /* the frames follow each other */
    bool measures_apart;  /* uses apart_ms */
    bool has_label_files; /* uses label_folder */
    bool has_name_table;  /* uses label_names and name_column */
    bool has_units;       /* uses units */
    bool has_raw_depth;   /* uses raw_depth */

    /* Whether the path looks like one. */
    bool (*recognise)(const char *path);

    /* Loads the rest of the kind, which is in a module; NULL: everything is here. Errors, logged: UNSUPPORTED. */
    enum shw_result (*load)(const char *path, const struct shw_log *log, const struct shw_source_kind **kind);

    /* Opens a source with at least one frame; `params` must stay. Errors: IO, FORMAT, LIMIT, MEMORY, UNSUPPORTED. */
    enum shw_result (*open)(const struct shw_source_params *params, void **source);
    uint32_t (*count)(const void *source);
    bool (*has_labels)(const void *source);
    const struct shw_label_names *(*names)(const void *source);

    /* The name of a frame, different for each, without slashes; valid until the source is closed. */
    const char *(*frame_name)(const void *source, uint32_t index);

    /* Calls `visit` with the path of every file that the frame is read from. */
    void (*visit_files)(const void *source, uint32_t index, void (*visit)(void *user, const char *path), void *user);

    /* Reads a frame, which is to be freed. With `labels_only`, colours and depth may be left out. Errors: as of open.
     */
    enum shw_result (*read)(void *source, uint32_t index, bool labels_only, struct shw_frame *frame);
    void (*close)(void *source);
};

extern const struct shw_source_kind shw_source_nyu, shw_source_tum, shw_source_scannet, shw_source_pcd;

/* NULL-terminated; names, texts and recognise() only. */
extern const struct shw_source_kind *const shw_source_kinds[];

/* The kind of that name, or with NULL what the path looks like, ready to be opened. Errors: ARGUMENT, IO, FORMAT,
 * UNSUPPORTED. */
enum shw_result shw_source_find(const char *path, const char *name, const struct shw_log *log,
                                const struct shw_source_kind **kind);

/* Recognising MAT-files. */

/* Whether the file begins like a MAT-file, of any version. */
bool shw_mat_signature_recognise(const char *path);

/* Refuses MAT-files of other versions than 7.3. Errors: FORMAT, IO. */
enum shw_result shw_mat_signature_check(const char *path, const struct shw_log *log);

#endif
