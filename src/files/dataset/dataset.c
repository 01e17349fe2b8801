#include "files/dataset/dataset.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "files/dataset/examples.h"
#include "files/dataset/forest_classes.h"
#include "files/dataset/image_inputs.h"
#include "files/dataset/palette.h"
#include "files/dataset/pattern.h"
#include "files/io/image_paths.h"

struct shw_cache_entry {
    struct shw_decoded_example example;
    uint32_t index;
    uint32_t uses;
    size_t bytes;
    /* Evicts unused entries, the least recently used first. */
    struct shw_cache_entry *previous, *next;
};

struct shw_cache {
    pthread_mutex_t mutex;
    pthread_cond_t changed; /* `awaited` has */
    uint32_t count;
    bool *awaited; /* of each example: a thread decodes it */
    size_t limit, bytes;
    struct shw_cache_entry *oldest, *newest;
    struct shw_cache_entry *entries[];
};

void shw_decoded_example_free(struct shw_decoded_example *example)
{
    shw_image_file_free(&example->image);
    free(example->labels);
    for (uint32_t i = 0; i < example->input_count; i++)
        shw_image_file_free(&example->files[i]);
    *example = (struct shw_decoded_example){0};
}

static size_t bytes_of(const struct shw_decoded_example *example)
{
    const struct shw_image *image = &example->image.image;
    size_t pixel = shw_pixel_size(image->format) + (example->labels != NULL ? 2 : 0);

    for (uint32_t i = 0; i < example->input_count; i++)
        pixel += shw_pixel_size(example->inputs[i].image.format);
    return (size_t)image->width * image->height * pixel;
}

enum shw_result shw_cache_create(uint32_t count, size_t bytes, const struct shw_log *log, struct shw_cache **cache)
{
    struct shw_cache *made = calloc(1, sizeof *made + count * sizeof *made->entries);

    if (made != NULL)
        made->awaited = calloc((size_t)count + 1, sizeof *made->awaited);
    if (made == NULL || made->awaited == NULL) {
        free(made);
        return shw_fail_memory(log, "the cache of a data set");
    }
    made->count = count;
    made->limit = bytes;
    pthread_mutex_init(&made->mutex, NULL);
    pthread_cond_init(&made->changed, NULL);
    *cache = made;
    return SHW_OK;
}

static void free_entry(struct shw_cache_entry *entry)
{
    shw_decoded_example_free(&entry->example);
    free(entry);
}

void shw_cache_destroy(struct shw_cache **cache)
{
    if (cache == NULL || *cache == NULL)
        return;
    for (uint32_t i = 0; i < (*cache)->count; i++)
        if ((*cache)->entries[i] != NULL)
            free_entry((*cache)->entries[i]);
    pthread_cond_destroy(&(*cache)->changed);
    pthread_mutex_destroy(&(*cache)->mutex);
    free((*cache)->awaited);
    free(*cache);
    *cache = NULL;
}

const struct shw_decoded_example *shw_cache_entry_get(const struct shw_cache_entry *entry)
{
    return &entry->example;
}

static void unlink_entry(struct shw_cache *cache, struct shw_cache_entry *entry)
{
    *(entry->previous != NULL ? &entry->previous->next : &cache->oldest) = entry->next;
    *(entry->next != NULL ? &entry->next->previous : &cache->newest) = entry->previous;
    entry->previous = entry->next = NULL;
}

static void link_newest(struct shw_cache *cache, struct shw_cache_entry *entry)
{
    entry->previous = cache->newest;
    *(cache->newest != NULL ? &cache->newest->next : &cache->oldest) = entry;
    cache->newest = entry;
}

static void evict(struct shw_cache *cache)
{
    while (cache->bytes > cache->limit && cache->oldest != NULL) {
        struct shw_cache_entry *entry = cache->oldest;

        unlink_entry(cache, entry);
        cache->entries[entry->index] = NULL;
        cache->bytes -= entry->bytes;
        free_entry(entry);
    }
}

static struct shw_cache_entry *use(struct shw_cache *cache, uint32_t index)
{
    struct shw_cache_entry *entry = cache->entries[index];

    if (entry != NULL && entry->uses++ == 0)
        unlink_entry(cache, entry);
    return entry;
}

struct shw_cache_entry *shw_cache_find(struct shw_cache *cache, uint32_t index)
{
    struct shw_cache_entry *entry;

    pthread_mutex_lock(&cache->mutex);
    while ((entry = use(cache, index)) == NULL && cache->awaited[index])
        pthread_cond_wait(&cache->changed, &cache->mutex);
    cache->awaited[index] |= entry == NULL;
    pthread_mutex_unlock(&cache->mutex);
    return entry;
}

/* With the mutex. */
static void end_awaiting(struct shw_cache *cache, uint32_t index)
{
    cache->awaited[index] = false;
    pthread_cond_broadcast(&cache->changed);
}

void shw_cache_give_up(struct shw_cache *cache, uint32_t index)
{
    pthread_mutex_lock(&cache->mutex);
    end_awaiting(cache, index);
    pthread_mutex_unlock(&cache->mutex);
}

struct shw_cache_entry *shw_cache_insert(struct shw_cache *cache, uint32_t index, struct shw_decoded_example *example)
{
    struct shw_cache_entry *entry;

    pthread_mutex_lock(&cache->mutex);
    end_awaiting(cache, index);
    entry = use(cache, index);
    if (entry != NULL || (entry = calloc(1, sizeof *entry)) == NULL) {
        pthread_mutex_unlock(&cache->mutex);
        shw_decoded_example_free(example);
        return entry;
    }
    *entry = (struct shw_cache_entry){.example = *example, .index = index, .uses = 1, .bytes = bytes_of(example)};
    cache->entries[index] = entry;
    cache->bytes += entry->bytes;
    evict(cache);
    pthread_mutex_unlock(&cache->mutex);
    return entry;
}

void shw_cache_release(struct shw_cache *cache, struct shw_cache_entry *entry)
{
    pthread_mutex_lock(&cache->mutex);
    if (--entry->uses == 0) {
        link_newest(cache, entry);
        evict(cache);
    }
    pthread_mutex_unlock(&cache->mutex);
}

#define CACHE_BYTES_DEFAULT ((size_t)1 << 30)

struct file_set {
    struct shw_example_patterns patterns;
    struct shw_names names;
    struct shw_palette palette; /* empty when unlabelled */
    char *palette_path;         /* NULL: not from a file */
    struct shw_cache *cache;
    size_t cache_bytes;
    enum shw_label_kind label_kind;
    struct shw_image_params reading;
    bool with_previous;
    struct shw_log log;
};

static void free_set(struct file_set *set)
{
    shw_cache_destroy(&set->cache);
    shw_palette_free(&set->palette);
    free(set->palette_path);
    shw_names_free(&set->names);
    free(set->patterns.images);
    free(set->patterns.labels);
    for (uint32_t i = 0; i < set->patterns.input_count; i++)
        free((void *)(uintptr_t)set->patterns.inputs[i].path);
    free(set);
}

static enum shw_result fail_size(const struct file_set *set, const char *image_path, const struct shw_image *image,
                                 const char *what, const char *path, uint32_t width, uint32_t height)
{
    return shw_fail(&set->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                    "%s has %u x %u pixels, but its %s image %s has %u x %u", image_path, image->width, image->height,
                    what, path, width, height);
}

/* The file of example `name` by a pattern; to be released with free(). */
static enum shw_result fill(const struct file_set *set, const char *pattern, const char *name, char **path)
{
    *path = pattern != NULL ? shw_pattern_fill(pattern, name, strlen(name)) : NULL;
    return pattern == NULL || *path != NULL ? SHW_OK : shw_fail_memory(&set->log, name);
}

static enum shw_result read_labels(const struct file_set *set, const char *image_path, const char *path,
                                   struct shw_decoded_example *example)
{
    const struct shw_image *image = &example->image.image;
    struct shw_label_file file = {0};
    enum shw_result result = SHW_OK;

    SHW_PROPAGATE(shw_label_file_read(path, set->label_kind, &set->log, &file));
    if (file.width != image->width || file.height != image->height)
        result = fail_size(set, image_path, image, "label", path, file.width, file.height);
    else
        result = shw_labels_to_classes(&file, path, &set->palette, &set->log, &example->labels);
    shw_label_file_free(&file);
    return result;
}

/* Adds an input. */
static enum shw_result read_input(const struct file_set *set, const char *image_path, const char *example_name,
                                  uint32_t number, struct shw_decoded_example *example)
{
    const struct shw_image *image = &example->image.image;
    const char *name = set->patterns.inputs[number].name;
    struct shw_image_file *file = &example->files[example->input_count];
    char *path;
    enum shw_result result = fill(set, set->patterns.inputs[number].path, example_name, &path);

    if (result == SHW_OK)
        result = shw_input_file_read(name, path, &set->reading, &set->log, file);
    if (result == SHW_OK)
        example->inputs[example->input_count++] = (struct shw_input){.name = name, .image = file->image};
    if (result == SHW_OK && (file->image.width != image->width || file->image.height != image->height))
        result = fail_size(set, image_path, image, name, path, file->image.width, file->image.height);
    free(path);
    return result;
}

static enum shw_result decode(const struct file_set *set, const char *name, struct shw_decoded_example *example)
{
    char *image_path = NULL, *label_path = NULL;
    enum shw_result result;

    *example = (struct shw_decoded_example){0};
    SHW_TRY(fill(set, set->patterns.images, name, &image_path));
    SHW_TRY(fill(set, set->patterns.labels, name, &label_path));
    SHW_TRY(shw_image_file_read(image_path, &set->reading, &set->log, &example->image));
    if (label_path != NULL)
        SHW_TRY(read_labels(set, image_path, label_path, example));
    for (uint32_t i = 0; i < set->patterns.input_count; i++)
        if (!set->patterns.inputs[i].of_image)
            SHW_TRY(read_input(set, image_path, name, i, example));
    SHW_TRY(shw_image_own_planes_read(image_path, set->patterns.inputs, set->patterns.input_count, &set->reading,
                                      &set->log, example->files, example->inputs, &example->input_count));
fail:
    free(image_path);
    free(label_path);
    if (result != SHW_OK)
        shw_decoded_example_free(example);
    return result;
}

/* On success the entry is in use. */
static enum shw_result find_entry(struct file_set *set, uint32_t index, struct shw_cache_entry **entry)
{
    const char *name = set->names.names[index].text;
    struct shw_decoded_example decoded;
    enum shw_result result;

    *entry = shw_cache_find(set->cache, index);
    if (*entry != NULL)
        return SHW_OK;
    result = decode(set, name, &decoded);
    if (result != SHW_OK) {
        shw_cache_give_up(set->cache, index);
        return result;
    }
    *entry = shw_cache_insert(set->cache, index, &decoded);
    return *entry != NULL ? SHW_OK : shw_fail_memory(&set->log, name);
}

/* What a fetched example keeps in use. */
struct fetched {
    struct shw_cache_entry *entry, *previous; /* `previous` may be NULL */
    struct shw_input inputs[SHW_INPUTS_MAX];
};

static void release_example(void *user, struct shw_labelled_image *example)
{
    struct file_set *set = user;
    struct fetched *fetched = example->handle;

    if (fetched->previous != NULL)
        shw_cache_release(set->cache, fetched->previous);
    if (fetched->entry != NULL)
        shw_cache_release(set->cache, fetched->entry);
    free(fetched);
}

/* `index`: of the previous frame. */
static enum shw_result read_previous(struct file_set *set, uint32_t index, struct fetched *fetched,
                                     struct shw_labelled_image *example)
{
    const struct shw_image *image = &example->image, *previous;

    SHW_PROPAGATE(find_entry(set, index, &fetched->previous));
    previous = &shw_cache_entry_get(fetched->previous)->image.image;
    fetched->inputs[example->inputs.count++] = (struct shw_input){.name = SHW_PREVIOUS, .image = *previous};
    if (previous->width == image->width && previous->height == image->height)
        return SHW_OK;
    return shw_fail(&set->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                    "%s has %u x %u pixels, but the previous frame of its sequence, %s, has %u x %u", example->name,
                    image->width, image->height, set->names.names[index].text, previous->width, previous->height);
}

static enum shw_result read_example(void *user, uint32_t index, struct shw_labelled_image *out)
{
    struct file_set *set = user;
    struct shw_labelled_image example;
    const struct shw_decoded_example *found;
    struct fetched *fetched;
    enum shw_result result;

    if (index >= set->names.count)
        return shw_fail(&set->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "example %u of a data set of %zu", index,
                        set->names.count);
    example = (struct shw_labelled_image){.name = set->names.names[index].text};
    example.handle = fetched = calloc(1, sizeof *fetched);
    if (fetched == NULL)
        return shw_fail_memory(&set->log, example.name);
    SHW_TRY(find_entry(set, index, &fetched->entry));
    found = shw_cache_entry_get(fetched->entry);
    example.image = found->image.image;
    example.labels = found->labels;
    memcpy(fetched->inputs, found->inputs, sizeof found->inputs);
    example.inputs = (struct shw_inputs){found->input_count, fetched->inputs};
    if (set->with_previous && shw_inputs_find(&example.inputs, SHW_PREVIOUS) == NULL &&
        set->names.names[index].previous != SHW_NO_NAME)
        SHW_TRY(read_previous(set, set->names.names[index].previous, fetched, &example));
    *out = example;
    return SHW_OK;

fail:
    release_example(set, &example);
    return result;
}

/* Joins a pattern to the folder of the data set; NULL stays NULL. */
static enum shw_result take_pattern(const struct file_set *set, const char *root, const char *pattern, char **joined)
{
    if (pattern == NULL)
        return SHW_OK;
    if (shw_pattern_places(pattern) == 0)
        return shw_fail(&set->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "the pattern \"%s\" must contain {} for the name", pattern);
    *joined = shw_pattern_join(root, pattern);
    return *joined != NULL ? SHW_OK : shw_fail_memory(&set->log, "a file name");
}

static enum shw_result take_input(struct file_set *set, const char *root, const struct shw_input_file *input)
{
    char *path = NULL;

    SHW_PROPAGATE(take_pattern(set, root, input->path, &path));
    set->patterns.inputs[set->patterns.input_count++] =
        (struct shw_input_file){.name = input->name, .path = path, .of_image = input->of_image};
    return SHW_OK;
}

static bool has_input(const struct shw_dataset_params *params, const char *name)
{
    for (uint32_t i = 0; i < params->input_count; i++)
        if (strcmp(params->inputs[i].name, name) == 0)
            return true;
    return false;
}

static enum shw_result take_patterns(struct file_set *set, const struct shw_dataset_params *params)
{
    bool curfil = params->layout == SHW_DATASET_CURFIL, adds_depth = curfil && !has_input(params, SHW_DEPTH);
    const char *images = curfil ? SHW_CURFIL_COLOURS : params->images;

    set->patterns.hint = params->patterns_hint;
    if (curfil && (params->images != NULL || params->labels != NULL))
        return shw_fail(&set->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "CURFIL's layout has its own patterns of images and labels; omit them");
    if (params->input_count + adds_depth >= SHW_INPUTS_MAX)
        return shw_fail(&set->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "a data set has at most %u inputs besides the images", SHW_INPUTS_MAX - 1);
    if (images == NULL || shw_pattern_places(images) != 1)
        return shw_fail(&set->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "the image pattern \"%s\" must contain {} once, for the name", images != NULL ? images : "");
    SHW_PROPAGATE(take_pattern(set, params->root, images, &set->patterns.images));
    SHW_PROPAGATE(take_pattern(set, params->root, curfil ? SHW_CURFIL_LABELS : params->labels, &set->patterns.labels));
    if (adds_depth)
        SHW_PROPAGATE(take_input(set, params->root, &shw_curfil_inputs[0]));
    for (uint32_t i = 0; i < params->input_count; i++)
        SHW_PROPAGATE(take_input(set, params->root, &params->inputs[i]));
    return SHW_OK;
}

/* The path of the data set's palette.json, or NULL; to be released with free(). */
static char *palette_beside(const char *root)
{
    static const char *const places[] = {"palette.json", "../palette.json"};

    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char *path = shw_pattern_join(root, places[i]);

        if (path != NULL && shw_is_file(path))
            return path;
        free(path);
    }
    return NULL;
}

struct label_files {
    const struct file_set *set;
    const struct shw_names *names;
};

static enum shw_result read_label_file(void *user, uint32_t index, struct shw_label_file *file)
{
    const struct label_files *files = user;
    enum shw_result result;
    char *path;

    result = fill(files->set, files->set->patterns.labels, files->names->names[index].text, &path);
    if (result == SHW_OK)
        result = shw_label_file_read(path, files->set->label_kind, &files->set->log, file);
    free(path);
    return result;
}

/* From all examples, so that all splits of a data set have the same classes. */
static enum shw_result derive_palette(struct file_set *set, bool listed)
{
    struct shw_log errors_only = {set->log.function, set->log.user, SHW_LOG_ERROR};
    struct shw_names all = {0};
    struct label_files files = {set, listed ? &all : &set->names};
    enum shw_result result = listed ? shw_names_find(&set->patterns, &errors_only, &all) : SHW_OK;

    if (result == SHW_OK)
        result = shw_palette_derive((uint32_t)files.names->count, read_label_file, &files, set->patterns.labels,
                                    &set->log, &set->palette);
    shw_names_free(&all);
    if (result == SHW_OK)
        shw_log_message(&set->log, SHW_LOG_INFO, SHW_LOG_PALETTE, "no palette: %u classes found in the label images",
                        set->palette.class_count);
    return result;
}

static enum shw_result take_palette(struct file_set *set, const struct shw_dataset_params *params)
{
    if (params->palette_path != NULL) {
        set->palette_path = strdup(params->palette_path);
        if (set->palette_path == NULL)
            return shw_fail_memory(&set->log, params->palette_path);
    } else if (set->patterns.labels != NULL) {
        set->palette_path = palette_beside(params->root);
        if (set->palette_path == NULL)
            return derive_palette(set, params->split_count != 0);
        shw_log_message(&set->log, SHW_LOG_INFO, SHW_LOG_PALETTE, "palette: %s", set->palette_path);
    }
    return set->palette_path != NULL ? shw_palette_read(set->palette_path, &set->log, &set->palette) : SHW_OK;
}

/* Frames of a folder may be listed at random, by somebody who did not mean a video. */
static void check_order(const struct file_set *set)
{
    const struct shw_name *names = set->names.names;

    for (size_t i = 0; i < set->names.count; i++) {
        const struct shw_name *name = &names[set->names.order[i]];
        const char *before = name->previous != SHW_NO_NAME ? names[name->previous].text : NULL;

        if (before == NULL || name->line == 0 || shw_natural_compare(before, name->text) < 0)
            continue;
        shw_log_message(&set->log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                        "%s is listed before %s, and is taken for its previous frame: the frames of a folder follow "
                        "the order of split files",
                        before, name->text);
        return;
    }
}

/* Unless the previous frame is given as an input, it is that of a sequence. */
static void check_sequences(const struct file_set *set, const struct shw_dataset_params *params)
{
    bool found = false;

    if (!set->with_previous || has_input(params, SHW_PREVIOUS))
        return;
    for (size_t i = 0; i < set->names.count && !found; i++)
        found = set->names.names[i].previous != SHW_NO_NAME;
    if (!set->names.has_sequences)
        check_order(set);
    if (!found)
        shw_log_message(&set->log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                        "no example of %s has a previous frame, which the channels read: all motion is zero; put each "
                        "sequence into a folder, or use a split file with lines '---', such as synth's sequences.txt",
                        params->root != NULL ? params->root : "the current folder");
}

static enum shw_result settle_choice(struct file_set *set)
{
    char *path;
    enum shw_result result;

    SHW_PROPAGATE(shw_image_choice_check(&set->reading.choice, &set->log));
    if (set->names.count == 0)
        return SHW_OK;
    SHW_PROPAGATE(fill(set, set->patterns.images, set->names.names[0].text, &path));
    result = shw_image_choice_settle(&set->reading.choice, path, &set->log);
    free(path);
    return result;
}

static enum shw_result create_cache(const struct file_set *set, struct shw_cache **cache)
{
    return shw_cache_create((uint32_t)set->names.count, set->cache_bytes, &set->log, cache);
}

enum shw_result shw_dataset_open(const struct shw_dataset_params *params, struct shw_dataset *dataset)
{
    struct file_set *set = calloc(1, sizeof *set);
    enum shw_result result;

    if (set == NULL)
        return shw_fail_memory(&params->log, "a data set");
    set->label_kind = params->label_kind;
    set->cache_bytes = params->cache_bytes != 0 ? params->cache_bytes : CACHE_BYTES_DEFAULT;
    set->reading = (struct shw_image_params){.choice = params->choice, .of_group = true};
    set->with_previous = params->with_previous;
    set->log = params->log;
    result = take_patterns(set, params);
    if (result == SHW_OK && params->split_count != 0)
        result = shw_names_read_splits(&set->patterns, params->splits, params->split_count, &set->log, &set->names);
    else if (result == SHW_OK)
        result = shw_names_find(&set->patterns, &set->log, &set->names);
    if (result == SHW_OK && set->names.count > UINT32_MAX)
        result = shw_fail(&set->log, SHW_ERROR_LIMIT, SHW_LOG_DATASET, "%zu examples are too many", set->names.count);
    if (result == SHW_OK)
        result = settle_choice(set);
    if (result == SHW_OK)
        result = take_palette(set, params);
    if (result == SHW_OK && set->palette.entry_count > 0)
        result =
            shw_ignored_apply(&params->ignored, set->palette_path != NULL ? set->palette_path : set->patterns.labels,
                              &set->log, &set->palette);
    if (result == SHW_OK && set->palette.entry_count > 0 && params->ignored.forest != NULL)
        result = shw_forest_classes_adopt(params->ignored.forest, set->palette_path != NULL, &set->log, &set->palette);
    if (result == SHW_OK)
        result = create_cache(set, &set->cache);
    if (result != SHW_OK) {
        free_set(set);
        return result;
    }
    check_sequences(set, params);
    *dataset = (struct shw_dataset){.count = (uint32_t)set->names.count,
                                    .class_count = set->palette.class_count != 0 ? set->palette.class_count : 1,
                                    .classes = set->palette.classes,
                                    .user = set,
                                    .read = read_example,
                                    .release = release_example};
    return SHW_OK;
}

void shw_dataset_close(struct shw_dataset *dataset)
{
    if (dataset == NULL)
        return;
    if (dataset->user != NULL)
        free_set(dataset->user);
    *dataset = (struct shw_dataset){0};
}

const struct shw_palette *shw_dataset_get_palette(const struct shw_dataset *dataset)
{
    const struct file_set *set = dataset->user;

    return &set->palette;
}

struct shw_image_choice shw_dataset_get_choice(const struct shw_dataset *dataset)
{
    const struct file_set *set = dataset->user;

    return set->reading.choice;
}

enum shw_result shw_dataset_set_choice(const struct shw_dataset *dataset, const struct shw_image_choice *choice)
{
    struct file_set *set = dataset->user;
    struct shw_cache *empty = NULL;

    set->reading.choice = *choice;
    SHW_PROPAGATE(settle_choice(set));
    SHW_PROPAGATE(create_cache(set, &empty));
    shw_cache_destroy(&set->cache);
    set->cache = empty;
    return SHW_OK;
}

const char *shw_dataset_name(const struct shw_dataset *dataset, uint32_t index)
{
    const struct file_set *set = dataset->user;

    return set->names.names[index].text;
}

char *shw_dataset_image_path(const struct shw_dataset *dataset, uint32_t index)
{
    const struct file_set *set = dataset->user;
    char *path = NULL;

    fill(set, set->patterns.images, shw_dataset_name(dataset, index), &path);
    return path;
}

static enum shw_result visit_file(const struct file_set *set, const char *pattern, const char *name,
                                  void (*visit)(void *user, const char *path), void *user)
{
    char *path, *file;
    uint32_t page;

    SHW_PROPAGATE(fill(set, pattern, name, &path));
    if (path == NULL)
        return SHW_OK;
    file = shw_image_file_of(path, &page);
    free(path);
    if (file == NULL)
        return shw_fail_memory(&set->log, name);
    visit(user, file);
    free(file);
    return SHW_OK;
}

enum shw_result shw_dataset_list_files(const struct shw_dataset *dataset, void (*visit)(void *user, const char *path),
                                       void *user)
{
    const struct file_set *set = dataset->user;

    if (set->palette_path != NULL)
        visit(user, set->palette_path);
    for (size_t i = 0; i < set->names.count; i++) {
        const char *name = set->names.names[i].text;

        SHW_PROPAGATE(visit_file(set, set->patterns.images, name, visit, user));
        SHW_PROPAGATE(visit_file(set, set->patterns.labels, name, visit, user));
        for (uint32_t k = 0; k < set->patterns.input_count; k++)
            SHW_PROPAGATE(visit_file(set, set->patterns.inputs[k].path, name, visit, user));
    }
    return SHW_OK;
}

uint32_t shw_dataset_at(const struct shw_dataset *dataset, uint32_t place)
{
    const struct file_set *set = dataset->user;

    return set->names.order[place];
}

bool shw_dataset_find_before(const struct shw_dataset *dataset, uint32_t place, uint32_t *before)
{
    const struct file_set *set = dataset->user;
    const uint32_t previous = set->names.names[set->names.order[place]].previous;

    if (previous != SHW_NO_NAME)
        *before = set->names.names[previous].place;
    return previous != SHW_NO_NAME;
}
