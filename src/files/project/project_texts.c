#include "files/project/project_texts.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "dense/channels/channels.h"
#include "files/code/forest_code.h"
#include "files/io/image_paths.h"
#include "files/project/state.h"

static const char *name_of(const struct shw_code_made *made)
{
    return made->feature != NULL ? made->feature->name : made->kind->name;
}

static const char *text_of(const struct shw_code_made *made)
{
    return made->feature != NULL ? made->feature->text : made->kind->text;
}

uint32_t shw_project_get_text_count(const struct shw_project *project)
{
    return project->texts.count;
}

struct shw_project_text shw_project_get_text(const struct shw_project *project, uint32_t index)
{
    const struct shw_text_state *state = &project->texts.list[index];

    return (struct shw_project_text){.name = name_of(&state->made),
                                     .path = state->path,
                                     .text = text_of(&state->made),
                                     .is_feature = state->made.feature != NULL,
                                     .runs = shw_code_may_run(&state->made),
                                     .made = state->made};
}

const struct shw_channel_kinds *shw_project_get_kinds(const struct shw_project *project)
{
    return &project->texts.kinds;
}

const struct shw_feature_type *shw_project_get_feature(const struct shw_project *project)
{
    for (uint32_t i = 0; i < project->texts.count; i++)
        if (project->texts.list[i].made.feature != NULL)
            return project->texts.list[i].made.feature;
    return NULL;
}

void shw_project_list_kinds(struct shw_text_states *texts)
{
    static atomic_uint_least64_t generations;
    uint32_t count = 0;

    texts->generation = atomic_fetch_add(&generations, 1) + 1;
    texts->kinds = (struct shw_channel_kinds){{NULL}};
    for (uint32_t i = 0; i < texts->count; i++)
        if (texts->list[i].made.kind != NULL)
            texts->kinds.kinds[count++] = texts->list[i].made.kind;
}

void shw_project_hold_texts(const struct shw_text_states *from, struct shw_text_states *to)
{
    *to = *from;
    for (uint32_t i = 0; i < to->count; i++) {
        shw_code_hold(&to->list[i].made);
        to->list[i].path = NULL;
    }
}

bool shw_project_copy_texts(const struct shw_text_states *from, struct shw_text_states *to)
{
    bool fine = true;

    shw_project_hold_texts(from, to);
    for (uint32_t i = 0; i < to->count; i++)
        fine = shw_text_copy(from->list[i].path, &to->list[i].path) && fine;
    return fine;
}

void shw_project_free_texts(struct shw_text_states *texts)
{
    for (uint32_t i = 0; i < texts->count; i++) {
        shw_code_let_go(&texts->list[i].made);
        free(texts->list[i].path);
    }
    *texts = (struct shw_text_states){.count = 0};
}

/* Whether the first `length` characters, an entry of a list of channels, are of the kind; *rest: its parameter. */
static bool is_entry_of(const char *entry, size_t length, const char *kind, const char **rest)
{
    const size_t name = strlen(kind);

    *rest = entry + name;
    return length >= name && strncmp(entry, kind, name) == 0 && (length == name || entry[name] == ':');
}

/* The list with another kind in the place of `kind`, or without it (NULL). False: it is too long. */
static bool replace_in_list(const char *list, const char *kind, const char *by, char made[SHW_CHANNEL_LIST_NAME_SIZE])
{
    size_t used = 0;

    made[0] = '\0';
    while (*list != '\0') {
        const size_t length = shw_channel_entry_length(list, NULL);
        const char *rest = list;
        const bool is_it = is_entry_of(list, length, kind, &rest);

        if (!is_it || by != NULL)
            used += (size_t)snprintf(made + used, SHW_CHANNEL_LIST_NAME_SIZE - used, "%s%s%.*s", used > 0 ? "," : "",
                                     is_it ? by : "", (int)(is_it ? (size_t)(list + length - rest) : length),
                                     is_it ? rest : list);
        if (used >= SHW_CHANNEL_LIST_NAME_SIZE)
            return false;
        list += length + (list[length] == ',');
    }
    return true;
}

/* The list, which has room for that, with another entry: the kind with its smallest parameter. */
static bool add_to_list(char list[SHW_CHANNEL_LIST_NAME_SIZE], const struct shw_channel_kind *kind)
{
    const size_t used = strlen(list), room = SHW_CHANNEL_LIST_NAME_SIZE - used;
    const char *comma = used > 0 ? "," : "";

    return (size_t)(kind->parameter_max > 0
                        ? snprintf(list + used, room, "%s%s:%u", comma, kind->name, kind->parameter_min)
                        : snprintf(list + used, room, "%s%s", comma, kind->name)) < room;
}

static bool has_entry_of(const char *list, const char *kind)
{
    const char *rest;

    for (size_t length; *list != '\0'; list += length + (list[length] == ',')) {
        length = shw_channel_entry_length(list, NULL);
        if (is_entry_of(list, length, kind, &rest))
            return true;
    }
    return false;
}

/* The place of a text from that file, or that takes the place of one. */
static uint32_t place_of(const struct shw_text_states *texts, const char *path, const struct shw_code_made *made)
{
    for (uint32_t i = 0; i < texts->count; i++)
        if (path != NULL && texts->list[i].path != NULL && strcmp(texts->list[i].path, path) == 0 &&
            (texts->list[i].made.feature != NULL) == (made->feature != NULL))
            return i;
    for (uint32_t i = 0; i < texts->count; i++)
        if (made->feature != NULL
                ? texts->list[i].made.feature != NULL
                : texts->list[i].made.kind != NULL && strcmp(texts->list[i].made.kind->name, made->kind->name) == 0)
            return i;
    return texts->count;
}

/* The channels of training with the kind; `before`: the one whose place it takes, or NULL. */
static bool fit_channels(const struct shw_project *project, const struct shw_channel_kind *before,
                         const struct shw_channel_kind *kind, char made[SHW_CHANNEL_LIST_NAME_SIZE])
{
    const char *now = shw_project_training_channels(&project->training);

    if (before != NULL)
        return replace_in_list(now, before->name, kind->name, made);
    snprintf(made, SHW_CHANNEL_LIST_NAME_SIZE, "%s", now);
    return has_entry_of(made, kind->name) || add_to_list(made, kind);
}

enum shw_result shw_project_take_text(struct shw_project *project, const char *path, const struct shw_code_made *made)
{
    struct shw_text_states *texts = &project->texts;
    const uint32_t place = place_of(texts, path, made);
    char *copy = NULL;

    if (place == SHW_PROJECT_TEXTS_MAX || !shw_text_copy(path, &copy)) {
        shw_code_let_go(made);
        return place == SHW_PROJECT_TEXTS_MAX ? shw_fail(&project->log, SHW_ERROR_LIMIT, SHW_LOG_PROJECT,
                                                         "a project has at most %u texts", SHW_PROJECT_TEXTS_MAX)
                                              : shw_fail_memory(&project->log, "texts");
    }
    if (place < texts->count) {
        shw_code_let_go(&texts->list[place].made);
        free(texts->list[place].path);
    }
    texts->list[place] = (struct shw_text_state){*made, copy};
    texts->count += place == texts->count;
    shw_project_list_kinds(texts);
    return SHW_OK;
}

enum shw_result shw_project_put_text(struct shw_project *project, const char *path, const struct shw_code_made *made)
{
    struct shw_project_training training = project->training;
    struct shw_project_texts *before = NULL;
    const uint32_t place = place_of(&project->texts, path, made);
    const struct shw_channel_kind *old = place < project->texts.count ? project->texts.list[place].made.kind : NULL;
    enum shw_result result = SHW_OK;

    if (!shw_project_keep_texts(project, &before))
        result = shw_fail_memory(&project->log, "texts");
    if (result == SHW_OK && made->kind != NULL && !fit_channels(project, old, made->kind, training.channels))
        result = shw_fail(&project->log, SHW_ERROR_LIMIT, SHW_LOG_CHANNELS, "the list of channels is too long");
    if (result != SHW_OK) {
        shw_code_let_go(made);
        shw_project_forget_texts(&before);
        return result;
    }
    result = shw_project_take_text(project, path, made);
    if (result == SHW_OK)
        result = shw_project_set_training(project, &training);
    if (result != SHW_OK)
        shw_project_return_texts(project, &before);
    shw_project_forget_texts(&before);
    return result;
}

void shw_project_remove_text(struct shw_project *project, uint32_t index)
{
    struct shw_text_states *texts = &project->texts;
    const struct shw_text_state gone = texts->list[index];
    const char *now = shw_project_training_channels(&project->training);
    struct shw_project_training training = project->training;

    if (gone.made.kind != NULL)
        (void)replace_in_list(now, gone.made.kind->name, NULL, training.channels);
    if (strcmp(training.channels, SHW_PROJECT_CHANNELS) == 0)
        training.channels[0] = '\0';
    memmove(texts->list + index, texts->list + index + 1, (texts->count - index - 1) * sizeof *texts->list);
    texts->count--;
    shw_project_list_kinds(texts);
    (void)shw_project_set_training(project, &training); /* what is left out cannot be wrong */
    shw_code_let_go(&gone.made);
    free(gone.path);
}

struct shw_project_texts {
    struct shw_text_states texts;
    struct shw_project_training training;
};

bool shw_project_keep_texts(const struct shw_project *project, struct shw_project_texts **kept)
{
    *kept = malloc(sizeof **kept);
    if (*kept == NULL)
        return false;
    (*kept)->training = project->training;
    if (shw_project_copy_texts(&project->texts, &(*kept)->texts))
        return true;
    shw_project_forget_texts(kept);
    return false;
}

void shw_project_return_texts(struct shw_project *project, struct shw_project_texts **kept)
{
    shw_project_free_texts(&project->texts);
    project->texts = (*kept)->texts;
    project->training = (*kept)->training;
    project->revision++;
    free(*kept);
    *kept = NULL;
}

void shw_project_forget_texts(struct shw_project_texts **kept)
{
    if (*kept != NULL)
        shw_project_free_texts(&(*kept)->texts);
    free(*kept);
    *kept = NULL;
}

bool shw_project_is_held_back(const struct shw_project *project)
{
    for (uint32_t i = 0; i < project->texts.count; i++)
        if (!shw_code_may_run(&project->texts.list[i].made))
            return true;
    return false;
}

enum shw_result shw_project_run_texts(struct shw_project *project, const struct shw_code_patience *patience,
                                      const struct shw_log *log)
{
    for (uint32_t i = 0; i < project->texts.count; i++) {
        const struct shw_project_text text = shw_project_get_text(project, i);
        char *path = project->texts.list[i].path;
        struct shw_code_made made;

        if (text.runs)
            continue;
        SHW_PROPAGATE(shw_code_make_while(text.path != NULL ? text.path : text.name, text.text, strlen(text.text),
                                          SHW_CODE_RUN, NULL, patience, log, &made));
        shw_code_let_go(&text.made);
        project->texts.list[i] = (struct shw_text_state){made, path};
        project->revision++;
    }
    shw_project_list_kinds(&project->texts);
    return SHW_OK;
}

enum shw_result shw_project_refuse_texts(const struct shw_project *project, const char *name, const struct shw_log *log)
{
    struct shw_forest_code list[SHW_PROJECT_TEXTS_MAX];

    for (uint32_t i = 0; i < project->texts.count; i++) {
        const struct shw_project_text text = shw_project_get_text(project, i);

        list[i] = (struct shw_forest_code){
            .name = (char *)(uintptr_t)text.name, .text = (char *)(uintptr_t)text.text, .is_feature = text.is_feature};
    }
    return shw_code_refuse_texts(name, list, project->texts.count, "it stands in the file, in \"code\"", log);
}

char *shw_project_text_file(const struct shw_project *project, uint32_t index)
{
    const char *path = project->texts.list[index].path;

    return path != NULL ? shw_path_in(project->folder, path) : NULL;
}

/* --- Of a file --- */

bool shw_project_pack_texts(const struct shw_project *project, json_t **packed)
{
    json_t *list = project->texts.count > 0 ? json_array() : NULL;
    int bad = 0;

    for (uint32_t i = 0; i < project->texts.count; i++) {
        const struct shw_project_text text = shw_project_get_text(project, i);
        json_t *entry = json_pack("{s:s}", "text", text.text);

        if (text.path != NULL)
            bad |= json_object_set_new(entry, "file", json_string(text.path));
        bad |= json_array_append_new(list, entry);
    }
    *packed = list;
    return bad == 0;
}

enum shw_result shw_project_unpack_texts(const json_t *packed, const char *name, const struct shw_log *log,
                                         struct shw_project *project)
{
    for (size_t i = 0; i < json_array_size(packed); i++) {
        const json_t *entry = json_array_get(packed, i);
        const json_t *text = json_object_get(entry, "text"), *path = json_object_get(entry, "file");
        struct shw_code_made made;
        char file[512];

        if (!json_is_string(text) || (path != NULL && !json_is_string(path)))
            return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_PROJECT,
                            "%s: \"code\" %zu has no \"text\", or a \"file\" that is not a text", name, i);
        snprintf(file, sizeof file, "%.300s: %.200s", name, path != NULL ? json_string_value(path) : "\"code\"");
        SHW_PROPAGATE(
            shw_code_make(file, json_string_value(text), json_string_length(text), SHW_CODE_LOOK, log, &made));
        if (place_of(&project->texts, NULL, &made) < project->texts.count) {
            const struct shw_code_made twice = made;

            shw_code_let_go(&twice);
            return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_PROJECT,
                            "%s: \"code\" %zu defines a second feature type, or a channel kind for the second time",
                            name, i);
        }
        SHW_PROPAGATE(shw_project_take_text(project, json_string_value(path), &made));
    }
    return SHW_OK;
}
