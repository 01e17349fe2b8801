#include <stdio.h>
#include <stdlib.h>

#include <shadewood/explain.h>
#include <shadewood/label.h>

#include "base/json_text.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/data_options.h"
#include "dense/forest/forest.h"
#include "files/dataset/image_inputs.h"
#include "files/output/forest_text.h"

#define BAR 40

/* Context for printing an explanation. */
struct context {
    const char *forest_path, *image_path;
    const struct shw_forest_info *info;
    const struct shw_channel_list *set;
    const struct shw_explanation *explanation;
    double seconds;                 /* time taken */
    struct shw_smoothing smoothing; /* radius 0: none */
    uint16_t *smoothed, label;      /* with smoothing: the pixel's distribution and class */
};

/* The rectangles in the image, both ends included, then their values. */
static void print_test(const struct context *context, const struct shw_explained_test *test)
{
    const struct shw_node *split = &test->split;

    printf("%6u  ", test->node);
    for (uint32_t i = 0; i < test->region_count; i++) {
        struct shw_image_rectangle rect = test->regions[i].rectangle;
        printf("%s%s[%u..%u, %u..%u]", shw_region_sign(&test->regions[i].region, i),
               context->set->channels[test->regions[i].region.channel].name, rect.x0, rect.x1 - 1, rect.y0,
               rect.y1 - 1);
    }
    for (uint32_t i = 0; test->region_count > 1 && i < test->region_count; i++)
        printf("%s%s%d", i == 0 ? " = " : "", shw_region_sign(&test->regions[i].region, i), test->regions[i].value);
    if (test->undefined) {
        printf(" = undefined, outside the image or without depth: right to %u\n", split->left + 1);
        return;
    }
    printf(" = %d; %s", test->response, test->right ? "" : "not ");
    if (split->t0 > INT32_MIN)
        printf("%d <= ", split->t0);
    printf("%d", test->response);
    if (split->t1 < INT32_MAX)
        printf(" < %d", split->t1);
    printf(": %s to %u\n", test->right ? "right" : "left", split->left + test->right);
}

static void print_tree(const struct context *context, uint32_t number)
{
    const struct shw_explained_tree *tree = &context->explanation->trees[number];

    printf("\ntree %u\n", number);
    for (uint32_t i = 0; i < tree->test_count; i++)
        print_test(context, &tree->tests[i]);
    shw_print_leaf(context->info, tree->node, tree->leaf, tree->distribution);
}

static void print(const struct context *context)
{
    const struct shw_explanation *explanation = context->explanation;
    bool is_void = explanation->argmax == SHW_LABEL_VOID;

    printf("%s, pixel %u %u: %s\n", shw_printable(context->image_path).text, explanation->x, explanation->y,
           is_void ? "void, because it has no depth" : context->info->classes[explanation->argmax].name);
    if (is_void)
        return;
    if (context->smoothed != NULL)
        printf("smoothed with radius %u, epsilon %u: %s\n", context->smoothing.radius, context->smoothing.epsilon,
               context->info->classes[context->label].name);
    for (uint32_t c = 0; c < context->info->class_count; c++) {
        printf("  %-14s%5.1f %%  ", context->info->classes[c].name, 100.0 * explanation->distribution[c] / 65535);
        for (uint32_t i = 0; i < (explanation->distribution[c] * BAR + 32767u) / 65535; i++)
            putchar('#');
        if (context->smoothed != NULL)
            printf("%*s smoothed %5.1f %%", BAR - (int)((explanation->distribution[c] * BAR + 32767u) / 65535), "",
                   100.0 * context->smoothed[c] / 65535);
        putchar('\n');
    }
    for (uint32_t t = 0; t < explanation->tree_count; t++)
        print_tree(context, t);
}

/* NULL without smoothing, and of a void pixel. */
static json_t *smoothed_json(const struct context *context)
{
    if (context->smoothed == NULL || context->label == SHW_LABEL_VOID)
        return NULL;
    return json_pack("{s:I, s:I, s:I, s:o}", "radius", (json_int_t)context->smoothing.radius, "epsilon",
                     (json_int_t)context->smoothing.epsilon, "class", (json_int_t)context->label, "distribution",
                     shw_distribution_json(context->info, context->smoothed));
}

static json_t *test_json(const struct context *context, const struct shw_explained_test *test)
{
    json_t *rectangles = json_array();

    for (uint32_t i = 0; i < test->region_count; i++) {
        const struct shw_explained_region *region = &test->regions[i];
        struct shw_image_rectangle rect = region->rectangle;
        json_array_append_new(rectangles,
                              json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I}", "channel",
                                        context->set->channels[region->region.channel].name, "x0", (json_int_t)rect.x0,
                                        "y0", (json_int_t)rect.y0, "x1", (json_int_t)rect.x1, "y1", (json_int_t)rect.y1,
                                        "sum", (json_int_t)region->sum, "value", (json_int_t)region->value));
    }
    return json_pack("{s:I, s:o, s:o, s:I, s:I, s:b, s:I}", "node", (json_int_t)test->node, "rectangles", rectangles,
                     "response", test->undefined ? json_null() : json_integer(test->response), "t0",
                     (json_int_t)test->split.t0, "t1", (json_int_t)test->split.t1, "right", test->right, "next",
                     (json_int_t)test->split.left + test->right);
}

static json_t *describe(const struct context *context)
{
    const struct shw_explanation *explanation = context->explanation;
    json_t *trees = json_array(), *names = json_array();

    for (uint32_t c = 0; c < context->info->class_count; c++)
        json_array_append_new(names, json_string(context->info->classes[c].name));
    for (uint32_t t = 0; t < explanation->tree_count && explanation->argmax != SHW_LABEL_VOID; t++) {
        const struct shw_explained_tree *tree = &explanation->trees[t];
        json_t *tests = json_array();
        for (uint32_t i = 0; i < tree->test_count; i++)
            json_array_append_new(tests, test_json(context, &tree->tests[i]));
        json_array_append_new(trees, json_pack("{s:o, s:I, s:I, s:o}", "tests", tests, "node", (json_int_t)tree->node,
                                               "leaf", (json_int_t)tree->leaf, "distribution",
                                               shw_distribution_json(context->info, tree->distribution)));
    }
    return json_pack("{s:o, s:o, s:I, s:I, s:o, s:o, s:o, s:o, s:f, s:o*}", "forest",
                     shw_json_text(context->forest_path), "image", shw_json_text(context->image_path), "x",
                     (json_int_t)explanation->x, "y", (json_int_t)explanation->y, "classes", names, "class",
                     explanation->argmax != SHW_LABEL_VOID ? json_integer((json_int_t)explanation->argmax)
                                                           : json_null(),
                     "distribution", shw_distribution_json(context->info, explanation->distribution), "trees", trees,
                     "seconds", context->seconds, "smoothed", smoothed_json(context));
}

/* What smoothing makes of the pixel; nothing if there is none. */
static int smooth(struct cli_report *report, const struct shw_forest *forest, const struct shw_image_inputs *inputs,
                  const uint64_t pixel[2], struct context *context)
{
    const struct shw_labeller_params params = {.forest = forest,
                                               .outputs = SHW_OUTPUT_DISTRIBUTION | SHW_OUTPUT_ARGMAX,
                                               .smoothing = context->smoothing,
                                               .log = cli_log(report)};
    const struct shw_part part = {(uint32_t)pixel[0], (uint32_t)pixel[1], 1, 1, 1};
    struct shw_labeller *labeller = NULL;
    struct shw_labelling out = {.argmax = &context->label};
    enum shw_result result;

    if (context->smoothing.radius == 0)
        return SHW_EXIT_SUCCESS;
    context->smoothed = out.distribution = calloc(context->info->class_count, sizeof *out.distribution);
    if (context->smoothed == NULL)
        return cli_fail(report, "not enough memory for a distribution");
    result = shw_labeller_create(&params, &labeller);
    if (result == SHW_OK)
        result = shw_labeller_run_part(labeller, &inputs->all, &part, &out);
    shw_labeller_destroy(&labeller);
    return shw_exit_code(result);
}

static int explain(struct cli_report *report, const struct shw_forest *forest, const struct shw_image_inputs *inputs,
                   const uint64_t pixel[2], struct context *context)
{
    const struct shw_image *image = &inputs->files[0].image;
    struct shw_channel_reader_params params = {.inputs = &inputs->all,
                                               .kinds = shw_forest_get_info(forest)->kinds,
                                               .channels = context->info->channels,
                                               .fill = context->info->fill,
                                               .threads = 1,
                                               .log = cli_log(report),
                                               .below = context->info->below};
    struct shw_channel_reader *reader = NULL;
    struct shw_explanation *explanation = NULL;
    int code;

    if (pixel[0] >= image->width || pixel[1] >= image->height)
        return shw_usage_error(&cli_explain, "the pixels of %s are 0 0 to %u %u", context->image_path, image->width - 1,
                               image->height - 1);
    code = shw_exit_code(shw_channel_reader_create(&params, &reader));
    context->seconds = -shw_clock();
    if (code == SHW_EXIT_SUCCESS)
        code = shw_exit_code(shw_explain(forest, reader, (uint32_t)pixel[0], (uint32_t)pixel[1], &explanation));
    context->seconds += shw_clock();
    context->explanation = explanation;
    if (code == SHW_EXIT_SUCCESS)
        code = smooth(report, forest, inputs, pixel, context);
    if (code == SHW_EXIT_SUCCESS && report->json)
        code = cli_print_json(report, describe(context));
    else if (code == SHW_EXIT_SUCCESS)
        print(context);
    free(context->smoothed);
    shw_explanation_free(&explanation);
    shw_channel_reader_destroy(&reader);
    return code;
}

static int run(int argc, char **argv)
{
    struct cli_report report = {0};
    struct cli_reading reading = {0};
    struct shw_image_params params = {0};
    uint64_t pixel[2];
    struct shw_option_list list = {0};
    int combine = SHW_COMBINE_DEFAULT, fill = SHW_FILL_DEFAULT;
    struct cli_focal focal = {0};
    struct shw_smoothing smoothing = {.radius = CLI_SMOOTH_UNSET};
    uint32_t level = 0;
    struct cli_code own = {0};
    const struct shw_option options[] = {
        SHW_INPUT_OPTION(list, "the file of another input: 'depth=photo_depth.png'; may be\nrepeated"),
        CLI_COMBINE_OPTION(combine),
        CLI_FILL_OPTION(fill),
        CLI_CODE_OPTIONS(own),
        CLI_SMOOTH_OPTIONS(smoothing, CLI_SMOOTH_STORED),
        CLI_FOCAL_OPTION(focal),
        CLI_LEVEL_OPTION(level),
        CLI_READING_OPTIONS(reading),
        CLI_REPORT_OPTIONS(report),
    };
    struct shw_input_file files[SHW_INPUTS_MAX];
    struct shw_image_inputs inputs = {0};
    struct shw_forest *forest = NULL;
    const struct shw_forest *explained;
    struct context context;
    struct shw_log log;
    int first, code = cli_parse(&cli_explain, options, sizeof options / sizeof *options, argc, argv, &first);

    if (code != SHW_CONTINUE)
        return code;
    if (argc - first != 4)
        return shw_usage_error(&cli_explain, "a forest, an image, and the pixel's column and row are needed");
    for (int i = 0; i < 2; i++)
        if (!shw_parse_number(argv[first + 2 + i], 0, SHW_IMAGE_SIZE_MAX - 1, &pixel[i]))
            return shw_usage_error(&cli_explain, "'%s' is not a column or row of an image", argv[first + 2 + i]);
    code = cli_check_smoothing(&cli_explain, &smoothing);
    if (code == SHW_CONTINUE)
        code = shw_input_files_take(&cli_explain, &list, files);
    if (code != SHW_CONTINUE)
        return code;
    log = cli_log(&report);
    code = cli_load_plugins(&report, &own);
    if (code != SHW_CONTINUE)
        return code;
    code = shw_exit_code(cli_load_forest(
        &own, argv[first],
        &(struct shw_forest_load_params){.combine = (enum shw_combine)combine, .fill = (enum shw_fill)fill, .log = log},
        &forest));
    if (code == SHW_EXIT_SUCCESS)
        code = shw_exit_code(cli_focus(&focal, argv[first], &log, &forest));
    if (code != SHW_EXIT_SUCCESS) {
        shw_forest_destroy(&forest);
        return code;
    }
    code = cli_take_level(&cli_explain, level, forest, &explained);
    if (code != SHW_CONTINUE) {
        shw_forest_destroy(&forest);
        return code;
    }
    context = (struct context){
        .forest_path = argv[first], .image_path = argv[first + 1], .info = shw_forest_get_info(explained)};
    context.set = context.info->channel_list;
    context.smoothing = shw_forest_smoothing(context.info, &smoothing);
    params.choice = cli_image_choice(&reading, context.info);
    shw_input_files_add_beside(context.set, &list.count, files);
    code = cli_check_inputs(&report, context.set, list.count, files, "--input previous=FILE");
    if (code == SHW_CONTINUE)
        code = shw_exit_code(shw_image_inputs_read(context.image_path, files, list.count, &params, &log, &inputs));
    if (code == SHW_EXIT_SUCCESS)
        code = shw_exit_code(shw_image_inputs_complete(context.set, context.image_path, &inputs, &log));
    if (code == SHW_EXIT_SUCCESS)
        cli_check_focal(&focal, context.info, context.image_path, inputs.files[0].image.width, &log);
    if (code == SHW_EXIT_SUCCESS)
        code = explain(&report, explained, &inputs, pixel, &context);
    shw_image_inputs_free(&inputs);
    shw_forest_destroy(&forest);
    return code;
}

const struct shw_command cli_explain = {
    .name = "explain",
    .summary = "explain the label of a pixel",
    .arguments = "[OPTION...] FOREST IMAGE X Y",
    .text =
        "Explains the label of the pixel in column X of row Y, both from 0: for every tree the tests on the pixel's "
        "path, the\n"
        "values of their rectangles and the branch taken; its leaves; and the class probabilities, before and after\n"
        "smoothing if there is any. --level explains what a level below the uppermost says.",
    .examples = "  shadewood explain scenes.ktx2 photo.jpg 12 10\n"
                "  shadewood explain scenes.ktx2 photo.jpg 12 10 --json",
    .run = run,
};
