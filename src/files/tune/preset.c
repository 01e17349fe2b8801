#include "files/tune/preset.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file_bytes.h"
#include "base/log.h"
#include "files/tune/setting.h"

#define DOCUMENT_BYTES_MAX ((uint64_t)1 << 20)

#define DERIVED_CHANNELS "hessian:1,hessian:2,hessian:4,hessian:8,tensor:1,tensor:2,tensor:4,tensor:8"

#define RICH_CHANNELS "wide,orient:2,tensor:2,opponent:1,opponent:4,deviation:4,lab"

#define STACKED                                                                                                        \
    "\"channels\": \"wide\", \"score\": \"information-gain\", \"offset\": 208, \"offset-min\": 0, \"size\": 166,"      \
    " \"below-offset\": 21, \"below-size\": 22"

/* docs/tuning.md says how they were found. `fits`: the setting is for about 250,000 pixels of a tree, and adapted to
 * the number of images; `scales`: offset, size and radius are for images with a diagonal of 400 pixels, and adapted to
 * the data's (look.h). `stacked` is what differs with several levels. */
static const struct {
    const char *name;
    bool fits, scales;
    const char *setting, *stacked;
} presets[] = {
    {"photographs", true, true,
     "{\"channels\": \"" RICH_CHANNELS "\", \"trees\": 20, \"depth\": 20, \"candidates\": 1000, \"pixels\": 1000,"
     " \"min-samples\": 6, \"score\": \"gini\", \"weights\": \"inverse-root\", \"single\": 30, \"offset\": 166,"
     " \"offset-min\": 1, \"size\": 62, \"flip\": \"images\", \"smooth\": 32}",
     "{" STACKED "}"},
    {"street-scenes", true, true,
     "{\"channels\": \"" RICH_CHANNELS "\", \"trees\": 20, \"depth\": 20, \"candidates\": 1000, \"pixels\": 2000,"
     " \"min-samples\": 6, \"score\": \"gini\", \"sampling\": \"class-uniform\", \"prior\": \"data\","
     " \"single\": 30, \"offset\": 110, \"offset-min\": 1, \"size\": 60, \"flip\": \"images\", \"smooth\": 12}",
     "{" STACKED ", \"fold-run\": 8}"},
    {"microscopy", true, false,
     "{\"channels\": \"gauss:1,gauss:2," DERIVED_CHANNELS ",deviation:2,deviation:4\", \"trees\": 20, \"depth\": 20,"
     " \"candidates\": 500, \"pixels\": 2000, \"min-samples\": 8, \"single\": 30, \"offset\": 63, \"offset-min\": 1,"
     " \"size\": 31, \"flip\": \"images\", \"smooth\": 0}",
     "{}"},
    {"rgbd-rooms", true, false,
     "{\"channels\": \"depth,lab\", \"trees\": 20, \"depth\": 18, \"candidates\": 300, \"pixels\": 1000,"
     " \"min-samples\": 4, \"sampling\": \"class-uniform\", \"prior\": \"data\", \"single\": 30, \"offset\": 63,"
     " \"size\": 33, \"flip\": \"images\", \"smooth\": 16}",
     "{}"},
    {"strokes", false, false,
     "{\"channels\": \"lab,tensor:2,deviation:4\", \"trees\": 16, \"depth\": 12, \"candidates\": 30,"
     " \"thresholds\": \"random\", \"bins\": 10, \"weights\": \"inverse\", \"single\": 50, \"offset\": 31,"
     " \"offset-min\": 1, \"pixels\": \"all\", \"smooth\": 16}",
     "{}"},
};

#define PRESET_COUNT (sizeof presets / sizeof *presets)

const char *shw_preset_name(uint32_t index)
{
    return index < PRESET_COUNT ? presets[index].name : NULL;
}

static json_t *read_text(const char *text)
{
    return json_loads(text, 0, NULL);
}

static void load_built_in(const char *name, struct shw_preset *preset)
{
    for (size_t i = 0; i < PRESET_COUNT; i++)
        if (strcmp(presets[i].name, name) == 0)
            *preset = (struct shw_preset){.document = json_pack("{s:s, s:o, s:o}", SHW_PRESET_NAME, name,
                                                                SHW_PRESET_SETTING, read_text(presets[i].setting),
                                                                SHW_PRESET_STACKED, read_text(presets[i].stacked)),
                                          .fits = presets[i].fits,
                                          .scales = presets[i].scales};
}

static enum shw_result fail_unknown(const char *name, const struct shw_log *log)
{
    char names[256] = "";

    for (size_t i = 0; i < PRESET_COUNT; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i > 0 ? ", " : "", presets[i].name);
    return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                    "there is no preset '%s', and no such file; there are %s and %s", name, names, SHW_PRESET_AUTO);
}

static enum shw_result fail_format(const char *path, const char *why, const struct shw_log *log)
{
    return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ, "%s is not a preset: %s", path, why);
}

static enum shw_result read_document(const char *path, const struct shw_log *log, json_t **document)
{
    struct shw_file_bytes file;
    json_error_t error = {.text = ""};

    SHW_PROPAGATE(shw_file_bytes_read(path, DOCUMENT_BYTES_MAX, log, &file));
    *document = json_loadb((const char *)file.bytes, file.size, JSON_REJECT_DUPLICATES, &error);
    shw_file_bytes_free(&file);
    return *document != NULL ? SHW_OK : fail_format(path, error.text, log);
}

static enum shw_result check(const char *path, const json_t *document, const struct shw_log *log)
{
    const json_t *setting = json_object_get(document, SHW_PRESET_SETTING);
    struct shw_trainer_params params = {0};
    char why[SHW_SETTING_WHY_SIZE];

    if (!json_is_string(json_object_get(document, SHW_PRESET_NAME)) || !json_is_object(setting))
        return fail_format(path, "it needs the members \"" SHW_PRESET_NAME "\" and \"" SHW_PRESET_SETTING "\"", log);
    return shw_setting_apply(setting, &params, why) ? SHW_OK : fail_format(path, why, log);
}

enum shw_result shw_preset_load(const char *name, const struct shw_log *log, struct shw_preset *preset)
{
    json_t *document;
    enum shw_result result = SHW_OK;

    *preset = (struct shw_preset){.document = NULL};
    load_built_in(name, preset);
    document = preset->document;
    if (document == NULL) {
        if (access(name, F_OK) != 0 && errno == ENOENT)
            return fail_unknown(name, log);
        result = read_document(name, log, &document);
        if (result == SHW_OK)
            result = check(name, document, log);
    }
    if (result != SHW_OK) {
        json_decref(document);
        return result;
    }
    preset->document = document;
    preset->name = json_string_value(json_object_get(document, SHW_PRESET_NAME));
    preset->setting = json_object_get(document, SHW_PRESET_SETTING);
    return SHW_OK;
}

void shw_preset_free(struct shw_preset *preset)
{
    json_decref(preset->document);
    *preset = (struct shw_preset){.document = NULL};
}
