/* Forests that read other inputs: labels in frames, at once and in pieces, and by the worker are the same; explanations
 * are of the same inputs; projects keep them; and what does not fit is refused by name. The channel kinds are
 * the test's own. */
#include <stdlib.h>
#include <string.h>

#include "dense/channels/fill.h"
#include "files/project/training_tiles.h"
#include "label/scene.h"
#include "open_app.h"
#include "shell/app.h"
#include "testing/labelling.h"
#include "testing/painting.h"
#include "testing/random_forest.h"

enum { WIDTH = 60, HEIGHT = 40, FRAMES_MAX = 1000000 };

#define CHANNELS "rgb,dt,far,heat"

static const VkExtent2D canvas = {80, 60};

extern const struct shw_channel_code shw_channel_code_stored;

static const struct shw_channel_info infos[] = {{"high", 255, 0, SHW_CONTENT_PLAIN, SHW_MIRRORED_SAME},
                                                {"low", 255, 0, SHW_CONTENT_PLAIN, SHW_MIRRORED_SAME},
                                                {"slope", 16384, 0, SHW_CONTENT_PLAIN, SHW_MIRRORED_SAME},
                                                {"luma", 4080, 4, SHW_CONTENT_PLAIN, SHW_MIRRORED_SAME}};

static const struct shw_channel_kind far = {.version = SHW_CHANNEL_KIND_VERSION,
                                            .name = "far",
                                            .channel_count = 4,
                                            .channels = infos,
                                            .input = SHW_DEPTH,
                                            .code = &shw_channel_code_stored},
                                     heat = {.version = SHW_CHANNEL_KIND_VERSION,
                                             .name = "heat",
                                             .channel_count = 4,
                                             .channels = infos,
                                             .input = "infrared",
                                             .code = &shw_channel_code_stored};

static int set_cache(void **state)
{
    (void)state;
    setenv("XDG_CACHE_HOME", testing_path(""), 1); /* where nothing is */
    return 0;
}

static void add(struct view_picture *picture, const char *name, enum shw_pixel_format format, uint64_t seed,
                uint32_t width)
{
    struct testing_random random = {seed};
    struct shw_image image = testing_image(&random, width, picture->image.height, format, 0);

    assert_true(view_picture_add(picture, name, &image));
    free((void *)(uintptr_t)image.pixels);
}

/* Without the input `without`, which may be NULL; `infrared`: its seed. */
static struct view_picture *make_picture(enum shw_pixel_format format, const char *without, uint64_t infrared)
{
    struct testing_random random = {1};
    struct view_picture *picture = calloc(1, sizeof *picture);

    assert_non_null(picture);
    picture->image = testing_image(&random, WIDTH, HEIGHT, format, 0);
    picture->name = strdup("picture.png");
    if (without == NULL || strcmp(without, SHW_DEPTH) != 0)
        add(picture, SHW_DEPTH, SHW_PIXEL_GREY16, 2, WIDTH);
    if (without == NULL || strcmp(without, SHW_PREVIOUS) != 0)
        add(picture, SHW_PREVIOUS, format, 3, WIDTH);
    if (without == NULL || strcmp(without, "infrared") != 0)
        add(picture, "infrared", SHW_PIXEL_GREY8, infrared, WIDTH);
    return picture;
}

static struct view_shared_forest *make_forest(const char *channels)
{
    struct random_forest_params params = {.seed = 5,
                                          .channels = channels,
                                          .kinds = {{&far, &heat}},
                                          .classes = 4,
                                          .trees = 3,
                                          .depth = 7,
                                          .split_percent = 95,
                                          .offset_max = 6,
                                          .size_max = 4};

    return view_shared_forest_create(random_forest(&params), true, 0);
}

static void open_app(bool complete, struct view_app *app)
{
    open_app_with((struct view_app_params){.canvas = canvas, .complete = complete}, app);
    app->scene.settings.mode = VIEW_MODE_BLEND;
}

static uint64_t see(struct view_app *app)
{
    struct view_frame extra = {.read = true};

    assert_int_equal(view_app_poll(app, 0.0), SHW_OK);
    assert_int_equal(view_app_frame(app, &extra), SHW_OK);
    assert_int_equal(view_frames_wait(&app->gpu, &app->frames), SHW_OK);
    return testing_hash(app->canvas.back.mapped, (size_t)canvas.width * canvas.height * 4);
}

static void technique(struct view_app *app, const enum shw_technique techniques[SHW_STAGE_COUNT])
{
    memcpy(app->scene.labelling.techniques, techniques, sizeof app->scene.labelling.techniques);
    app->scene.labelling.new_techniques = app->scene.labelling.wanted = true;
}

static const enum shw_technique variants[][SHW_STAGE_COUNT] = {
    {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_CPU},
    {SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE},
    {SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_FRAGMENT},
    {SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_COMPUTE}};

/* What is seen of a picture, by complete frames; owns it. */
static uint64_t see_picture(struct view_app *app, struct view_picture *picture)
{
    assert_int_equal(view_app_show(app, picture), SHW_OK);
    return see(app);
}

TESTING_CASE(all_ways_see_the_same)
{
    static const enum shw_pixel_format formats[] = {SHW_PIXEL_RGB8, SHW_PIXEL_RGB16};
    struct view_app app;

    for (int f = 0; f < 2; f++) {
        const size_t ways = f == 0 || testing_is_slow() ? sizeof variants / sizeof *variants : 2; /* 16 bits by two */
        uint64_t all, still, other, colour;
        open_app(true, &app);
        assert_int_equal(view_scene_set_forest(&app.scene, make_forest(CHANNELS)), SHW_OK);
        technique(&app, variants[0]);
        all = see_picture(&app, make_picture(formats[f], NULL, 7));
        still = see_picture(&app, make_picture(formats[f], SHW_PREVIOUS, 7));
        other = see_picture(&app, make_picture(formats[f], NULL, 8));
        assert_true(all != still && all != other && still != other); /* every one counts */
        for (size_t w = 1; w < ways; w++) {
            technique(&app, variants[w]);
            assert_true(see_picture(&app, make_picture(formats[f], NULL, 7)) == all);
            assert_true(see_picture(&app, make_picture(formats[f], SHW_PREVIOUS, 7)) == still);
            assert_true(see_picture(&app, make_picture(formats[f], NULL, 8)) == other);
        }
        /* forests that read less, and the first again */
        assert_int_equal(view_scene_set_forest(&app.scene, make_forest("rgb,heat")), SHW_OK);
        technique(&app, variants[0]);
        colour = see(&app);
        technique(&app, variants[1]);
        assert_true(see(&app) == colour && colour != other);
        assert_int_equal(view_scene_set_forest(&app.scene, make_forest(CHANNELS)), SHW_OK);
        assert_true(see(&app) == other);
        assert_int_equal(view_app_destroy(&app), 0);
        /* in pieces, and asynchronously while frames go on */
        for (size_t w = f == 0 ? 0 : ways - 1; w < ways; w++) {
            open_app(false, &app);
            app.scene.labelling.budget = 1.0;
            technique(&app, variants[w]);
            assert_int_equal(view_scene_set_forest(&app.scene, make_forest(CHANNELS)), SHW_OK);
            assert_int_equal(view_app_show(&app, make_picture(formats[f], NULL, 7)), SHW_OK);
            for (int frames = 0; see(&app) != all; frames++)
                assert_true(frames < FRAMES_MAX);
            assert_int_equal(view_app_show(&app, make_picture(formats[f], NULL, 8)), SHW_OK);
            for (int frames = 0; see(&app) != other; frames++)
                assert_true(frames < FRAMES_MAX);
            assert_int_equal(view_app_destroy(&app), 0);
        }
    }
}

static bool was_said(struct view_app *app, const char *text, bool error)
{
    static struct view_toast list[VIEW_TOASTS];
    uint32_t count = view_toasts_list(&app->toasts, list);
    bool found = false;

    for (uint32_t i = 0; i < count && i < VIEW_TOASTS; i++)
        found = found || (list[i].error == error && strstr(list[i].text, text) != NULL);
    view_toasts_clear(&app->toasts);
    return found;
}

/* By all variants; then there are no labels, and the picture is seen. Pictures that just have no depth are expected. */
TESTING_CASE(what_does_not_fit_is_refused)
{
    static const char *const messages[] = {
        "has no depth, which the forest reads", "has no plane infrared, which the forest reads",
        "the input unread is not read by the forest", "the input infrared has 59 x 40 pixels, the colour image 60 x 40",
        "the input previous must have the same bit depth as the colour image"};
    struct view_app app;

    open_app(true, &app);
    assert_int_equal(view_scene_set_forest(&app.scene, make_forest(CHANNELS)), SHW_OK);
    for (int m = 0; m < 5; m++)
        for (size_t w = 0; w < sizeof variants / sizeof *variants; w++) {
            const char *without[] = {SHW_DEPTH, "infrared", NULL, "infrared", SHW_PREVIOUS};
            struct view_picture *picture = make_picture(SHW_PIXEL_RGB8, without[m], 7);
            if (m >= 2)
                add(picture, m == 2 ? "unread" : without[m], m == 4 ? SHW_PIXEL_GREY16 : SHW_PIXEL_GREY8, 9,
                    m == 3 ? WIDTH - 1 : WIDTH);
            technique(&app, variants[w]);
            assert_int_equal(view_app_show(&app, picture), SHW_OK);
            assert_int_equal(view_app_frame(&app, NULL), m < 2 ? SHW_OK : SHW_ERROR_ARGUMENT);
            assert_true(was_said(&app, messages[m], m >= 2));
            assert_int_equal(view_app_frame(&app, NULL), SHW_OK);
            assert_false(app.scene.labelling.front.filled);
        }
    assert_int_equal(view_app_destroy(&app), 0);
}

/* Of pixels, with the labels of the host. */
TESTING_CASE(explanations_are_of_the_same_inputs)
{
    struct shw_labeller_params params = {.outputs = SHW_OUTPUT_ARGMAX,
                                         .channels = SHW_TECHNIQUE_CPU,
                                         .integrate = SHW_TECHNIQUE_CPU,
                                         .evaluate = SHW_TECHNIQUE_CPU};
    struct shw_labeller *labeller = NULL;
    static uint16_t labels[WIDTH * HEIGHT];
    struct shw_input input[SHW_INPUTS_MAX];
    struct shw_inputs inputs;
    struct view_app app;

    open_app(true, &app);
    assert_int_equal(view_scene_set_forest(&app.scene, make_forest("rgb,dt,dt-gradient")), SHW_OK);
    see_picture(&app, make_picture(SHW_PIXEL_RGB8, "infrared", 7));
    params.forest = app.scene.forest->forest;
    inputs = view_picture_inputs(app.scene.picture, shw_forest_get_info(params.forest)->channel_list, input);
    assert_int_equal(inputs.count, 2);
    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    assert_int_equal(shw_labeller_run(labeller, &inputs, &(struct shw_labelling){.argmax = labels}), SHW_OK);
    shw_labeller_destroy(&labeller);
    for (uint32_t i = 0; i < 60; i++) {
        uint32_t x = i * 17 % WIDTH, y = i * 7 % HEIGHT;
        view_inspect_pin(&app.inside.inspect, x, y);
        view_inside_follow(&app.inside);
        assert_non_null(app.inside.inspect.explanation);
        assert_int_equal(app.inside.inspect.explanation->argmax, labels[y * WIDTH + x]);
    }
    assert_int_equal(view_app_run(&app, "uncertain"), SHW_OK);
    while (view_search_is_running(&app.teaching.search))
        assert_int_equal(view_app_poll(&app, 0.0), SHW_OK);
    /* refused, and said once */
    assert_int_equal(view_app_show(&app, make_picture(SHW_PIXEL_RGB8, NULL, 7)), SHW_OK);
    assert_int_equal(view_app_frame(&app, NULL), SHW_ERROR_ARGUMENT);
    assert_true(was_said(&app, "the input infrared is not read by the forest", true));
    assert_int_equal(view_app_frame(&app, NULL), SHW_OK);
    assert_null(app.inside.inspect.explanation);
    assert_false(was_said(&app, "infrared", true));
    assert_int_equal(view_app_run(&app, "inspect 5 6"), SHW_OK);
    assert_int_equal(view_app_frame(&app, NULL), SHW_OK);
    assert_true(was_said(&app, "the input infrared is not read by the forest", true));
    assert_int_equal(view_app_run(&app, "overlay channel"), SHW_OK);
    assert_int_equal(view_app_frame(&app, NULL), SHW_OK);
    assert_true(was_said(&app, "the input infrared is not read by the forest", true));
    assert_int_equal(view_app_destroy(&app), 0);
}

/* A project keeps the inputs of the pictures that are painted on, and refuses channels of motion. */
/* With holes, or with what they are filled with. */
static struct view_picture *make_depth_picture(bool filled)
{
    struct testing_random random = {11};
    struct view_picture *picture = calloc(1, sizeof *picture);
    const struct shw_input depth = {.image = testing_depth(&random, WIDTH, HEIGHT)};
    uint16_t *pixels = (uint16_t *)(uintptr_t)depth.image.pixels;

    assert_non_null(picture);
    picture->image = testing_image(&random, WIDTH, HEIGHT, SHW_PIXEL_RGB8, 0);
    picture->name = strdup("picture.png");
    memset(pixels + 3 * WIDTH, 0, 5 * WIDTH * sizeof *pixels);
    if (filled)
        assert_int_equal(shw_fill_simple(&depth, (struct shw_rect){0, 0, WIDTH, HEIGHT}, pixels, WIDTH), SHW_OK);
    assert_true(view_picture_add(picture, SHW_DEPTH, &depth.image));
    free(pixels);
    return picture;
}

static struct view_shared_forest *make_filling_forest(enum shw_fill fill)
{
    const struct random_forest_params params = {
        .seed = 6, .channels = "rgb,depth", .classes = 4, .trees = 3, .depth = 7, .split_percent = 95};
    struct shw_forest *forest = random_forest(&params), *loaded = NULL;
    size_t size;
    void *bytes;

    assert_int_equal(shw_forest_save_memory(forest, &bytes, &size), SHW_OK);
    assert_int_equal(
        shw_forest_load_memory(bytes, size, "filling", &(struct shw_forest_load_params){.fill = fill}, &loaded),
        SHW_OK);
    free(bytes);
    shw_forest_destroy(&forest);
    return view_shared_forest_create(loaded, true, 0);
}

/* In frames and by the worker, as in explanations; a forest that does not comes after one that does. */
TESTING_CASE(depth_is_filled_as_the_forest_says)
{
    struct view_app app;
    uint64_t all, holes;

    open_app(true, &app);
    assert_int_equal(view_scene_set_forest(&app.scene, make_filling_forest(SHW_FILL_NONE)), SHW_OK);
    technique(&app, variants[0]);
    all = see_picture(&app, make_depth_picture(true));
    holes = see_picture(&app, make_depth_picture(false));
    assert_true(all != holes);
    for (size_t w = 0; w < sizeof variants / sizeof *variants; w++) {
        technique(&app, variants[w]);
        assert_int_equal(view_scene_set_forest(&app.scene, make_filling_forest(SHW_FILL_SIMPLE)), SHW_OK);
        assert_true(see(&app) == all);
        assert_int_equal(view_scene_set_forest(&app.scene, make_filling_forest(SHW_FILL_NONE)), SHW_OK);
        assert_true(see(&app) == holes);
    }
    for (int f = SHW_FILL_NONE; f <= SHW_FILL_SIMPLE; f++) {
        assert_int_equal(view_scene_set_forest(&app.scene, make_filling_forest((enum shw_fill)f)), SHW_OK);
        see(&app);
        view_inspect_pin(&app.inside.inspect, 9, 5);
        view_inside_follow(&app.inside);
        assert_non_null(app.inside.inspect.explanation);
    }
    assert_int_equal(view_app_destroy(&app), 0);
}

TESTING_CASE(projects_keep_inputs)
{
    struct shw_project_training training = {.channels = "rgb,dt"};
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_project *project = testing_paint_project(WIDTH, HEIGHT, &log);
    struct shw_training_set *set = NULL;
    struct shw_training_tiles *tiles = NULL;
    struct shw_training_choice all;
    struct shw_labelled_image example;
    struct view_picture *picture = make_picture(SHW_PIXEL_RGB8, NULL, 7);
    struct shw_input input[SHW_INPUTS_MAX];
    const struct shw_inputs shown = view_picture_inputs(picture, NULL, input);

    testing_paint_area(project, 0, 0, 20);
    testing_paint_area(project, 0, 1, 50);
    assert_int_equal(shw_project_set_pixels(project, 0, &shown), SHW_OK);
    assert_int_equal(shw_training_set_make(project, &log, &set), SHW_OK);
    assert_int_equal(shw_training_tiles_make(set, 107, NULL, NULL, &tiles), SHW_OK);
    assert_int_equal(shw_training_choice_make(tiles, NULL, &all), SHW_OK);
    assert_int_equal(all.dataset.read(all.dataset.user, 0, &example), SHW_OK);
    assert_int_equal(example.inputs.count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        const struct shw_input *kept = shw_inputs_find(&example.inputs, picture->inputs[i].name);
        assert_non_null(kept);
        assert_memory_equal(kept->image.pixels, picture->inputs[i].image.pixels,
                            WIDTH * HEIGHT * shw_pixel_size(kept->image.format));
    }
    all.dataset.release(all.dataset.user, &example);
    shw_training_choice_free(&all);
    shw_training_tiles_release(&tiles);
    shw_training_set_destroy(&set);
    assert_int_equal(shw_project_set_training(project, &(struct shw_project_training){.channels = "depth,lab"}),
                     SHW_OK);
    assert_int_equal(shw_project_set_training(project, &training), SHW_OK);
    training = (struct shw_project_training){.channels = "rgb,posterior:0"};
    assert_int_equal(shw_project_set_training(project, &training), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "read what a project does not keep"));
    shw_project_destroy(&project);
    view_picture_free(picture);
}

TESTING_FIXTURE(set_cache, NULL)
