#include "cli/commands.h"

#include <stdio.h>
#include <string.h>

/* What a rule speaks of. */
#define FLAG(name_)                                                                                                    \
    {                                                                                                                  \
        .name = name_                                                                                                  \
    }
#define WITH(name_, sample_)                                                                                           \
    {                                                                                                                  \
        .name = name_, .sample = sample_                                                                               \
    }
#define VALUE(name_, values_)                                                                                          \
    {                                                                                                                  \
        .name = name_, .values = values_                                                                               \
    }

#define ON_THE_CPU    VALUE("technique", "cpu")
#define ON_A_DEVICE   VALUE("technique", "compute,fragment")
#define ONE_COPY      VALUE("copies", "1")
#define FROM_KINECT   VALUE("from", "kinect")
#define FROM_CURFIL   VALUE("from", "curfil")
#define BY_TREES      VALUE("divide", "trees")
#define FIRST_COPY    "the first copy is the unchanged object"
#define ALL_AT_ONCE   "that is counted in all images by one call"
#define NO_DEVICE     "no device is used"
#define OF_ONE_LEVEL  "out-of-bag accuracy is measured of a forest without a level below"
#define NOT_ON_DEVICE "only cpu uses threads"

static const struct cli_rule rules[] = {
    {NULL, FLAG("quiet"), CLI_EXCLUDES, FLAG("verbose"), NULL},
    {NULL, FLAG("resume"), CLI_NEEDS, WITH("checkpoint", "state"), NULL},
    {NULL, WITH("checkpoint-every", "5"), CLI_NEEDS, WITH("checkpoint", "state"), NULL},

    {"train", FLAG("mirror"), CLI_EXCLUDES, VALUE("flip", "none,paired"), "--mirror means --flip images"},
    {"train", FLAG("extremely-random"), CLI_EXCLUDES, WITH("thresholds", "best"), "such trees have random thresholds"},
    {"train", FLAG("extremely-random"), CLI_EXCLUDES, WITH("bins", "4"),
     "such trees have one threshold, and so 2 bins"},
    {"train", FLAG("ferns"), CLI_EXCLUDES, VALUE("pool", "node"), "all nodes of a level of a fern share a test"},
    {"train", WITH("size", "9"), CLI_EXCLUDES,
     VALUE("feature", "pixel-difference,depth-pixel-difference,kinect-difference"), "such tests read single pixels"},
    {"train", WITH("single", "9"), CLI_EXCLUDES, VALUE("feature", "curfil-difference"),
     "such tests have two rectangles"},
    {"train", VALUE("sampling", "balanced,class-uniform"), CLI_EXCLUDES, VALUE("pixels", "all"),
     "all are drawn, so none are chosen"},
    {"train", FLAG("same-samples"), CLI_EXCLUDES, WITH("folds", "2"), "the trees of folds see different images"},
    {"train", WITH("below", "forest.ktx2"), CLI_EXCLUDES, WITH("levels", "2"), "one level is trained above a forest"},
    {"train", FLAG("out-of-bag"), CLI_EXCLUDES, WITH("below", "forest.ktx2"), OF_ONE_LEVEL},
    {"train", FLAG("out-of-bag"), CLI_EXCLUDES, WITH("levels", "2"), OF_ONE_LEVEL},
    {"train", WITH("below-offset", "9"), CLI_NEEDS, WITH("levels", "2"), NULL},
    {"train", WITH("below-size", "9"), CLI_NEEDS, WITH("levels", "2"), NULL},
    {"train", FLAG("same-samples"), CLI_EXCLUDES, WITH("levels", "2"), "the trees of folds see different images"},
    {"label", FLAG("frames"), CLI_EXCLUDES, WITH("jobs", "2"), "each image is labelled with the one before"},
    {"label", WITH("files-from", "names.txt"), CLI_EXCLUDES, WITH("jobs", "2"),
     "each name is answered before the next one is read"},
    {"train", WITH("device", "0"), CLI_IDLE_WITH, ON_THE_CPU, NO_DEVICE},
    {"train", BY_TREES, CLI_EXCLUDES, FLAG("out-of-bag"), "out-of-bag accuracy is that of all trees together"},
    {"train", BY_TREES, CLI_EXCLUDES, WITH("levels", "2"), "a level needs all trees of the one below"},
    {"train", BY_TREES, CLI_EXCLUDES, WITH("folds", "2"), "folds are of all trees together"},
    {"train", BY_TREES, CLI_EXCLUDES, WITH("checkpoint", "state"), "a checkpoint has one tree in progress"},
    {"train", VALUE("divide", "candidates,trees,images"), CLI_NEEDS, FLAG("mpi"), NULL},

    {"serve", WITH("device", "0"), CLI_IDLE_WITH, ON_THE_CPU, NO_DEVICE},

    {"tune", WITH("device", "0"), CLI_IDLE_WITH, ON_THE_CPU, NO_DEVICE},

    {"label", WITH("opacity", "50"), CLI_EXCLUDES, FLAG("no-overlay"), "it applies to overlays"},
    {"label", FLAG("scale-bar"), CLI_EXCLUDES, FLAG("no-overlay"), "it is drawn into overlays"},
    {"label", WITH("objects-format", "csv"), CLI_NEEDS, FLAG("objects"), NULL},
    {"label", WITH("objects-classes", "0"), CLI_NEEDS, FLAG("objects"), NULL},
    {"label", WITH("objects-area", "1"), CLI_NEEDS, FLAG("objects"), NULL},
    {"label", WITH("objects-area-max", "1"), CLI_NEEDS, FLAG("objects"), NULL},
    {"label", WITH("object-forest", "objects.ktx2"), CLI_NEEDS, FLAG("objects"), NULL},
    {"label", WITH("objects-show", "round"), CLI_NEEDS, FLAG("objects"), NULL},
    {"label", WITH("objects-holes", "0"), CLI_NEEDS, FLAG("objects"), NULL},
    {"label", WITH("objects-smooth", "0"), CLI_NEEDS, FLAG("objects"), NULL},
    {"label", WITH("objects-connectivity", "8"), CLI_NEEDS, FLAG("objects"), NULL},

    {"label", WITH("files-from", "names"), CLI_EXCLUDES, WITH("shard", "1/2"),
     "a shard needs the whole list of images"},
    {"label", WITH("files-from", "names"), CLI_EXCLUDES, FLAG("plan"),
     "what is to be labelled is not known beforehand"},
    {"label", WITH("files-from", "names"), CLI_EXCLUDES, FLAG("frames"), "a frame needs the one before it"},
    {"label", WITH("files-from", "names"), CLI_EXCLUDES, VALUE("page", "all"), "a name is that of one page: IMAGE#N"},
    {"label", FLAG("null"), CLI_NEEDS, WITH("files-from", "names"), NULL},

    {"evaluate", WITH("opacity", "50"), CLI_NEEDS, WITH("overlays", "overlays"), NULL},
    {"evaluate", FLAG("calibrated"), CLI_NEEDS, FLAG("reliability"), "labels stay the same"},
    {"evaluate", FLAG("counts"), CLI_IDLE_WITH, FLAG("json"), "the document always has pixels"},

    {"detect", FLAG("resume"), CLI_EXCLUDES, WITH("evaluate", "table.csv"), ALL_AT_ONCE},
    {"detect", FLAG("resume"), CLI_EXCLUDES, WITH("survivors", "c.ktx2"), ALL_AT_ONCE},
    {"detect", WITH("shard", "1/2"), CLI_EXCLUDES, WITH("evaluate", "table.csv"), ALL_AT_ONCE},
    {"detect", WITH("shard", "1/2"), CLI_EXCLUDES, WITH("survivors", "c.ktx2"), ALL_AT_ONCE},
    {"detect", WITH("label", "face"), CLI_NEEDS, WITH("evaluate", "table.csv"), "it selects annotations"},
    {"detect", WITH("match-overlap", "0.5"), CLI_NEEDS, WITH("evaluate", "table.csv"), NULL},
    {"detect", WITH("survivors", "face.ktx2"), CLI_EXCLUDES, ON_A_DEVICE, "only cpu counts them"},
    {"detect", WITH("survivors", "face.ktx2"), CLI_EXCLUDES, VALUE("variant", "global,shared,mipmap,regroup"),
     "only cpu counts them"},
    {"detect", WITH("survivors", "face.ktx2"), CLI_EXCLUDES, WITH("regroup", "2"), "only cpu counts them"},
    {"detect", VALUE("variant", "global,shared,mipmap,regroup"), CLI_EXCLUDES, VALUE("technique", "cpu,fragment"),
     "only compute uses it"},
    {"detect", WITH("regroup", "2"), CLI_EXCLUDES, VALUE("technique", "cpu,fragment"), "only compute uses it"},
    {"detect", WITH("regroup", "2"), CLI_EXCLUDES, VALUE("variant", "global,shared,mipmap"), "they do not regroup"},
    {"detect", WITH("threads", "1"), CLI_IDLE_WITH, ON_A_DEVICE, NOT_ON_DEVICE},
    {"detect", WITH("device", "0"), CLI_IDLE_WITH, ON_THE_CPU, NO_DEVICE},

    {"train-cascade", FLAG("only-objects"), CLI_NEEDS, WITH("annotations", "table.csv"),
     "it applies to annotated images"},
    {"train-cascade", WITH("images", "folder"), CLI_NEEDS, WITH("annotations", "table.csv"),
     "it is the folder of the annotated images"},
    {"train-cascade", WITH("label", "face"), CLI_NEEDS, WITH("annotations", "table.csv"), "it selects annotations"},
    {"train-cascade", WITH("margin", "9"), CLI_NEEDS, WITH("annotations", "table.csv"),
     "it lies around annotated rectangles"},
    {"train-cascade", WITH("shift", "9"), CLI_EXCLUDES, ONE_COPY, FIRST_COPY},
    {"train-cascade", WITH("scale", "9"), CLI_EXCLUDES, ONE_COPY, FIRST_COPY},
    {"train-cascade", WITH("turn", "9"), CLI_EXCLUDES, ONE_COPY, FIRST_COPY},
    {"train-cascade", WITH("contrast", "9"), CLI_EXCLUDES, ONE_COPY, FIRST_COPY},
    {"train-cascade", WITH("noise", "9"), CLI_EXCLUDES, ONE_COPY, FIRST_COPY},
    {"train-cascade", FLAG("blur"), CLI_EXCLUDES, ONE_COPY, FIRST_COPY},
    {"train-cascade", FLAG("no-mirror"), CLI_EXCLUDES, ONE_COPY, FIRST_COPY},
    {"train-cascade", WITH("memory", "9M"), CLI_IDLE_WITH, ON_THE_CPU, "it limits device memory"},
    {"train-cascade", WITH("device", "0"), CLI_IDLE_WITH, ON_THE_CPU, NO_DEVICE},

    {NULL, WITH("target", "a"), CLI_EXCLUDES, WITH("class-column", "a"), "they are two names of one option"},
    {NULL, WITH("target", "a"), CLI_EXCLUDES, WITH("labels", "table.csv"), "both say where the classes are"},
    {NULL, WITH("class-column", "a"), CLI_EXCLUDES, WITH("labels", "table.csv"), "both say where the classes are"},
    {"train-records", WITH("target", "a"), CLI_EXCLUDES, WITH("test-labels", "table.csv"),
     "both say where the classes are"},
    {"train-records", WITH("class-column", "a"), CLI_EXCLUDES, WITH("test-labels", "table.csv"),
     "both say where the classes are"},
    {"train-records", WITH("test-labels", "table.csv"), CLI_NEEDS, WITH("test", "table.csv"), NULL},
    {"train-records", FLAG("out-of-bag"), CLI_EXCLUDES, VALUE("records", "100"), "no record is then left out"},
    {"train-records", WITH("device", "0"), CLI_IDLE_WITH, ON_THE_CPU, NO_DEVICE},

    {"records", WITH("write", "classes"), CLI_NEEDS, WITH("output", "table.csv"), NULL},
    {"records", WITH("group-lanes", "4"), CLI_EXCLUDES, VALUE("technique", "serial,cpu,compute,fragment"),
     "only speculative techniques use it"},
    {"records", WITH("records-per-group", "4"), CLI_EXCLUDES, VALUE("technique", "serial,cpu,fragment"),
     "only compute shaders use it"},
    {"records", WITH("reductions", "2"), CLI_EXCLUDES, VALUE("technique", "serial,cpu,compute,fragment,speculative"),
     "only speculative-mapped and windowed use it"},
    {"records", WITH("window-levels", "2"), CLI_EXCLUDES,
     VALUE("technique", "serial,cpu,compute,fragment,speculative,speculative-mapped"), "only windowed uses it"},
    {"records", WITH("memory", "9M"), CLI_IDLE_WITH, VALUE("technique", "serial,cpu"), "it limits device memory"},
    {"records", WITH("device", "0"), CLI_IDLE_WITH, VALUE("technique", "serial,cpu"), NO_DEVICE},

    {"import", WITH("depth", "14"), CLI_NEEDS, FROM_KINECT, NULL},
    {"import", FLAG("whole"), CLI_NEEDS, FROM_KINECT, NULL},
    {"import", WITH("focal", "500"), CLI_NEEDS, FROM_KINECT, NULL},
    {"import", WITH("prediction", "cpu"), CLI_NEEDS, FROM_CURFIL, NULL},
    {"import", WITH("bias", "5"), CLI_NEEDS, FROM_CURFIL, NULL},
    {"export", WITH("combine", "vote"), CLI_NEEDS, VALUE("to", "curfil,glsl"), "it applies to forests"},
    {"export", WITH("fill", "none"), CLI_NEEDS, VALUE("to", "glsl"), "it applies to labels"},
    {"export", WITH("smooth", "0"), CLI_NEEDS, VALUE("to", "glsl"), "it applies to labels"},

    {"depth", WITH("alpha", "1"), CLI_NEEDS, VALUE("fill", "colorization"), NULL},
    {"depth", WITH("images", "{}.png"), CLI_NEEDS, VALUE("fill", "colorization"), "nothing else reads colours"},
    {"depth", WITH("focal", "500"), CLI_NEEDS, FLAG("height"), NULL},
    {"depth", WITH("centre", "3,4"), CLI_NEEDS, FLAG("height"), NULL},
    {"depth", VALUE("fill", "none"), CLI_NEEDS, FLAG("height"), "otherwise there is nothing to write"},

    {"synth", WITH("background", "class"), CLI_NEEDS, VALUE("scene", "bodies"), NULL},

    {"bench", FLAG("samples"), CLI_NEEDS, WITH("json", "bench.json"), "only the document has them"},
};

const struct cli_rule *cli_rules(size_t *count)
{
    *count = sizeof rules / sizeof *rules;
    return rules;
}

/* UINT32_MAX if the command has no such option. */
static uint32_t find(const struct shw_option *options, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(options[i].name, name) == 0)
            return i;
    return UINT32_MAX;
}

static bool has_value(const char *values, const char *value)
{
    const size_t length = strlen(value);

    for (const char *at = values; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, value, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    }
    return false;
}

static bool is_given(const struct cli_given *given, const char *text)
{
    return text != NULL && (given->values == NULL || has_value(given->values, text));
}

/* What a message calls it: "--flip none" as it was given, or "--fill simple or colorization" as it is wanted. */
struct wording {
    char text[160];
};

static struct wording word(const struct cli_given *given, const char *text)
{
    struct wording wording;

    snprintf(wording.text, sizeof wording.text, "--%s", given->name);
    if (given->values == NULL)
        return wording;
    for (const char *at = text != NULL ? text : given->values; *at != '\0';) {
        const size_t length = strcspn(at, ","), used = strlen(wording.text);
        const bool is_first = at == text || at == given->values, is_last = at[length] == '\0';

        snprintf(wording.text + used, sizeof wording.text - used, "%s%.*s",
                 is_first  ? " "
                 : is_last ? " or "
                           : ", ",
                 (int)length, at);
        at += length + (at[length] == ',');
    }
    return wording;
}

static void warn(const char *first, const char *second, const char *why)
{
    fprintf(stderr, "shadewood: warning: %s has no effect with %s%s%s\n", first, second, why != NULL ? ": " : "",
            why != NULL ? why : "");
}

static int check(const struct cli_rule *rule, const struct shw_command *command, const char *const *texts,
                 const uint32_t places[2], bool quiet)
{
    const char *first = texts[places[0]], *second = texts[places[1]];
    const char *why = rule->why != NULL ? rule->why : "", *colon = rule->why != NULL ? ": " : "";

    if (!is_given(&rule->first, first))
        return SHW_CONTINUE;
    switch (rule->relation) {
    case CLI_EXCLUDES:
        if (is_given(&rule->second, second))
            return shw_usage_error(command, "%s and %s exclude each other%s%s", word(&rule->first, first).text,
                                   word(&rule->second, second).text, colon, why);
        break;
    case CLI_NEEDS:
        if (!is_given(&rule->second, second))
            return shw_usage_error(command, "%s needs %s%s%s", word(&rule->first, first).text,
                                   word(&rule->second, NULL).text, colon, why);
        break;
    case CLI_IDLE_WITH:
        if (is_given(&rule->second, second) && !quiet)
            warn(word(&rule->first, first).text, word(&rule->second, second).text, rule->why);
        break;
    }
    return SHW_CONTINUE;
}

static int check_rules(const struct shw_command *command, const struct shw_option *options, uint32_t count,
                       const char *const *texts)
{
    const uint32_t quiet = find(options, count, "quiet");
    const bool is_quiet = quiet != UINT32_MAX && texts[quiet] != NULL;

    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const uint32_t places[2] = {find(options, count, rules[i].first.name),
                                    find(options, count, rules[i].second.name)};
        int code;

        if ((rules[i].command != NULL && strcmp(rules[i].command, command->name) != 0) || places[0] == UINT32_MAX ||
            places[1] == UINT32_MAX)
            continue;
        code = check(&rules[i], command, texts, places, is_quiet);
        if (code != SHW_CONTINUE)
            return code;
    }
    return SHW_CONTINUE;
}

int cli_parse_texts(const struct shw_command *command, const struct shw_option *options, uint32_t count, int argc,
                    char **argv, int *first, const char *texts[SHW_OPTIONS_MAX])
{
    int code = shw_options_parse(command, options, count, argc, argv, first, texts);

    return code == SHW_CONTINUE ? check_rules(command, options, count, texts) : code;
}

int cli_parse(const struct shw_command *command, const struct shw_option *options, uint32_t count, int argc,
              char **argv, int *first)
{
    const char *texts[SHW_OPTIONS_MAX];

    return cli_parse_texts(command, options, count, argc, argv, first, texts);
}

bool cli_is_excluded(const struct shw_command *command, const struct shw_option *options, uint32_t count,
                     const char *const *texts, const char *name, const char *value)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const struct cli_given *sides[] = {&rules[i].first, &rules[i].second};

        if (rules[i].relation != CLI_EXCLUDES ||
            (rules[i].command != NULL && strcmp(rules[i].command, command->name) != 0))
            continue;
        for (int side = 0; side < 2; side++) {
            const uint32_t other = find(options, count, sides[1 - side]->name);
            if (strcmp(sides[side]->name, name) == 0 && is_given(sides[side], value) && other != UINT32_MAX &&
                is_given(sides[1 - side], texts[other]))
                return true;
        }
    }
    return false;
}
