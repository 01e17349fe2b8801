/* A forest as a shader for engines that do not want a library: one text, its table as a texture, and a description of
 * the passes (docs/export.md). */
#ifndef SHW_FILES_SHADER_FOREST_SHADER_H
#define SHW_FILES_SHADER_FOREST_SHADER_H

#include <jansson.h>

#include <shadewood/forest.h>

#include "files/io/file_kind.h"

enum shw_shader_file {
    SHW_SHADER_SOURCE,  /* NAME.glsl */
    SHW_SHADER_COMPUTE, /* NAME.comp, NAME.frag: the passes */
    SHW_SHADER_FRAGMENT,
    SHW_SHADER_DESCRIPTION, /* NAME.json */
    SHW_SHADER_TABLE,       /* NAME.ktx2 */
    SHW_SHADER_RAW_TABLE,   /* NAME.rgba32ui */
    SHW_SHADER_LAB_TABLE,   /* NAME-lab.rgba32ui; only if the channels need it */
    SHW_SHADER_FILES
};

struct shw_forest_shader {
    char name[64]; /* of the files, and of functions in the text */
    struct {
        void *bytes; /* NULL: there is none */
        size_t size;
    } files[SHW_SHADER_FILES];
    uint32_t lines; /* of the source */
};

/* Writes everything to memory. `path` is that of the forest: it gives the name, and begins messages. Errors:
 * UNSUPPORTED (the message says what of the forest a shader cannot do), MEMORY. Free it in either case. Any thread. */
enum shw_result shw_forest_shader_make(const struct shw_forest *forest, const char *path, const struct shw_log *log,
                                       struct shw_forest_shader *shader);
void shw_forest_shader_free(struct shw_forest_shader *shader);

/* The path of a file in a folder, to be freed with free(); NULL if memory runs out. */
char *shw_forest_shader_path(const struct shw_forest_shader *shader, enum shw_shader_file file, const char *folder);
const struct shw_file_kind *shw_forest_shader_kind(enum shw_shader_file file);

/* Whether a table that has no mark is known as ours: it has the bytes that are to be written, or, the raw table, those
 * of the table beside it that has a mark. False for other files, and if memory runs out. */
bool shw_forest_shader_is_known(const struct shw_forest_shader *shader, enum shw_shader_file file, const char *folder);

/* Writes the files that have been made, `paths[f]` each (NULL: not). None gets its name before all are on the disk, so
 * that a full one leaves what was there. `may_write` is asked before anything is named. Errors: IO, MEMORY, and those
 * of `may_write`. */
enum shw_result shw_forest_shader_write(const struct shw_forest_shader *shader, char *const paths[SHW_SHADER_FILES],
                                        enum shw_result (*may_write)(void *user, const char *path), void *user,
                                        const struct shw_log *log);

#endif
