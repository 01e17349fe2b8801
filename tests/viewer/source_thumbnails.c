/* Small copies of pictures: what they show, and that they are made when they are asked for. */
#include "source/thumbnails.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source_folder.h"
#include "source_wait.h"

/* Left of the middle the pixels have one value, right of it another. */
static void check_halves(enum shw_pixel_format format, size_t size, bool wide)
{
    const uint32_t width = 400, height = 100;
    uint8_t *pixels = calloc((size_t)width * height, size);
    struct view_picture picture = {.image = {.pixels = pixels, .width = width, .height = height, .format = format},
                                   .range = {1000, 3000}};
    struct view_thumbnail thumbnail;

    assert_non_null(pixels);
    for (uint32_t i = 0; i < width * height; i++)
        for (size_t c = 0; c < size / (wide ? 2 : 1); c++) {
            const uint16_t sample = i % width < width / 2 ? (wide ? 3000 : 255) : (wide ? 1500 : 64);
            if (wide)
                memcpy(pixels + i * size + 2 * c, &sample, sizeof sample);
            else
                pixels[i * size + c] = (uint8_t)sample;
        }
    view_thumbnail_make(&picture, &thumbnail);
    assert_int_equal(thumbnail.width, VIEW_THUMBNAIL_WIDTH);
    assert_int_equal(thumbnail.height, VIEW_THUMBNAIL_WIDTH / 4);
    for (uint32_t p = 0; p < thumbnail.width * thumbnail.height; p++)
        for (int c = 0; c < 3; c++)
            assert_int_equal(thumbnail.pixels[p][c], p % thumbnail.width < thumbnail.width / 2 ? 255 : wide ? 63 : 64);
    free(pixels);
}

TESTING_CASE(they_show_what_the_picture_shows)
{
    check_halves(SHW_PIXEL_GREY8, 1, false);
    check_halves(SHW_PIXEL_RGB8, 3, false);
    check_halves(SHW_PIXEL_RGBA8, 4, false);
    check_halves(SHW_PIXEL_GREY16, 2, true);
    check_halves(SHW_PIXEL_RGB16, 6, true);
    check_halves(SHW_PIXEL_RGBA16, 8, true);
}

TESTING_CASE(they_keep_the_shape)
{
    static const uint32_t sizes[][4] = {
        {1, 1, 1, 1}, {7, 5, 7, 5}, {30, 3000, 1, 30}, {9000, 3, 40, 1}, {300, 400, 22, 30}};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint8_t *pixels = calloc((size_t)sizes[i][0] * sizes[i][1], 3);
        struct view_picture picture = {
            .image = {.pixels = pixels, .width = sizes[i][0], .height = sizes[i][1], .format = SHW_PIXEL_RGB8}};
        struct view_thumbnail thumbnail;
        view_thumbnail_make(&picture, &thumbnail);
        assert_int_equal(thumbnail.width, sizes[i][2]);
        assert_int_equal(thumbnail.height, sizes[i][3]);
        free(pixels);
    }
}

static const struct view_thumbnail *wait_for(struct view_thumbnails **thumbnails, const struct view_player *player,
                                             uint32_t entry)
{
    const struct view_thumbnail *found = view_thumbnails_get(thumbnails, player, entry);

    while (found == NULL) {
        view_thumbnails_poll(*thumbnails);
        source_sleep(0.001);
        found = view_thumbnails_get(thumbnails, player, entry);
    }
    return found;
}

static void open_folder(struct view_player *player, const char *folder)
{
    struct view_picture *picture = NULL;

    assert_int_equal(view_player_open(player, folder), SHW_OK);
    while (picture == NULL) {
        assert_int_equal(view_player_poll(player, 0.0, &picture), SHW_OK);
        source_sleep(0.001);
    }
    view_picture_free(picture);
}

/* The picture of an entry, read again. */
static struct view_picture *go_to(struct view_player *player, uint32_t entry)
{
    struct view_picture *picture = NULL;

    assert_int_equal(view_source_go_to(player->source, entry), SHW_OK);
    while (picture == NULL) {
        assert_int_equal(view_player_poll(player, 0.0, &picture), SHW_OK);
        source_sleep(0.001);
    }
    return picture;
}

TESTING_CASE(a_picture_that_has_changed_has_another)
{
    struct view_player player = {.log = source_log()};
    struct view_thumbnails *thumbnails = NULL;
    struct view_picture *picture;
    char *folder = strdup(testing_path("changing"));

    make_folder(folder);
    write_in(folder, "a.png", 8, 3, 1);
    write_in(folder, "b.png", 8, 3, 2);
    open_folder(&player, folder);
    assert_int_equal(wait_for(&thumbnails, &player, 0)->pixels[0][0], 1 * 31);
    assert_int_equal(wait_for(&thumbnails, &player, 1)->pixels[0][0], 2 * 31);
    write_in(folder, "b.png", 8, 3, 5);
    picture = go_to(&player, 1);
    assert_true(view_thumbnails_renew(thumbnails, &player, picture));
    assert_false(view_thumbnails_renew(thumbnails, &player, picture));
    assert_int_equal(wait_for(&thumbnails, &player, 1)->pixels[0][0], 5 * 31);
    view_picture_free(picture);
    picture = go_to(&player, 0); /* which has not changed */
    assert_false(view_thumbnails_renew(thumbnails, &player, picture));
    assert_int_equal(wait_for(&thumbnails, &player, 0)->pixels[0][0], 1 * 31);
    view_picture_free(picture);
    assert_false(view_thumbnails_renew(NULL, &player, NULL));
    view_thumbnails_free(&thumbnails);
    view_source_close(&player.source);
    free(folder);
}

/* More than are kept, and one that cannot be read. */
TESTING_CASE(they_are_made_when_they_are_asked_for)
{
    const uint32_t count = 600;
    struct view_player player = {.log = source_log()};
    struct view_thumbnails *thumbnails = NULL;
    char *folder = strdup(testing_path("many")), name[32];

    make_folder(folder);
    for (uint32_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "p%u.png", i);
        write_in(folder, name, 8, 3, i % 8);
    }
    write_text(folder, "p77.png", "no picture");
    open_folder(&player, folder);
    assert_null(view_thumbnails_get(&thumbnails, &player, count));
    for (uint32_t i = 0; i < count; i++) {
        const struct view_thumbnail *found = wait_for(&thumbnails, &player, i);
        assert_int_equal(found->width, i == 77 ? 0 : WIDTH);
        assert_int_equal(found->height, i == 77 ? 0 : HEIGHT);
        if (i != 77)
            assert_int_equal(found->pixels[0][0], (i % 8) * 31);
    }
    assert_non_null(view_thumbnails_get(&thumbnails, &player, count - 1));
    assert_null(view_thumbnails_get(&thumbnails, &player, 0)); /* has been replaced */
    assert_int_equal(wait_for(&thumbnails, &player, 0)->width, WIDTH);
    assert_int_equal(source_log_errors(), 0); /* whoever shows p77.png says what is wrong */

    /* another source has other ones */
    write_in(folder, "p0.png", 8, 3, 7);
    open_folder(&player, folder);
    assert_int_equal(wait_for(&thumbnails, &player, 0)->pixels[0][0], 7 * 31);
    view_thumbnails_free(&thumbnails);
    view_source_close(&player.source);
    free(folder);
}
