/* Objects followed through pictures: against made-up motion, of which is known what is what. */
#include "testing/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "detection/track/track.h"

#define OBJECTS 3

static const struct shw_log no_log = {0};

static struct shw_detection at(double x, double y, uint32_t side)
{
    return (struct shw_detection){
        .x = (int32_t)lround(x), .y = (int32_t)lround(y), .width = side, .height = side, .score = 100};
}

static void take(struct shw_tracker *tracker, double seconds, const struct shw_detection *found, uint32_t count,
                 uint32_t *identities)
{
    assert_int_equal(shw_tracker_step(tracker, seconds, found, NULL, count, &no_log, identities), SHW_OK);
}

/* Three objects, of which two cross each other, in any order in each picture. */
TESTING_CASE(tracks_keep_their_identity_where_objects_cross)
{
    struct testing_random random = {5};
    struct shw_tracker tracker = {0};
    uint32_t first[OBJECTS];

    for (uint32_t frame = 0; frame < 60; frame++) {
        const struct shw_detection objects[OBJECTS] = {at(3.0 * frame, 50, 20), at(180 - 3.0 * frame, 62, 20),
                                                       at(100, 150 + 4.0 * sin(frame), 30)};
        uint32_t order[OBJECTS] = {0, 1, 2}, identities[OBJECTS];
        struct shw_detection shuffled[OBJECTS];

        for (uint32_t i = OBJECTS; i > 1; i--) {
            const uint32_t other = testing_random_below(&random, i), kept = order[i - 1];

            order[i - 1] = order[other];
            order[other] = kept;
        }
        for (uint32_t i = 0; i < OBJECTS; i++)
            shuffled[i] = objects[order[i]];
        take(&tracker, frame / 25.0, shuffled, OBJECTS, identities);
        for (uint32_t i = 0; i < OBJECTS; i++) {
            if (frame == 0)
                first[order[i]] = identities[i];
            assert_int_equal(identities[i], first[order[i]]);
        }
    }
    assert_int_equal(tracker.count, OBJECTS);
    for (uint32_t o = 0; o < OBJECTS; o++)
        assert_int_equal(tracker.tracks[o].count, 60);
    assert_true(fabs(shw_track_length(&tracker.tracks[first[0]]) - 3.0 * 59) < 1e-9);
    assert_true(fabs(tracker.tracks[first[1]].across + 75.0) < 0.1); /* pixels per second */
    shw_tracker_clear(&tracker);
}

/* An object that comes to where a false alarm was seen once, and overlaps that place more, stays what it was. */
TESTING_CASE(false_alarms_take_no_identity)
{
    struct shw_tracker tracker = {0};
    uint32_t identities[2];

    for (uint32_t frame = 0; frame < 5; frame++) {
        const struct shw_detection found[2] = {at(10.0 * frame, 40, 30), at(46, 40, 30)};

        take(&tracker, frame * 0.1, found, frame == 2 ? 2 : 1, identities);
        assert_int_equal(identities[0], 0);
    }
    {
        const struct shw_detection slowed = at(47, 40, 30); /* where it is expected: 50 */

        take(&tracker, 0.5, &slowed, 1, identities);
        assert_int_equal(identities[0], 0);
    }
    shw_tracker_clear(&tracker);
}

/* An object that is missed for some pictures is where its motion has led to; not forever. */
TESTING_CASE(objects_may_be_missed_for_some_pictures)
{
    for (uint32_t missed = 1; missed <= 6; missed++) {
        struct shw_tracker tracker = {.params = {.patience = 4}};
        struct shw_detection object;
        uint32_t identity;

        for (uint32_t frame = 0; frame < 10; frame++) {
            object = at(10.0 * frame, 40, 20); /* half its size each time */
            take(&tracker, frame * 0.1, &object, 1, &identity);
            assert_int_equal(identity, 0);
        }
        for (uint32_t frame = 10; frame < 10 + missed; frame++)
            take(&tracker, frame * 0.1, NULL, 0, &identity);
        object = at(10.0 * (10 + missed), 40, 20);
        take(&tracker, (10 + missed) * 0.1, &object, 1, &identity);
        assert_int_equal(identity, missed <= 4 ? 0 : 1);
        assert_int_equal(tracker.tracks[0].ended, missed > 4);
        shw_tracker_clear(&tracker);
        assert_int_equal(tracker.count, 0);
        assert_int_equal(tracker.params.patience, 4);
    }
}

TESTING_CASE(nothing_goes_on_after_a_gap_and_the_past_is_recalled)
{
    struct shw_tracker tracker = {0};
    const struct shw_detection object = at(10, 10, 20), other = at(60, 60, 20);
    uint32_t identity;

    take(&tracker, 0.0, &object, 1, &identity);
    take(&tracker, 0.9, &object, 1, &identity);
    assert_int_equal(identity, 0);
    take(&tracker, 2.0, &object, 1, &identity);
    assert_int_equal(identity, 1);
    take(&tracker, 0.9, &object, 1, &identity); /* again */
    assert_int_equal(identity, 0);
    take(&tracker, 0.9, &other, 1, &identity);
    assert_int_equal(identity, SHW_NO_TRACK);
    take(&tracker, 0.5, &object, 1, &identity); /* not seen then */
    assert_int_equal(identity, SHW_NO_TRACK);
    assert_int_equal(tracker.count, 2);
    assert_int_equal(tracker.pictures, 3);
    assert_int_equal(tracker.tracks[0].count, 2);
    shw_tracker_clear(&tracker);
}

TESTING_CASE(tracks_are_written_as_a_table)
{
    struct shw_tracker tracker = {0};
    const struct shw_detection objects[2] = {{.x = -3, .y = 4, .width = 10, .height = 12, .score = 96},
                                             {.x = 50, .y = 4, .width = 10, .height = 12, .score = -32}};
    uint32_t identities[2];
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);

    assert_non_null(stream);
    take(&tracker, 0.0, objects, 2, identities);
    take(&tracker, 0.04, objects, 1, identities);
    shw_tracker_print(stream, &tracker, 2, &(struct shw_track_kind){"disc", 6}, 1);
    assert_int_equal(fclose(stream), 0);
    assert_string_equal(text, "track,picture,seconds,x,y,width,height,score\r\n"
                              "1,1,0.000,-3,4,10,12,1.5000\r\n"
                              "1,2,0.040,-3,4,10,12,1.5000\r\n");
    free(text);
    shw_tracker_clear(&tracker);
}

/* Where two kinds are at the same place, each goes on with its own. */
TESTING_CASE(tracks_are_of_one_kind)
{
    const struct shw_track_kind names[2] = {{"face", 6}, {"plate, \"old\"", 5}};
    struct shw_tracker tracker = {0};
    uint32_t identities[2];
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);

    assert_non_null(stream);
    for (uint32_t frame = 0; frame < 4; frame++) {
        const struct shw_detection found[2] = {at(40, 40, 20), at(41, 40, 20)};
        const uint32_t kinds[2] = {frame % 2, 1 - frame % 2}; /* they change places */

        assert_int_equal(shw_tracker_step(&tracker, frame * 0.1, found, kinds, 2, &no_log, identities), SHW_OK);
        assert_int_equal(identities[0], frame % 2);
        assert_int_equal(identities[1], 1 - frame % 2);
    }
    {
        const struct shw_detection found = at(40, 40, 20);
        const uint32_t kind = 1;

        assert_int_equal(shw_tracker_step(&tracker, 0.0, &found, &kind, 1, &no_log, identities), SHW_OK);
        assert_int_equal(identities[0], SHW_NO_TRACK); /* what was there was of the other kind */
    }
    assert_int_equal(tracker.count, 2);
    shw_tracker_print(stream, &tracker, 4, names, 2);
    assert_int_equal(fclose(stream), 0);
    assert_memory_equal(
        text, "track,picture,seconds,x,y,width,height,score,label\r\n1,1,0.000,40,40,20,20,1.5625,face\r\n", 85);
    assert_non_null(strstr(text, "\r\n2,1,0.000,41,40,20,20,3.1250,\"plate, \"\"old\"\"\"\r\n"));
    free(text);
    shw_tracker_clear(&tracker);
}
