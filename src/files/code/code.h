/* Feature types and channel kinds that are made from text while the program runs (docs/shader-features.md). */
#ifndef SHW_FILES_CODE_CODE_H
#define SHW_FILES_CODE_CODE_H

#include <shadewood/channel_kind.h>
#include <shadewood/feature.h>
#include <shadewood/log.h>

#define SHW_CODE_ENDING ".glsl"

/* LOOK: what the text says about itself, for programs that show forests; nothing is compiled, and what is made must not
 * label or train. RUN: everything. */
enum shw_code_use { SHW_CODE_LOOK, SHW_CODE_RUN };

/* One is set. */
struct shw_code_made {
    const struct shw_feature_type *feature;
    const struct shw_channel_kind *kind;
};

/* Makes what a text of `size` bytes defines. It stays until the program ends; equal texts give the same. `file` begins
 * messages about the text: "FILE:LINE: ...". What was compiled is kept in the folder shadewood/code below
 * XDG_CACHE_HOME or ~/.cache. Any thread. Errors: FORMAT (the text), UNSUPPORTED (a compiler is missing), LIMIT (too
 * many texts), IO, MEMORY. */
enum shw_result shw_code_make(const char *file, const char *bytes, size_t size, enum shw_code_use use,
                              const struct shw_log *log, struct shw_code_made *made);

/* The same from a file. */
enum shw_result shw_code_make_file(const char *path, const struct shw_log *log, struct shw_code_made *made);

#endif
