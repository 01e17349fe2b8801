/* Lists of channels as text, and the kinds that they name. */
#include "testing/testing.h"

#include <stdio.h>
#include <string.h>

#include "dense/channels/channel_maker.h"
#include "dense/channels/channels.h"

#define WINN16 "gauss:1,gauss:2,gauss:4,log:1,log:2,log:4,dx:2,dy:2,dx:4,dy:4"

TESTING_CASE(named_lists_are_found)
{
    static const uint32_t counts[] = {16, 17, 27, 3, 3}, radii[] = {12, 24, 24, 0, 0};
    struct shw_channel_list list;
    uint32_t i = 0;

    for (const char *name; (name = shw_channel_list_get_name(i)) != NULL; i++) {
        assert_int_equal(shw_channel_list_parse(name, NULL, NULL, &list), SHW_OK);
        assert_string_equal(list.name, name);
        assert_int_equal(list.channel_count, counts[i]);
        assert_int_equal(list.radius, radii[i]);
        for (uint32_t c = 0; c < list.channel_count; c++)
            assert_in_range(list.channels[c].max_abs, 1, 32767);
    }
    assert_int_equal(i, 5);
    assert_int_equal(shw_channel_list_parse(NULL, NULL, NULL, &list), SHW_OK);
    assert_string_equal(list.name, SHW_CHANNELS_WINN16);
}

TESTING_CASE(lists_have_one_text)
{
    struct shw_channel_list list;

    assert_int_equal(shw_channel_list_parse(WINN16, NULL, NULL, &list), SHW_OK);
    assert_string_equal(list.name, "winn16");
    assert_int_equal(shw_channel_list_parse(WINN16 ",log:8", NULL, NULL, &list), SHW_OK);
    assert_string_equal(list.name, "winn17");
    assert_int_equal(shw_channel_list_parse("gauss:2,gauss:1", NULL, NULL, &list), SHW_OK);
    assert_string_equal(list.name, "gauss:2,gauss:1");
    assert_string_equal(list.channels[5].name, "gauss-b-1");
    assert_int_equal(shw_channel_list_parse("position,abs-dx:8,rgb", NULL, NULL, &list), SHW_OK);
    assert_int_equal(list.channel_count, 6);
    assert_int_equal(list.entries[2].first, 3);
    assert_string_equal(list.channels[1].name, "y");
    assert_string_equal(list.channels[2].name, "abs-dx-8");
    assert_int_equal(list.radius, 24);
}

TESTING_CASE(named_lists_are_part_of_lists)
{
    struct shw_channel_list list;

    assert_int_equal(shw_channel_list_parse("winn16,position", NULL, NULL, &list), SHW_OK);
    assert_string_equal(list.name, WINN16 ",position");
    assert_int_equal(list.channel_count, 18);
    assert_int_equal(shw_channel_list_parse("position,winn17,dx:1", NULL, NULL, &list), SHW_OK);
    assert_string_equal(list.name, "position," WINN16 ",log:8,dx:1");
    assert_int_equal(shw_channel_list_parse("winn16,log:8", NULL, NULL, &list), SHW_OK);
    assert_string_equal(list.name, "winn17");
    assert_int_equal(shw_channel_list_parse("rgb,lab", NULL, NULL, &list), SHW_OK);
    assert_string_equal(list.name, "rgb,lab");
}

TESTING_CASE(mistakes_are_named)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "no channel kind ''"},
        {"gauss:1,,rgb", "no channel kind ''"},
        {"gauss:1,", "no channel kind ''"},
        {"winn", "no channel kind 'winn'"},
        {"winn16:1", "'winn16' is a list, which has no parameter"},
        {"wide,position", "entry 21 is the same as entry 20, position"},
        {"winn16,wide", "entry 11 is the same as entry 1, gauss"},
        {"gauss", "'gauss' needs a parameter, as in gauss:1"},
        {"gauss:", "'gauss:': the parameter is not a number"},
        {"gauss:x", "'gauss:x': the parameter is not a number"},
        {"gauss:01", "'gauss:01': the parameter is not a number"},
        {"gauss:-1", "'gauss:-1': the parameter is not a number"},
        {"gauss:4294967297", "'gauss:4294967297': the parameter is not a number"},
        {"log:2,dx:3", "'dx:3': dx does not take the parameter 3"},
        {"log:0", "log does not take the parameter 0"},
        {"log:16", "log does not take the parameter 16"},
        {"rgb:1", "'rgb:1': rgb has no parameter"},
        {"rgb,lab,rgb", "entry 3 is the same as entry 1, rgb"},
        {" rgb", "no channel kind ' rgb'"},
    };
    struct shw_channel_list list = {.channel_count = 77};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct testing_log memory;
        struct shw_log log = testing_log(&memory);
        assert_int_equal(shw_channel_list_parse(cases[i].text, NULL, &log, &list), SHW_ERROR_ARGUMENT);
        assert_int_equal(memory.last_item, SHW_LOG_CHANNELS);
        if (strstr(memory.last, cases[i].message) == NULL)
            fail_msg("'%s': %s", cases[i].text, memory.last);
    }
    assert_int_equal(list.channel_count, 77);
}

static uint32_t tenth(uint32_t parameter)
{
    return parameter / 10;
}

static uint32_t huge_radius(uint32_t parameter)
{
    (void)parameter;
    return UINT32_MAX - 15;
}

static struct shw_channel_info small_info(uint32_t parameter, uint32_t channel)
{
    struct shw_channel_info info = {.max_abs = 5};

    snprintf(info.name, sizeof info.name, "small-%u-%u", parameter, channel);
    return info;
}

static struct shw_channel_info unbounded_info(uint32_t parameter, uint32_t channel)
{
    struct shw_channel_info info = small_info(parameter, channel);

    info.max_abs = 0;
    return info;
}

extern const struct shw_channel_code shw_channel_code_rgb;

/* Also where the text does not name the kind. */
static void refuse(const struct shw_channel_kind *kind, const char *message)
{
    const struct shw_channel_kinds kinds = {{kind}};
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_channel_list list;

    assert_int_equal(shw_channel_list_parse("rgb", &kinds, &log, &list), SHW_ERROR_ARGUMENT);
    assert_int_equal(memory.last_item, SHW_LOG_CHANNELS);
    if (strstr(memory.last, message) == NULL)
        fail_msg("not '%s' but: %s", message, memory.last);
}

#define REFUSE(change, message)                                                                                        \
    do {                                                                                                               \
        struct shw_channel_code code = shw_channel_code_rgb;                                                           \
        struct shw_channel_kind kind = whole;                                                                          \
        kind.code = &code;                                                                                             \
        change;                                                                                                        \
        refuse(&kind, message);                                                                                        \
    } while (0)

TESTING_CASE(incomplete_kinds_are_refused_by_name)
{
    const struct shw_channel_kind whole = {.version = SHW_CHANNEL_KIND_VERSION,
                                           .name = "half-made",
                                           .channel_count = 3,
                                           .get_radius = tenth,
                                           .get_info = small_info};
    struct shw_channel_maker maker = *shw_channel_maker_of(testing_channels("gauss:1")->entries[0].kind);

    REFUSE(kind.version = 0, "version 0");
    REFUSE(kind.name = NULL, "the name of a channel kind");
    REFUSE(kind.name = "a_b", "the name of a channel kind");
    REFUSE(kind.name = "log", "kind or list 'log' already");
    REFUSE(kind.name = "wide", "kind or list 'wide' already");
    REFUSE(kind.channel_count = 0, "half-made has no channel");
    REFUSE(kind.channel_count = 2, "half-made has a different number of channels");
    REFUSE(kind.parameter_min = 2, "half-made has no valid parameter");
    REFUSE(kind.get_info = NULL, "half-made has no bound");
    REFUSE(kind.code = NULL, "half-made has no technique cpu, fragment or compute");
    REFUSE(kind.code = NULL; kind.get_radius = NULL, "half-made has no technique cpu, fragment or compute");
    REFUSE(kind.get_radius = NULL; kind.code = NULL; kind.maker = &maker, "half-made has no radius");
    REFUSE(kind.maker = &maker; maker.compute = NULL, "half-made has no technique compute");
    REFUSE(kind.maker = &maker; maker.fragment = NULL, "half-made has no technique fragment");
    REFUSE(kind.maker = &maker; maker.cpu = NULL, "half-made has no technique cpu");
    REFUSE(code.radius = 9, "half-made has a larger radius than headers may have");
    REFUSE(code.has_table = true, "half-made has no table");
    REFUSE(code.fill_row = NULL, "half-made has no technique cpu");
    REFUSE(code.fragment[0].words = NULL, "half-made has no technique fragment");
    REFUSE(code.compute[1].words = NULL, "half-made has no technique compute");
    REFUSE(code.reads_plane = true, "half-made has not an input, but its header reads a plane");
    REFUSE(code.reads_plane = true; kind.input = "Depth", "half-made has an input that is not the name of a plane");
    REFUSE(code.reads_plane = true;
           kind.input = SHW_PREVIOUS, "half-made has an input that is not the name of a plane");
    REFUSE(code.reads_plane = true; kind.input = SHW_COLOUR, "half-made has an input that is not the name of a plane");
    REFUSE(kind.input = SHW_DEPTH, "half-made has an input, but its header reads no plane");
    REFUSE(code.reads_previous = true; kind.input = SHW_DEPTH, "half-made has an input, but its header reads no plane");
}

TESTING_CASE(kinds_of_the_callers_are_found)
{
    struct shw_channel_code code = shw_channel_code_rgb;
    const struct shw_channel_kind kind = {.version = SHW_CHANNEL_KIND_VERSION,
                                          .name = "small",
                                          .parameter_min = 3,
                                          .parameter_max = 70,
                                          .channel_count = 3,
                                          .get_radius = tenth,
                                          .get_info = small_info,
                                          .code = &code};
    static const struct shw_channel_kind endless = {.version = SHW_CHANNEL_KIND_VERSION,
                                                    .name = "endless",
                                                    .channel_count = 3,
                                                    .get_radius = tenth,
                                                    .get_info = unbounded_info,
                                                    .code = &shw_channel_code_rgb};
    const struct shw_channel_kinds kinds = {{&endless, &kind}}, twice = {{&kind, &endless, &kind}};
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_channel_list list;
    char text[1024] = "small:3";

    code.radius = 7;
    assert_int_equal(shw_channel_list_parse("log:1,small:20", NULL, &log, &list), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "there is no channel kind 'small', but gauss,"));
    assert_int_equal(shw_channel_list_parse("smaller:20", &kinds, &log, &list), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "there is no channel kind 'smaller', but gauss,"));
    assert_non_null(strstr(memory.last, ", endless, small; and the lists"));
    assert_int_equal(shw_channel_list_parse("rgb", &twice, &log, &list), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "there is a channel kind or list 'small' already"));
    assert_int_equal(shw_channel_list_parse("log:1,small:60", &kinds, NULL, &list), SHW_OK);
    assert_string_equal(list.channels[3].name, "small-60-2");
    assert_int_equal(list.radius, 6);
    for (int i = 4; i < 24; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), ",small:%d", i);
    assert_int_equal(shw_channel_list_parse(text, &kinds, NULL, &list), SHW_OK);
    assert_int_equal(list.channel_count, 63);
    assert_string_equal(list.name, text);
    strcat(text, ",small:24");
    assert_int_equal(shw_channel_list_parse(text, &kinds, &log, &list), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "with entry 22, small, there are more than 64"));
    assert_int_equal(shw_channel_list_parse("endless", &kinds, &log, &list), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "the kind endless gives no bound"));
}

static uint32_t next_of_three(uint32_t channel)
{
    return (channel + 1) % 3;
}

static uint32_t second_of_three(uint32_t channel)
{
    return 2 - channel;
}

static uint32_t three(uint32_t channel)
{
    (void)channel;
    return 3;
}

static struct shw_channel_info growing_info(uint32_t parameter, uint32_t channel)
{
    struct shw_channel_info info = small_info(parameter, channel);

    info.max_abs += channel;
    return info;
}

/* What a mirror image exchanges, it exchanges back. */
TESTING_CASE(partners_name_each_other)
{
    struct shw_channel_kind kind = {.version = SHW_CHANNEL_KIND_VERSION,
                                    .name = "turned",
                                    .channel_count = 3,
                                    .get_info = small_info,
                                    .code = &shw_channel_code_rgb};
    uint32_t (*const wrong[])(uint32_t channel) = {next_of_three, three};
    const struct shw_channel_kinds kinds = {{&kind}};
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_channel_list list;

    kind.get_partner = second_of_three;
    assert_int_equal(shw_channel_list_parse("turned", &kinds, &log, &list), SHW_OK);
    for (int i = 0; i < 2; i++) {
        kind.get_partner = wrong[i];
        assert_int_equal(shw_channel_list_parse("turned", &kinds, &log, &list), SHW_ERROR_ARGUMENT);
        assert_non_null(strstr(memory.last, "turned has channels whose partners in mirror images do not name them"));
    }
    kind.get_partner = second_of_three;
    kind.get_info = growing_info;
    assert_int_equal(shw_channel_list_parse("turned", &kinds, &log, &list), SHW_ERROR_ARGUMENT);
}

/* The margin of tiles is of the radius, and rows on the CPU are of that of the header. */
TESTING_CASE(radii_are_at_most_those_of_headers)
{
    struct shw_channel_code code = shw_channel_code_rgb;
    struct shw_channel_kind kind = {.version = SHW_CHANNEL_KIND_VERSION,
                                    .name = "far",
                                    .parameter_max = 90,
                                    .channel_count = 3,
                                    .get_radius = tenth,
                                    .get_info = small_info,
                                    .code = &code};
    const struct shw_channel_kinds kinds = {{&kind}};
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_channel_list list;

    code.radius = 2;
    assert_int_equal(shw_channel_list_parse("far:29", &kinds, &log, &list), SHW_OK);
    assert_int_equal(list.radius, 2);
    assert_int_equal(shw_channel_list_parse("rgb,far:30", &kinds, &log, &list), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "entry 2, far, has a radius of 3, but that of its header is 2"));
    kind.get_radius = huge_radius;
    assert_int_equal(shw_channel_list_parse("far:1", &kinds, &log, &list), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "entry 1, far, has a radius of 4294967280"));
    kind.get_radius = NULL;
    assert_int_equal(shw_channel_list_parse("far:1", &kinds, &log, &list), SHW_OK);
    assert_int_equal(list.radius, 2);
}
