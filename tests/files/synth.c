/* Synthetic scenes: what is promised of their pixels. */
#include "testing/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/thread_pool.h"
#include "files/synth/scene.h"
#include "files/synth/synth.h"

enum { WIDTH = 40, HEIGHT = 30, PIXELS = WIDTH * HEIGHT };

struct picture {
    uint8_t rgb[3 * PIXELS];
    uint16_t labels[PIXELS], depth[PIXELS];
};

static struct shw_synth_params small(uint64_t seed)
{
    return (struct shw_synth_params){.width = WIDTH, .height = HEIGHT, .seed = seed};
}

static void render(const struct shw_synth_params *params, uint32_t index, struct picture *picture)
{
    memset(picture, 0xa5, sizeof *picture);
    assert_int_equal(shw_synth_render(params, index, picture->rgb, picture->labels, picture->depth), SHW_OK);
}

static bool is_person(uint16_t label)
{
    return label >= SYNTH_HEAD && label <= SYNTH_FOOT;
}

TESTING_CASE(seeds_tell_scenes_apart)
{
    struct shw_synth_params params = small(11), other = small(12);
    struct picture a, b;

    render(&params, 0, &a);
    render(&params, 0, &b);
    assert_memory_equal(&a, &b, sizeof a);
    render(&other, 0, &b);
    assert_memory_not_equal(a.rgb, b.rgb, sizeof a.rgb);
    assert_memory_not_equal(a.labels, b.labels, sizeof a.labels);
    assert_memory_not_equal(a.depth, b.depth, sizeof a.depth);
    other = small(11 + (1ull << 32)); /* the high half counts too */
    render(&other, 0, &b);
    assert_memory_not_equal(a.depth, b.depth, sizeof a.depth);
}

TESTING_CASE(scenes_are_numbered_by_their_seeds)
{
    struct shw_synth_params params = small(20), later = small(23), last = small(UINT64_MAX), first = small(0);
    struct picture a, b, c;

    render(&params, 3, &a);
    render(&later, 0, &b);
    assert_memory_equal(&a, &b, sizeof a);
    render(&last, 1, &a);
    render(&first, 0, &b);
    assert_memory_equal(&a, &b, sizeof a);

    params.frames = later.frames = 3;
    params.noise = later.noise = 20;
    render(&params, 11, &a); /* frame 2 of scene 3 */
    render(&later, 2, &b);
    assert_memory_equal(&a, &b, sizeof a);
    render(&later, 1, &c);
    assert_memory_not_equal(b.depth, c.depth, sizeof b.depth);
    later.frames = 1;
    render(&params, 9, &a); /* the first frame is the scene at rest */
    render(&later, 0, &b);
    assert_memory_equal(&a, &b, sizeof a);
}

TESTING_CASE(frames_move_a_little)
{
    struct shw_synth_params params = small(31);
    struct picture a, b;
    uint32_t moved = 0, person_moved = 0;

    params.frames = 10;
    for (uint32_t i = 0; i + 1 < 10; i++) {
        uint32_t different = 0;
        render(&params, i, &a);
        render(&params, i + 1, &b);
        for (uint32_t p = 0; p < PIXELS; p++) {
            different += a.labels[p] != b.labels[p];
            person_moved += is_person(a.labels[p]) != is_person(b.labels[p]);
        }
        assert_true(different < PIXELS / 5);
        moved += different;
    }
    assert_true(moved > 0 && person_moved > 0);
}

struct shared_work {
    struct shw_synth_params params;
    struct picture *pictures;
};

static void render_one(void *user, uint32_t index, uint32_t thread)
{
    struct shared_work *work = user;
    struct picture *picture = &work->pictures[index];

    (void)thread;
    if (shw_synth_render(&work->params, index, picture->rgb, picture->labels, picture->depth) != SHW_OK)
        memset(picture, 0, sizeof *picture);
}

TESTING_CASE(threads_and_order_change_nothing)
{
    enum { COUNT = 24 };
    struct shared_work work = {.params = small(40), .pictures = calloc(COUNT, sizeof *work.pictures)};
    struct shw_thread_pool *pool = NULL;
    struct picture alone;

    assert_non_null(work.pictures);
    work.params.noise = 10;
    work.params.holes = true;
    assert_int_equal(shw_thread_pool_create(4, &pool), SHW_OK);
    shw_thread_pool_run(pool, COUNT, render_one, &work);
    shw_thread_pool_destroy(&pool);
    for (uint32_t i = COUNT; i-- > 0;) {
        render(&work.params, i, &alone);
        assert_memory_equal(&alone, &work.pictures[i], sizeof alone);
    }
    free(work.pictures);
}

/* Every pixel is written, none beyond the last, and leaving out labels or depth changes nothing else. */
TESTING_CASE(all_sizes_are_filled)
{
    static const uint32_t sizes[][2] = {{1, 1}, {3, 1}, {1, 7}, {2, 2}, {37, 23}, {5, 64}, {4096, 1}, {1, 4096}};

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct shw_synth_params params = {.width = sizes[s][0], .height = sizes[s][1], .seed = s};
        size_t pixels = (size_t)params.width * params.height;
        uint8_t *rgb = malloc(3 * pixels + 1), *alone = malloc(3 * pixels);
        uint16_t *labels = malloc((pixels + 1) * sizeof *labels), *depth = malloc((pixels + 1) * sizeof *depth);

        assert_true(rgb != NULL && alone != NULL && labels != NULL && depth != NULL);
        memset(labels, 0xff, (pixels + 1) * sizeof *labels);
        memset(depth, 0, (pixels + 1) * sizeof *depth);
        rgb[3 * pixels] = 99;
        depth[pixels] = 1234;
        assert_int_equal(shw_synth_render(&params, 0, rgb, labels, depth), SHW_OK);
        assert_int_equal(rgb[3 * pixels], 99);
        assert_int_equal(labels[pixels], 0xffff);
        assert_int_equal(depth[pixels], 1234);
        for (size_t p = 0; p < pixels; p++) {
            assert_true(labels[p] < shw_synth_class_count);
            /* rooms are at most 6.2 m long; in tall images rays run down beside the eye */
            assert_in_range(depth[p], params.height > 20 * params.width ? 1 : 50, 6500);
        }
        assert_int_equal(shw_synth_render(&params, 0, alone, NULL, NULL), SHW_OK);
        assert_memory_equal(alone, rgb, 3 * pixels);
        memset(alone, 0, 3 * pixels);
        assert_int_equal(shw_synth_render(&params, 0, alone, labels, NULL), SHW_OK);
        assert_memory_equal(alone, rgb, 3 * pixels);
        free(depth);
        free(labels);
        free(alone);
        free(rgb);
    }
}

TESTING_CASE(noise_is_as_strong_as_asked)
{
    struct shw_synth_params clean_params = small(50), params = small(50);
    struct picture clean, noisy;
    double sum = 0, squares = 0;
    uint32_t count = 0;

    params.noise = 40;
    for (uint32_t i = 0; i < 4; i++) {
        render(&clean_params, i, &clean);
        render(&params, i, &noisy);
        assert_memory_equal(clean.labels, noisy.labels, sizeof clean.labels);
        assert_memory_equal(clean.depth, noisy.depth, sizeof clean.depth);
        for (uint32_t c = 0; c < 3 * PIXELS; c++)
            if (clean.rgb[c] > 25 && clean.rgb[c] < 230) {
                double error = (double)noisy.rgb[c] - clean.rgb[c];
                sum += error;
                squares += error * error;
                count++;
            }
    }
    assert_true(count > 2 * PIXELS);
    assert_true(fabs(sum / count) < 0.15);
    assert_true(fabs(sqrt(squares / count) - 4) < 0.15);
}

TESTING_CASE(holes_take_depth_only)
{
    struct shw_synth_params full_params = small(60), params = small(60);
    struct picture full, holed;
    uint32_t holes = 0, windows = 0;

    params.holes = true;
    for (uint32_t i = 0; i < 8; i++) {
        render(&full_params, i, &full);
        render(&params, i, &holed);
        assert_memory_equal(full.rgb, holed.rgb, sizeof full.rgb);
        assert_memory_equal(full.labels, holed.labels, sizeof full.labels);
        for (uint32_t p = 0; p < PIXELS; p++) {
            assert_true(holed.depth[p] == 0 || holed.depth[p] == full.depth[p]);
            holes += holed.depth[p] == 0;
            if (full.labels[p] == SYNTH_WINDOW) {
                windows++;
                assert_int_equal(holed.depth[p], 0);
            }
            if (p % WIDTH > 0 && full.depth[p] > full.depth[p - 1] * 1.2 && holed.depth[p - 1] > 0)
                assert_int_equal(holed.depth[p], 0);
        }
    }
    assert_true(windows > 0 && holes > windows && holes < 8 * PIXELS / 3);
}

TESTING_CASE(empty_rooms_lack_the_person_alone)
{
    struct shw_synth_params params = small(70), empty_params = small(70);
    struct picture peopled, empty;
    uint32_t person = 0;

    empty_params.empty = true;
    for (uint32_t i = 0; i < 8; i++) {
        render(&params, i, &peopled);
        render(&empty_params, i, &empty);
        for (uint32_t p = 0; p < PIXELS; p++) {
            assert_false(is_person(empty.labels[p]));
            person += is_person(peopled.labels[p]);
            if (!is_person(peopled.labels[p])) {
                assert_int_equal(peopled.labels[p], empty.labels[p]);
                assert_int_equal(peopled.depth[p], empty.depth[p]);
            } else {
                assert_true(peopled.depth[p] <= empty.depth[p]);
            }
        }
    }
    assert_true(person > 8 * PIXELS / 50);
}

TESTING_CASE(every_class_appears)
{
    uint32_t seen[SYNTH_CLASS_COUNT] = {0};
    struct picture picture;

    assert_int_equal(shw_synth_class_count, SYNTH_CLASS_COUNT);
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct shw_synth_params params = small(seed);
        render(&params, 0, &picture);
        for (uint32_t p = 0; p < PIXELS; p++)
            seen[picture.labels[p]]++;
    }
    for (uint32_t c = 0; c < SYNTH_CLASS_COUNT; c++) {
        if (seen[c] < 50)
            fail_msg("%s appears in %u pixels", shw_synth_classes[c].name, seen[c]);
        for (uint32_t d = 0; d < c; d++) {
            assert_string_not_equal(shw_synth_classes[c].name, shw_synth_classes[d].name);
            assert_memory_not_equal(shw_synth_classes[c].colour, shw_synth_classes[d].colour, 3);
        }
    }
}

TESTING_CASE(scenes_stay_within_bounds)
{
    struct synth_scene *scene = malloc(sizeof *scene);
    struct synth_material material = {.scale = 1};

    assert_non_null(scene);
    synth_scene_make(3, 0, false, scene);
    for (int i = 0; i < 400; i++) {
        synth_box_add(scene, SYNTH_SHELF, &material, synth_vector(1, 1, 1), synth_vector(0.1, 0.1, 0.1), 0, 1);
        synth_capsule_add(scene, SYNTH_LAMP, &material, synth_vector(2, 1, 1), synth_vector(2, 2, 1), 0.1);
    }
    assert_int_equal(scene->body_count, SYNTH_ROOM_BODIES_MAX);
    assert_true(scene->room.x > 3 && scene->light_count == 2);
    for (double turns = -3; turns < 3; turns += 0.001) {
        double sine, cosine;
        synth_sine_cosine(turns, &sine, &cosine);
        assert_true(fabs(sine - sin(turns * 2 * 3.14159265358979)) < 1e-6);
        assert_true(fabs(cosine - cos(turns * 2 * 3.14159265358979)) < 1e-6);
    }
    free(scene);
}

TESTING_CASE(too_large_is_refused)
{
    static const uint32_t sizes[][2] = {{4097, 1}, {1, 4097}, {UINT32_MAX, UINT32_MAX}};

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct testing_log memory = {0};
        struct shw_synth_params params = {.width = sizes[s][0], .height = sizes[s][1], .log = testing_log(&memory)};
        struct shw_dataset set = {0};
        uint8_t rgb[3] = {7, 7, 7};

        assert_int_equal(shw_synth_render(&params, 0, rgb, NULL, NULL), SHW_ERROR_ARGUMENT);
        assert_int_equal(rgb[0], 7);
        assert_int_equal(memory.count[SHW_LOG_ARGUMENT], 1);
        assert_int_equal(shw_synth_open(&params, &set), SHW_ERROR_ARGUMENT);
        assert_int_equal(memory.count[SHW_LOG_ARGUMENT], 2);
        assert_null(set.user);
    }
}

TESTING_CASE(data_sets_render_when_read)
{
    struct shw_synth_params params = small(80);
    struct shw_dataset set = {0};
    struct shw_labelled_image read;
    struct picture direct;

    params.count = 6;
    params.frames = 2;
    assert_int_equal(shw_synth_open(&params, &set), SHW_OK);
    assert_int_equal(set.count, 6);
    assert_int_equal(set.class_count, SYNTH_CLASS_COUNT);
    render(&params, 5, &direct);
    params.seed = 0; /* the set keeps its own */
    assert_int_equal(set.read(set.user, 5, &read), SHW_OK);
    assert_string_equal(read.name, "00005");
    assert_int_equal(read.image.width, WIDTH);
    assert_int_equal(read.image.height, HEIGHT);
    assert_int_equal(read.image.format, SHW_PIXEL_RGB8);
    assert_memory_equal(read.image.pixels, direct.rgb, sizeof direct.rgb);
    assert_memory_equal(read.labels, direct.labels, sizeof direct.labels);
    assert_memory_equal(shw_inputs_find(&read.inputs, SHW_DEPTH)->image.pixels, direct.depth, sizeof direct.depth);
    set.release(set.user, &read);
    assert_null(read.handle);
    shw_synth_close(&set);
    shw_synth_close(&set);
    shw_synth_close(NULL);

    params = (struct shw_synth_params){0};
    assert_int_equal(shw_synth_open(&params, &set), SHW_OK);
    assert_int_equal(set.count, 1);
    assert_int_equal(set.read(set.user, 0, &read), SHW_OK);
    assert_int_equal(read.image.width, 320);
    assert_int_equal(read.image.height, 240);
    set.release(set.user, &read);
    shw_synth_close(&set);
}
