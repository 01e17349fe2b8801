/* Feature types and channel kinds of a project's own, as text (docs/shader-features.md), and whether they may run.
 *
 * The texts are stored in the project's file. A project that was read runs none of them: they were only looked at,
 * until somebody allows more. Not part of the history; every change is a change of training. */
#ifndef SHW_FILES_PROJECT_PROJECT_TEXTS_H
#define SHW_FILES_PROJECT_PROJECT_TEXTS_H

#include <shadewood/channel_kind.h>
#include <shadewood/feature.h>

#include "files/code/code.h"
#include "files/project/project.h"

#define SHW_PROJECT_TEXTS_MAX 16u

/* Valid until texts change. */
struct shw_project_text {
    const char *name; /* of the feature type or channel kind */
    const char *path; /* of the file that it came from, from the project's folder; NULL: none is known */
    const char *text;
    bool is_feature;
    bool runs;                 /* it may, and has been compiled */
    struct shw_code_made made; /* held by the project */
};

uint32_t shw_project_get_text_count(const struct shw_project *project);
struct shw_project_text shw_project_get_text(const struct shw_project *project, uint32_t index);

/* Puts what a text makes into the place of the text from the same file or, without one, of the same name; a feature
 * type into that of the feature type, since a project has one. A new channel kind is added to the channels of training,
 * with the smallest parameter, and one with another name takes the place of the old one there. The project takes over
 * the hold of `made`, also if it fails. `path` may be NULL. Errors: ARGUMENT (training has a parameter that the kind no
 * longer takes, or it reads an input that a project does not keep), LIMIT, MEMORY; nothing is changed then. */
enum shw_result shw_project_put_text(struct shw_project *project, const char *path, const struct shw_code_made *made);

/* Removes a text, and what is made of it from the channels of training. */
void shw_project_remove_text(struct shw_project *project, uint32_t index);

/* What texts and training are now, to go back to: keep, then either return or forget, which accepts NULL in it. False:
 * out of memory. */
struct shw_project_texts;
bool shw_project_keep_texts(const struct shw_project *project, struct shw_project_texts **kept);
void shw_project_return_texts(struct shw_project *project, struct shw_project_texts **kept);
void shw_project_forget_texts(struct shw_project_texts **kept);

/* Whether there are texts that may not run. Training is then refused. */
bool shw_project_is_held_back(const struct shw_project *project);

/* Compiles texts that were only looked at, so that they run. Errors: those of shw_code_make_while(). */
enum shw_result shw_project_run_texts(struct shw_project *project, const struct shw_code_patience *patience,
                                      const struct shw_log *log);

/* Says what the project brings and how it is allowed; `name` is that of its file. Returns ARGUMENT. */
enum shw_result shw_project_refuse_texts(const struct shw_project *project, const char *name,
                                         const struct shw_log *log);

/* What lists of the project's channels may name besides the library's kinds. */
const struct shw_channel_kinds *shw_project_get_kinds(const struct shw_project *project);

/* The feature type of training; NULL: the usual one. */
const struct shw_feature_type *shw_project_get_feature(const struct shw_project *project);

/* The path of a text's file, or NULL if none is known or memory is exhausted; to be freed with free(). */
char *shw_project_text_file(const struct shw_project *project, uint32_t index);

#endif
