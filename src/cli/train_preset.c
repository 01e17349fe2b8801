#include "cli/train_preset.h"

#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/json_text.h"
#include "base/text.h"
#include "cli/commands.h"
#include "files/tune/look.h"
#include "files/tune/setting.h"

/* Looks at the data, unless they are strokes, of which *look says nothing. */
static int look_at(struct cli_report *report, struct cli_data *data, bool of_strokes, struct shw_data_look *look)
{
    struct shw_dataset dataset = {0};
    int code;

    *look = (struct shw_data_look){.images = 0};
    if (of_strokes)
        return SHW_CONTINUE;
    code = cli_open_data(&cli_train, report, data, &dataset);
    if (code == SHW_CONTINUE)
        code = shw_data_look_at(&dataset, look) == SHW_OK ? SHW_CONTINUE : SHW_EXIT_FAILURE;
    shw_dataset_close(&dataset);
    return code;
}

const char *cli_train_option(const struct cli_train_options *options, const char *name)
{
    for (uint32_t i = 0; i < options->count; i++)
        if (strcmp(options->options[i].name, name) == 0)
            return options->texts[i];
    return NULL;
}

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names != NULL; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

/* Whether options decide about a setting. */
static bool is_decided(const struct cli_train_options *options, bool of_strokes, const char *name, const json_t *value)
{
    static const char *const by_project[] = {"pixels", "sampling", "weights",  "prior",
                                             "levels", "folds",    "fold-run", NULL};
    static const char *const by_channels[] = {"channels", "feature", "fill", NULL};
    static const char *const by_extremely_random[] = {"candidates", "thresholds", "bins", NULL};
    char number[24];
    const char *text = json_string_value(value);

    snprintf(number, sizeof number, "%lld", (long long)json_integer_value(value));
    return cli_train_option(options, name) != NULL || (of_strokes && is_one_of(name, by_project)) ||
           ((cli_train_option(options, "channels") != NULL || cli_train_option(options, "feature") != NULL) &&
            is_one_of(name, by_channels)) ||
           (cli_train_option(options, "extremely-random") != NULL && is_one_of(name, by_extremely_random)) ||
           (cli_train_option(options, "mirror") != NULL && strcmp(name, "flip") == 0) ||
           cli_is_excluded(&cli_train, options->options, options->count, options->texts, name,
                           text != NULL ? text : number);
}

static int apply(struct cli_report *report, bool of_strokes, const struct cli_train_options *options,
                 const json_t *setting, struct shw_trainer_params *params)
{
    const bool has_size = cli_train_option(options, "size") != NULL;
    const json_t *smooth = json_object_get(setting, SHW_SETTING_SMOOTH);
    char why[SHW_SETTING_WHY_SIZE];
    const char *name;
    json_t *value;

    json_object_foreach((json_t *)(uintptr_t)setting, name,
                        value) if (!is_decided(options, of_strokes, name, value) &&
                                   !shw_setting_take(name, value, params, why)) return cli_fail(report, "%s", why);
    if (smooth != NULL && params->smoothing.radius == 0) /* which means what a project says */
        params->smoothing.radius = SHW_SMOOTHING_NONE;
    if (!has_size)
        shw_setting_fit_size(params);
    return SHW_CONTINUE;
}

/* Loads the preset with that name, or the one that the data look like, for such data. */
static int load(struct cli_report *report, struct cli_data *data, bool of_strokes, const char *name, uint32_t levels,
                struct shw_preset *preset)
{
    const struct shw_log log = cli_log(report);
    const bool is_chosen = strcmp(name, SHW_PRESET_AUTO) == 0;
    struct shw_data_look look;
    char why[SHW_LOOK_WHY_SIZE] = "a project has strokes";
    enum shw_result result;
    int code = SHW_CONTINUE;

    if (is_chosen) {
        code = look_at(report, data, of_strokes, &look);
        if (code != SHW_CONTINUE)
            return code;
        name = of_strokes ? "strokes" : shw_preset_choose(&look, why);
        cli_say(report, "preset %s: %s", name, why);
    }
    result = shw_preset_load(name, &log, preset);
    if (result != SHW_OK)
        return result == SHW_ERROR_ARGUMENT ? SHW_EXIT_USAGE : shw_exit_code(result);
    if (!is_chosen && preset->fits)
        code = look_at(report, data, of_strokes, &look);
    if (code == SHW_CONTINUE && preset->fits && shw_preset_fit(preset, &look, levels) != SHW_OK)
        code = cli_fail(report, "not enough memory for the preset");
    return code;
}

int cli_train_preset_take(struct cli_train_preset *preset, struct cli_report *report, struct cli_data *data,
                          bool of_strokes, const struct cli_train_options *options, struct shw_trainer_params *params)
{
    int code;

    if (preset->option == NULL)
        return SHW_CONTINUE;
    code = load(report, data, of_strokes, preset->option, params->levels, &preset->preset);
    return code == SHW_CONTINUE ? apply(report, of_strokes, options, preset->preset.setting, params) : code;
}

int cli_train_preset_note(struct cli_train_preset *preset, const char **notes)
{
    json_t *object;

    if (preset->option == NULL)
        return SHW_CONTINUE;
    object = *notes != NULL ? json_loads(*notes, 0, NULL) : json_object();
    json_object_set_new(object, "preset", shw_json_text(preset->preset.name));
    preset->notes = json_dumps(object, 0);
    json_decref(object);
    if (preset->notes == NULL)
        return shw_exit_code(SHW_ERROR_MEMORY);
    *notes = preset->notes;
    return SHW_CONTINUE;
}

void cli_train_preset_free(struct cli_train_preset *preset)
{
    shw_preset_free(&preset->preset);
    free(preset->notes);
    preset->notes = NULL;
}
