/* Readers of other formats' RGB-D data: lists, names and classes, sizes and units. */
#include "testing/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/convert/classes.h"
#include "files/convert/scannet.h"
#include "files/convert/tum.h"

TESTING_CASE(test_units)
{
    static const struct {
        double metres;
        uint16_t millimetres;
    } metres[] = {{0, 0},           {-1, 0},         {NAN, 0},       {INFINITY, 0},  {-INFINITY, 0},
                  {1e-9, 1},        {0.0005, 1},     {1.0004, 1000}, {1.0005, 1001}, {2.75, 2750},
                  {65.5344, 65534}, {65.535, 65535}, {1000, 65535}};

    for (size_t i = 0; i < sizeof metres / sizeof *metres; i++)
        assert_int_equal(shw_millimetres_of_metres(metres[i].metres), metres[i].millimetres);
    for (uint32_t value = 0; value <= 65535; value++) {
        assert_int_equal(shw_millimetres_of_units((uint16_t)value, 1000), value);
        assert_int_equal(shw_millimetres_of_units((uint16_t)value, 5000),
                         value == 0  ? 0
                         : value < 5 ? 1
                                     : (value + 2) / 5); /* a fifth, never half way */
        assert_int_equal(shw_millimetres_of_units((uint16_t)value, 500), value > 32767 ? 65535 : 2 * value);
    }
    assert_int_equal(shw_millimetres_of_units(3, 2000), 2); /* of two that are equally near, the upper one */
    assert_int_equal(shw_millimetres_of_units(1, 1000000), 1);
}

/* A pixel's mean, on a grid that is fine enough for both sizes. */
static uint8_t mean_of(const uint8_t *colours, uint32_t width, uint32_t height, uint32_t new_width, uint32_t new_height,
                       uint32_t x, uint32_t y, uint32_t component)
{
    uint64_t sum = 0, count = (uint64_t)width * height;

    for (uint32_t v = 0; v < height; v++)
        for (uint32_t u = 0; u < width; u++) {
            uint32_t from_x = (x * width + u) / new_width, from_y = (y * height + v) / new_height;
            sum += colours[3 * (from_y * width + from_x) + component];
        }
    return (uint8_t)floor((double)sum / (double)count + 0.5);
}

TESTING_CASE(test_sizes)
{
    struct testing_random random = {7};

    for (int i = 0; i < 200; i++) {
        uint32_t size[4];
        uint8_t colours[12 * 12 * 3], *resized;
        uint32_t labels[12 * 12], *nearest;

        for (int s = 0; s < 4; s++)
            size[s] = 1 + testing_random_below(&random, 12);
        for (size_t b = 0; b < sizeof colours; b++)
            colours[b] = (uint8_t)testing_random_next(&random);
        for (uint32_t p = 0; p < 144; p++)
            labels[p] = p;
        resized = shw_colours_resize(colours, size[0], size[1], size[2], size[3]);
        nearest = shw_labels_resize(labels, size[0], size[1], size[2], size[3]);
        for (uint32_t y = 0; y < size[3]; y++)
            for (uint32_t x = 0; x < size[2]; x++) {
                double centre_x = (x + 0.5) * size[0] / size[2], centre_y = (y + 0.5) * size[1] / size[3];
                for (uint32_t c = 0; c < 3; c++)
                    assert_int_equal(resized[3 * (y * size[2] + x) + c],
                                     mean_of(colours, size[0], size[1], size[2], size[3], x, y, c));
                assert_int_equal(nearest[y * size[2] + x],
                                 (uint32_t)floor(centre_y + 1e-9) * size[0] + (uint32_t)floor(centre_x + 1e-9));
            }
        free(resized);
        free(nearest);
    }
}

TESTING_CASE(test_crop)
{
    struct shw_frame frame = {
        .width = 4, .height = 3, .colours = malloc(36), .depth = malloc(24), .labels = malloc(48)};
    struct testing_log memory = {0};
    struct shw_log log = testing_log(&memory);

    for (uint32_t i = 0; i < 12; i++) {
        memset(frame.colours + 3 * i, (int)i, 3);
        frame.depth[i] = (uint16_t)(100 + i);
        frame.labels[i] = 200 + i;
    }
    log.level = SHW_LOG_ERROR;
    assert_int_equal(shw_frame_crop(&frame, &(struct shw_frame_part){2, 1, 3, 2}, "frame", &log), SHW_ERROR_FORMAT);
    assert_string_equal(memory.last, "frame has 4 x 3 pixels: 3x2+2+1 is not within it");
    assert_int_equal(shw_frame_crop(&frame, &(struct shw_frame_part){0}, "frame", &log), SHW_OK);
    assert_int_equal(frame.width, 4);
    assert_int_equal(shw_frame_crop(&frame, &(struct shw_frame_part){1, 1, 2, 2}, "frame", &log), SHW_OK);
    assert_int_equal(frame.width * 10 + frame.height, 22);
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t from = 5 + i % 2 + 4 * (i / 2);
        assert_int_equal(frame.colours[3 * i + 2], from);
        assert_int_equal(frame.depth[i], 100 + from);
        assert_int_equal(frame.labels[i], 200 + from);
    }
    shw_frame_free(&frame);
}

/* The pairs that the benchmark's script finds: of all possible pairs in the order of difference and times, each whose
 * images are both left. */
static uint32_t match_plainly(const int64_t *a, uint32_t a_count, const int64_t *b, uint32_t b_count, int64_t apart,
                              uint32_t *partner)
{
    bool used[64] = {false};
    uint32_t found = 0;

    for (uint32_t i = 0; i < a_count; i++)
        partner[i] = UINT32_MAX;
    for (int64_t difference = 0; difference < apart; difference++)
        for (uint32_t i = 0; i < a_count; i++)
            for (uint32_t j = 0; j < b_count; j++)
                if (llabs(a[i] - b[j]) == difference && partner[i] == UINT32_MAX && !used[j]) {
                    partner[i] = j;
                    used[j] = true;
                    found++;
                }
    return found;
}

TESTING_CASE(test_match)
{
    struct testing_random random = {5};

    for (int round = 0; round < 300; round++) {
        struct shw_timed lists[2][64] = {0};
        int64_t times[2][64];
        uint32_t counts[2], partner[64], count;
        const int64_t apart = 1 + testing_random_below(&random, 12);
        struct shw_timed_pair *pairs;

        for (int l = 0; l < 2; l++) {
            counts[l] = testing_random_below(&random, 40);
            for (uint32_t i = 0; i < counts[l]; i++)
                times[l][i] = lists[l][i].time =
                    (i > 0 ? times[l][i - 1] : 100) + 1 + testing_random_below(&random, round % 2 == 0 ? 4 : 12);
        }
        assert_int_equal(shw_timed_match(&(struct shw_timed_list){lists[0], counts[0], 64},
                                         &(struct shw_timed_list){lists[1], counts[1], 64}, apart, "folder", NULL,
                                         &pairs, &count),
                         SHW_OK);
        assert_int_equal(count, match_plainly(times[0], counts[0], times[1], counts[1], apart, partner));
        for (uint32_t p = 0; p < count; p++) {
            assert_int_equal(pairs[p].depth, partner[pairs[p].colours]);
            assert_true(p == 0 || pairs[p].colours > pairs[p - 1].colours);
        }
        free(pairs);
    }
}

TESTING_CASE(test_lists)
{
    static const char text[] = "\xef\xbb\xbf# timestamp filename\r\n\r\n2.5, rgb/b.png\r\n 0.000000001\trgb/a.png";
    static const char pairs[] = "1 rgb/1.png 1.02 depth/1.png\n0 depth/0.png 0 rgb/0.png\n";
    static const struct {
        const char *text, *message;
    } bad[] = {{"1 a\n1 b", "list.txt: two images have the same time: "},
               {"1", "list.txt, line 1: a time in seconds and a path"},
               {"1 a\nx b", "list.txt, line 2: \"x\" is not a time in seconds"},
               {"-1 a", "\"-1\" is not a time"},
               {"9999999999999 a", "is not a time"},
               {"1.5e3 a", "is not a time"},
               {"1 a b", "line 1: there are too many fields"}};
    struct shw_timed_list list, depth;

    assert_int_equal(shw_timed_list_decode(text, sizeof text - 1, "list.txt", NULL, &list), SHW_OK);
    assert_int_equal(list.count, 2);
    assert_true(list.list[0].time == 1 && list.list[1].time == 2500000000);
    assert_string_equal(list.list[1].path, "rgb/b.png");
    shw_timed_list_free(&list);
    assert_int_equal(shw_timed_pairs_decode(pairs, sizeof pairs - 1, "pairs.txt", NULL, &list, &depth), SHW_OK);
    assert_string_equal(list.list[0].path, "rgb/1.png");
    assert_string_equal(list.list[1].path, "rgb/0.png");
    assert_string_equal(depth.list[0].path, "depth/1.png");
    assert_true(depth.list[0].time == 1020000000);
    shw_timed_list_free(&list);
    shw_timed_list_free(&depth);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct testing_log memory = {0};
        struct shw_log log = testing_log(&memory);

        log.level = SHW_LOG_ERROR;
        assert_int_equal(shw_timed_list_decode(bad[i].text, strlen(bad[i].text), "list.txt", &log, &list),
                         SHW_ERROR_FORMAT);
        if (strstr(memory.last, bad[i].message) == NULL)
            fail_msg("'%s' is not in: %s", bad[i].message, memory.last);
    }
}

TESTING_CASE(test_name_table)
{
    static const char text[] = "id\traw_category\tnyu40id\tnyu40class\r\n7\tsofa chair\t5\tchair\n2\tdoor\t8\tdoor\n"
                               "4\tjunk\t\t\n";
    static const struct {
        const char *text, *message;
    } bad[] = {{"", "table.tsv is empty"},
               {"id\tname\n", "line 1: there is no column \"nyu40class\""},
               {"id\tnyu40class\n", "names no label"},
               {"id\tnyu40class\n1\n", "line 2: there are too few columns"},
               {"id\tnyu40class\n1\ta\nx\tb\n", "line 3: \"x\" is not a label's number"},
               {"id\tnyu40class\n1\ta\n1\tb\n", "label 1 has two names"},
               {"id\tnyu40class\n1\ta\x01\n", "cannot be the name of a class"}};
    struct shw_label_names names;

    assert_int_equal(shw_scannet_names_decode(text, sizeof text - 1, "table.tsv", NULL, NULL, &names), SHW_OK);
    assert_int_equal(names.count, 3);
    assert_int_equal(names.list[0].value, 2);
    assert_string_equal(names.list[1].name, "");
    assert_string_equal(names.list[2].name, "chair");
    shw_label_names_free(&names);
    assert_int_equal(shw_scannet_names_decode(text, sizeof text - 1, "table.tsv", "raw_category", NULL, &names),
                     SHW_OK);
    assert_string_equal(names.list[2].name, "sofa chair");
    shw_label_names_free(&names);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct testing_log memory = {0};
        struct shw_log log = testing_log(&memory);

        log.level = SHW_LOG_ERROR;
        assert_int_equal(shw_scannet_names_decode(bad[i].text, strlen(bad[i].text), "table.tsv", NULL, &log, &names),
                         SHW_ERROR_FORMAT);
        if (strstr(memory.last, bad[i].message) == NULL)
            fail_msg("'%s' is not in: %s", bad[i].message, memory.last);
    }
}

/* Makes the classes of "wall", "floor", "cup" and "void" as labels 1 to 4, and of a colour, by rules. */
static enum shw_result make_classes(const char *rules_text, struct testing_log *memory,
                                    struct shw_converted_classes *classes)
{
    static char texts[5][16] = {"wall", "floor", "cup, small", "void", "#0102ff"};
    static struct shw_label_name list[5] = {
        {1, texts[0]}, {2, texts[1]}, {3, texts[2]}, {4, texts[3]}, {SHW_VALUE_COLOUR + 0x0102ff, texts[4]}};
    const struct shw_label_names names = {list, 5, 5};
    const struct shw_void_values voids = {{0, 77}, 2};
    struct shw_log log = testing_log(memory);
    struct shw_class_rules rules = {0};
    enum shw_result result = SHW_OK;

    log.level = SHW_LOG_WARNING;
    *classes = (struct shw_converted_classes){0};
    if (rules_text != NULL)
        result = shw_class_rules_decode(rules_text, strlen(rules_text), "rules.csv", &log, &rules);
    if (result == SHW_OK)
        result = shw_converted_classes_make(&names, true, &voids, rules_text != NULL ? &rules : NULL, "source", &log,
                                            classes);
    shw_class_rules_free(&rules);
    return result;
}

/* The name of the entry that a label becomes. */
static const char *entry_of(const struct shw_converted_classes *classes, uint32_t value)
{
    struct shw_frame frame = {.width = 1, .height = 1, .labels = &value};
    uint8_t *colour;
    const char *name;

    if (shw_converted_classes_paint(classes, &frame, "frame", NULL, &colour) != SHW_OK)
        return NULL;
    name = classes->palette.entries[shw_palette_find(&classes->palette, colour)].name;
    free(colour);
    return name;
}

TESTING_CASE(test_classes)
{
    struct testing_log memory = {0};
    struct shw_converted_classes classes;

    assert_int_equal(make_classes(NULL, &memory, &classes), SHW_OK);
    assert_int_equal(classes.palette.class_count, 4);
    assert_string_equal(entry_of(&classes, 1), "wall");
    assert_string_equal(entry_of(&classes, 3), "cup, small");
    assert_string_equal(entry_of(&classes, 4), "void");
    assert_string_equal(entry_of(&classes, 0), "void");
    assert_string_equal(entry_of(&classes, 77), "void");
    assert_string_equal(entry_of(&classes, SHW_VALUE_VOID), "void");
    assert_string_equal(entry_of(&classes, SHW_VALUE_COLOUR + 0x0102ff), "#0102ff");
    assert_int_equal(classes.palette.entries[4].colour[2], 255);
    assert_null(entry_of(&classes, 5));
    assert_int_equal(memory.count[SHW_LOG_DATASET], 0);
    shw_converted_classes_free(&classes);

    assert_int_equal(make_classes("label,class,colour\n# of the paper\n2,ground,#000000\n\"cup, small\",props\r\n"
                                  "#0102ff,\"a \"\"b\"\"\"\n*,structure,#e69f00\n",
                                  &memory, &classes),
                     SHW_OK);
    assert_string_equal(entry_of(&classes, 2), "ground");
    assert_string_equal(entry_of(&classes, 3), "props");
    assert_string_equal(entry_of(&classes, 1), "structure");
    assert_string_equal(entry_of(&classes, 4), "void"); /* * is not for void */
    assert_string_equal(entry_of(&classes, SHW_VALUE_COLOUR + 0x0102ff), "a \"b\"");
    assert_string_equal(classes.palette.classes[0].name, "ground"); /* in their order */
    assert_string_equal(classes.palette.classes[3].name, "structure");
    assert_int_not_equal(classes.palette.entries[0].colour[0] + classes.palette.entries[0].colour[1],
                         0); /* not black */
    assert_int_equal(memory.count[SHW_LOG_DATASET], 0);
    shw_converted_classes_free(&classes);

    assert_int_equal(make_classes("wall,a\nfloor,void\n4,a\nspoon,b\n", &memory, &classes), SHW_OK);
    assert_string_equal(entry_of(&classes, 2), "void");
    assert_string_equal(entry_of(&classes, 4), "a"); /* its own line */
    assert_int_equal(memory.count[SHW_LOG_DATASET], 2);
    assert_string_equal(memory.last, "rules.csv lists 1 labels that source does not know, such as \"spoon\"");
    shw_converted_classes_free(&classes);
}

TESTING_CASE(test_bad_classes)
{
    static const struct {
        const char *text, *message;
    } bad[] = {{"", "rules.csv lists no label"},
               {"wall,a\nwall,b", "lists the label \"wall\" twice"},
               {"wall,a,blue", "line 1: a colour must be written as #rrggbb"},
               {"wall,a,#010203\nfloor,a,#010204", "line 2: the class has another colour in an earlier line"},
               {"wall,a,#010203,x", "line 1: there are too many fields"},
               {",a", "line 1: the label is missing"},
               {"\"wall,a", "line 1: a quotation mark is not closed"},
               {"wall,void", "all entries are void"},
               {"wall,a,#010203\nfloor,b,#010203", "\"a\" and \"b\" have the same colour"}};

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct testing_log memory = {0};
        struct shw_converted_classes classes;

        assert_int_not_equal(make_classes(bad[i].text, &memory, &classes), SHW_OK);
        assert_int_equal(memory.errors, 1);
        if (strstr(memory.last, bad[i].message) == NULL || strstr(memory.last, "rules.csv") == NULL)
            fail_msg("'%s' is not in: %s", bad[i].message, memory.last);
    }
}
