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

/* Makes what a text of `size` bytes defines. The caller holds it until shw_code_let_go(), or until the program ends;
 * equal texts give the same. `file` begins messages about the text: "FILE:LINE: ...". What was compiled is kept in the
 * folder shadewood/code below XDG_CACHE_HOME or ~/.cache. Any thread. Errors: FORMAT (the text), UNSUPPORTED (a
 * compiler is missing), LIMIT (too many texts are held), IO, MEMORY. */
enum shw_result shw_code_make(const char *file, const char *bytes, size_t size, enum shw_code_use use,
                              const struct shw_log *log, struct shw_code_made *made);

/* What a text is made for, by techniques as bits (1 << technique). Shaders that this needs are compiled at once, beside
 * what runs on the CPU; all others when something that uses them is created: a labeller, a trainer. */
struct shw_code_needs {
    uint32_t channels, evaluate, training;
};

/* The same for a program that does other things meanwhile, and knows which (NULL: none that need shaders): compiling is
 * given up when go_on(user) is false, which is asked every few milliseconds, by several threads. Errors: also
 * CANCELLED, not logged. */
struct shw_code_patience {
    bool (*go_on)(void *user);
    void *user;
};
enum shw_result shw_code_make_while(const char *file, const char *bytes, size_t size, enum shw_code_use use,
                                    const struct shw_code_needs *needs, const struct shw_code_patience *patience,
                                    const struct shw_log *log, struct shw_code_made *made);

/* Holds what was made once more, and ends a hold, for which everything that was created with it must be destroyed. What
 * nobody holds may make room for another text. Types and kinds that are no texts are left alone. Any thread. */
void shw_code_hold(const struct shw_code_made *made);
void shw_code_let_go(const struct shw_code_made *made);

/* Whether it is of a text and was made to run. It is held. */
bool shw_code_may_run(const struct shw_code_made *made);

/* How many of its shaders have been made so far. */
uint32_t shw_code_shader_count(const struct shw_code_made *made);

/* shw_code_make() from a file, to run. */
enum shw_result shw_code_make_file(const char *path, const struct shw_log *log, struct shw_code_made *made);

#endif
