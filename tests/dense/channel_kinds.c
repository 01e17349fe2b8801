/* What every channel kind of the library declares: its radius, and the bound of its values. */
#include "testing/testing.h"

#include <stdlib.h>
#include <string.h>

#include "dense/channels/channels.h"
#include "dense/channels/pixels.h"

enum { MARGIN = 4, INPUTS = 3 };

/* The inputs: noise, black or white within the radius of the centre; what is beyond it is `outside`. */
static void fill(struct testing_random *random, const struct shw_image *image, uint32_t radius, bool extreme,
                 int outside, uint8_t *pixels)
{
    uint32_t centre = image->width / 2, bytes = (uint32_t)shw_pixel_size(image->format);

    for (uint32_t y = 0; y < image->height; y++)
        for (uint32_t x = 0; x < image->width; x++)
            for (uint32_t c = 0; c < bytes; c++) {
                uint8_t *sample = &pixels[bytes * (y * image->width + x) + c];
                bool inside =
                    x + radius >= centre && x <= centre + radius && y + radius >= centre && y <= centre + radius;
                if (!inside)
                    *sample = (uint8_t)outside;
                else if (random != NULL)
                    *sample =
                        (uint8_t)(extreme ? 255 * testing_random_below(random, 2) : testing_random_below(random, 256));
            }
}

static void assert_bounded(const struct shw_channel_list *list, const int16_t *planes, size_t pixels)
{
    for (uint32_t c = 0; c < list->channel_count; c++)
        for (size_t i = 0; i < pixels; i++)
            if (abs(planes[c * pixels + i]) > (int)list->channels[c].max_abs)
                fail_msg("%s: %s is %d, but at most %u was declared", list->name, list->channels[c].name,
                         planes[c * pixels + i], list->channels[c].max_abs);
}

static void check_kind(const char *text, struct testing_random *random)
{
    const struct shw_channel_list *list = testing_channels(text);
    uint32_t side = 2 * (list->radius + MARGIN) + 1;
    size_t pixels = (size_t)side * side, centre = pixels / 2;
    uint8_t *samples[INPUTS];
    int16_t *planes[2];
    struct shw_image inputs[INPUTS];
    struct shw_channel_images images = {0};

    assert_in_range(list->input_count, 1, INPUTS);
    for (int i = 0; i < 2; i++) {
        planes[i] = malloc(list->channel_count * pixels * sizeof **planes);
        assert_non_null(planes[i]);
    }
    for (int i = 0; i < INPUTS; i++) {
        samples[i] = malloc(3 * pixels);
        assert_non_null(samples[i]);
        inputs[i] = (struct shw_image){samples[i], side, side, 0, SHW_PIXEL_RGB8};
        if (i > 0 && (uint32_t)i < list->input_count && shw_source_is_plane(list->inputs[i]))
            inputs[i].format = SHW_PIXEL_GREY16;
        images.of[i] = &inputs[i];
    }
    for (int round = 0; round < 8; round++) {
        for (int outside = 0; outside < 2; outside++) {
            for (int i = 0; i < INPUTS; i++)
                fill(outside == 0 ? random : NULL, &inputs[i], list->radius, round % 2 != 0,
                     ((round >> 1 & i) ^ outside) != 0 ? 255 : 0, samples[i]);
            assert_int_equal(shw_channels_cpu(list, &images, NULL, planes[outside], NULL), SHW_OK);
            assert_bounded(list, planes[outside], pixels);
        }
        for (uint32_t c = 0; c < list->channel_count; c++)
            if (planes[0][c * pixels + centre] != planes[1][c * pixels + centre])
                fail_msg("%s: %s depends on pixels farther away than %u", text, list->channels[c].name, list->radius);
    }
    for (int i = 0; i < INPUTS; i++)
        free(samples[i]);
    for (int i = 0; i < 2; i++)
        free(planes[i]);
}

TESTING_CASE(kinds_keep_to_their_radius_and_bound)
{
    static struct testing_kind kinds[TESTING_KINDS_MAX];
    uint32_t count = testing_channel_kinds(kinds);
    struct testing_random random = {17};

    for (uint32_t k = 0; k < count; k++)
        check_kind(kinds[k].text, &random);
}
