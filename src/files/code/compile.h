/* Compiles a text, or takes what was compiled before. */
#ifndef SHW_FILES_CODE_COMPILE_H
#define SHW_FILES_CODE_COMPILE_H

#include <limits.h>

#include "dense/feature/feature_code.h"
#include "files/code/code.h"
#include "files/code/text.h"

#define SHW_CODE_SHADERS_MAX (2 * SHW_CHANNEL_VIEWS * (SHW_CHANNEL_PASSES_MAX + 1)) /* features have fewer */
#define SHW_CODE_OBJECT_MAX  (64u << 20)                                            /* bytes */

/* What a text becomes. */
struct shw_code_compiled {
    void *object;                              /* loaded: dlopen() */
    const struct shw_feature_vectors *vectors; /* of the object, or NULL */
    const void *table; /* struct shw_feature_code or struct shw_channel_code, of a loaded object, without shaders */
    char *header;      /* that was compiled */
    char *cached;      /* the file of the cache that has the shaders; NULL: there is no cache */
    uint64_t checksum; /* of the object in the cache */
    struct shw_shader shaders[SHW_CODE_SHADERS_MAX]; /* by number; words NULL: not made yet */
};

/* The numbers of shaders: of a feature type, the roles; of a channel kind, fragment, then compute, by views. A set of
 * them is their bits. */
uint64_t shw_code_all_shaders(const struct shw_code_text *text);

/* The shaders that a text needs for something. `needs` may be NULL: none. */
uint64_t shw_code_shaders_for(const struct shw_code_text *text, const struct shw_code_needs *needs);

/* Makes the object and a set of shaders; from the cache, all that it has. `patience` may be NULL. Errors: as
 * shw_code_make_while(). */
enum shw_result shw_code_compile(const struct shw_code_text *text, uint64_t set,
                                 const struct shw_code_patience *patience, const struct shw_log *log,
                                 struct shw_code_compiled *compiled);

/* Those of a set that were not made. */
uint64_t shw_code_find_missing(const struct shw_code_compiled *compiled, uint64_t set);

/* Takes those that are not there yet, and frees the others. */
void shw_code_add_shaders(struct shw_shader more[SHW_CODE_SHADERS_MAX], struct shw_code_compiled *compiled);

/* Writes the shaders that there are into the cache. */
void shw_code_remember_shaders(const struct shw_code_compiled *compiled);

/* Accepts zero-initialised ones. */
void shw_code_compiled_free(struct shw_code_compiled *compiled);

/* What the cache may have: more, or what was not used for so long, is removed when another text is compiled. */
#define SHW_CODE_CACHE_BYTES (256u << 20)
#define SHW_CODE_CACHE_DAYS  90u

/* Removes from the folder of the cache what was not used for `days`, and then what was not used for longest, until
 * there are at most so many bytes. Files whose names are not those of the cache, or that belong to others, are left
 * alone and not counted. Any thread and any number of programs. */
void shw_code_cache_trim(const char *path, uint64_t bytes, uint32_t days);

/* Notes that an open file of the cache is used, to the day. */
void shw_code_cache_use(int file);

/* Whether to go on compiling. */
bool shw_code_goes_on(const struct shw_code_patience *patience);

/* How many shaders there are of a pass of a kind, by the views that it reads: 1, 2 or SHW_CHANNEL_VIEWS; and the number
 * of its first for a stage, fragment or compute. Passes of a text without any are one. */
uint32_t shw_code_variants(const struct shw_code_text *text, uint32_t pass);
uint32_t shw_code_first_shader(const struct shw_code_text *text, uint32_t pass, bool is_fragment);

/* Compiles a set of shaders of a text, on all processors; the others' words are NULL. After an error there are none. */
enum shw_result shw_code_compile_shaders(const struct shw_code_text *text, const char *header, uint64_t set,
                                         const struct shw_code_patience *patience, const struct shw_log *log,
                                         struct shw_shader shaders[SHW_CODE_SHADERS_MAX]);
void shw_code_free_shaders(struct shw_shader shaders[SHW_CODE_SHADERS_MAX]);

/* The 32-bit lanes of the vectors that the object of a text has: 0: none. */
uint32_t shw_code_lanes(const struct shw_code_text *text);

/* The first of cc, gcc and clang in a folder of PATH; or else TinyCC, whose code is several times as slow, but which
 * comes with the program; or "". */
struct shw_code_compiler {
    char path[PATH_MAX];
    bool is_tcc;
};
struct shw_code_compiler shw_code_find_compiler(void);

/* Compiles the C side into the object `path`, in the folder, which exists and is private. */
enum shw_result shw_code_compile_object(const struct shw_code_text *text, const char *header,
                                        const struct shw_code_compiler *compiler, const char *folder, const char *path,
                                        const struct shw_code_patience *patience, const struct shw_log *log);

#endif
