/* Forests that bring feature types and channel kinds as text, which nothing runs unasked. */
#ifndef SHW_FILES_CODE_FOREST_CODE_H
#define SHW_FILES_CODE_FOREST_CODE_H

#include <shadewood/forest.h>

#include "dense/forest/code.h"
#include "files/code/code.h"

/* REFUSED: a forest with texts is refused by a message that says what it brings and how to allow it. TRUSTED: they are
 * compiled and run. LOOK: the forest is only looked at, merged or saved, and nothing is run. */
enum shw_code_trust { SHW_CODE_REFUSED, SHW_CODE_TRUSTED, SHW_CODE_LOOK_ONLY };

/* shw_forest_load() for any forest. It holds what it has of texts: shw_code_destroy_forest() ends that. Errors: also
 * those of shw_code_make(); ARGUMENT for a refused one. */
enum shw_result shw_code_forest_load(const char *path, enum shw_code_trust trust,
                                     const struct shw_forest_load_params *params, struct shw_forest **forest);

/* The same from memory; `name` begins messages. */
enum shw_result shw_code_forest_load_memory(const void *bytes, size_t size, const char *name, enum shw_code_trust trust,
                                            const struct shw_forest_load_params *params, struct shw_forest **forest);

/* The kinds of texts in a list of channels, without their holds. */
void shw_code_list_kinds(const struct shw_channel_list *list, struct shw_channel_kinds *kinds);

/* Holds the kinds of texts in a list of channels, and ends that. */
void shw_code_hold_list(const struct shw_channel_list *list);
void shw_code_let_go_list(const struct shw_channel_list *list);

/* Holds the types and kinds of texts that the forest has, those of the levels below included, as long as it exists: it
 * must be destroyed by the second function, which accepts NULL and a pointer to NULL. */
void shw_code_hold_forest(const struct shw_forest *forest);
void shw_code_destroy_forest(struct shw_forest **forest);

/* Says what brings texts and how they are allowed; `where` they can be read. Returns ARGUMENT. */
enum shw_result shw_code_refuse_texts(const char *name, const struct shw_forest_code *list, uint32_t count,
                                      const char *where, const struct shw_log *log);

#endif
