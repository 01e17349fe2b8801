/* Readers of organised point clouds: every kind of value and of storage, and what is damaged. */
#include "testing/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/convert/pcd.h"
#include "testing/cloud_write.h"

enum { WIDTH = 7, HEIGHT = 5, POINTS = WIDTH * HEIGHT };

TESTING_CASE(test_lzf)
{
    struct testing_random random = {3};

    for (int i = 0; i < 300; i++) {
        uint8_t from[2000], packed[4001], unpacked[2001];
        size_t size = testing_random_below(&random, sizeof from), packed_size;

        for (size_t b = 0; b < size; b++)
            from[b] = (uint8_t)testing_random_below(&random, i % 3 == 0 ? 256 : 2);
        packed_size = testing_lzf_compress(from, size, packed);
        assert_true(shw_lzf_decompress(packed, packed_size, unpacked, size));
        assert_memory_equal(unpacked, from, size);
        assert_false(shw_lzf_decompress(packed, packed_size, unpacked, size + 1));
        if (size > 0) {
            assert_false(shw_lzf_decompress(packed, packed_size, unpacked, size - 1));
            assert_false(shw_lzf_decompress(packed, packed_size - 1, unpacked, size));
        }
    }
}

/* A random cloud, with what it becomes. */
struct known_cloud {
    float points[3 * POINTS];
    uint32_t colours[POINTS], labels[POINTS];
    uint16_t depth[POINTS];
};

static void make_cloud(struct known_cloud *known)
{
    struct testing_random random = {11};

    for (uint32_t i = 0; i < POINTS; i++) {
        uint32_t millimetres = 400 + testing_random_below(&random, 9000);
        known->points[3 * i] = 0.25f * (float)testing_random_range(&random, -8, 8);
        known->points[3 * i + 1] = 0.25f * (float)testing_random_range(&random, -8, 8);
        known->points[3 * i + 2] = (float)millimetres / 1000;
        known->depth[i] = (uint16_t)millimetres;
        known->colours[i] = (uint32_t)testing_random_next(&random) & 0xffffff;
        known->labels[i] = i % 9 == 0 ? UINT32_MAX : testing_random_below(&random, 30);
    }
    for (int c = 0; c < 3; c++)
        known->points[3 * 4 + c] = NAN;
    known->depth[4] = 0;
    known->points[3 * 5 + 2] = -1;
    known->depth[5] = 0;
    known->colours[6] = 0x00ff8001;
    known->colours[7] = 0;
}

static void check_cloud(const struct testing_cloud *cloud, const struct known_cloud *known)
{
    struct testing_log memory = {0};
    struct shw_log log = testing_log(&memory);
    struct shw_frame frame;
    size_t size;
    uint8_t *bytes = testing_cloud_write(cloud, &size);

    assert_int_equal(shw_pcd_decode(bytes, size, "cloud.pcd", &log, &frame), SHW_OK);
    assert_int_equal(frame.width, WIDTH);
    assert_int_equal(frame.height, HEIGHT);
    assert_memory_equal(frame.depth, known->depth, sizeof known->depth);
    assert_true((frame.labels != NULL) == (cloud->labels != NULL));
    if (cloud->labels != NULL)
        assert_memory_equal(frame.labels, known->labels, sizeof known->labels);
    for (uint32_t i = 0; i < POINTS; i++) {
        const uint8_t *colour = frame.colours + 3 * i;
        int grey = known->depth[i] == 0 ? 0 : 255 - known->depth[i] / 40;
        if (cloud->colours != NULL)
            assert_int_equal((uint32_t)colour[0] << 16 | (uint32_t)colour[1] << 8 | colour[2], known->colours[i]);
        else
            assert_int_equal(colour[i % 3], grey < 1 && known->depth[i] > 0 ? 1 : grey);
    }
    shw_frame_free(&frame);
    free(bytes);
}

TESTING_CASE(test_clouds)
{
    struct known_cloud known;

    make_cloud(&known);
    for (unsigned variant = 0; variant < 3 * 2 * 3 * 2; variant++) {
        unsigned fields = variant / 6 % 3;
        struct testing_cloud cloud = {.width = WIDTH,
                                      .height = HEIGHT,
                                      .points = known.points,
                                      .colours = fields > 0 ? known.colours : NULL,
                                      .labels = fields > 1 ? known.labels : NULL,
                                      .padded = variant / 3 % 2 == 1,
                                      .integer_colour = variant / 18 == 1,
                                      .viewpoint = variant % 2 == 1 ? "0 0 0 1 0 0 0" : NULL,
                                      .data = (enum testing_cloud_data)(variant % 3)};
        check_cloud(&cloud, &known);
    }
}

/* A camera at (1, 2, 3) that looks along x: the depth of a point is x - 1. */
TESTING_CASE(test_viewpoint)
{
    struct known_cloud known;
    struct testing_cloud cloud = {.width = WIDTH,
                                  .height = HEIGHT,
                                  .points = known.points,
                                  .viewpoint = "1 2 3 0.70710678118654752 0 0.70710678118654752 0",
                                  .data = TESTING_CLOUD_BINARY};

    make_cloud(&known);
    for (uint32_t i = 0; i < POINTS; i++) {
        float x = known.points[3 * i];
        known.depth[i] = isnan(x) || x <= 1 ? 0 : (uint16_t)(1000 * ((double)x - 1) + 0.5);
    }
    check_cloud(&cloud, &known);
    cloud.viewpoint = "1 2 3 7 0 7 0"; /* of any length */
    check_cloud(&cloud, &known);
}

/* Of a file that ends too early, one error names it. */
TESTING_CASE(test_truncated_clouds)
{
    struct known_cloud known;

    make_cloud(&known);
    for (int data = 0; data < 3; data++) {
        struct testing_cloud cloud = {.width = WIDTH,
                                      .height = HEIGHT,
                                      .points = known.points,
                                      .colours = known.colours,
                                      .labels = known.labels,
                                      .data = (enum testing_cloud_data)data};
        size_t size, whole = 0;
        uint8_t *bytes = testing_cloud_write(&cloud, &size);

        for (size_t end = 0; end < size; end++) {
            struct testing_log memory = {0};
            struct shw_log log = testing_log(&memory);
            struct shw_frame frame;
            uint8_t *exact = malloc(end + 1);

            log.level = SHW_LOG_ERROR;
            memcpy(exact, bytes, end);
            if (shw_pcd_decode(exact, end, "cut.pcd", &log, &frame) == SHW_OK) {
                whole++; /* a text may lack its last digit and line end */
                shw_frame_free(&frame);
            } else {
                assert_int_equal(memory.errors, 1);
                assert_non_null(strstr(memory.last, "cut.pcd"));
            }
            free(exact);
        }
        assert_in_range(whole, 0, data == TESTING_CLOUD_ASCII ? 2 : 0);
        free(bytes);
    }
}

/* What is wrong with a header is reported with its line. */
TESTING_CASE(test_bad_clouds)
{
    static const struct {
        const char *header, *message;
    } bad[] = {
        {"", "its header has no end"},
        {"solid name\n", "line 1: this is not a header line"},
        {"FIELDS x y\nSIZE 4 4\nTYPE F F\nWIDTH 2\nHEIGHT 2\nDATA ascii\n1 1\n", "no field z"},
        {"FIELDS z\nSIZE 4\nTYPE F\nWIDTH 9\nHEIGHT 1\nDATA ascii\n", "not organised"},
        {"FIELDS z\nSIZE 3\n", "line 2: a size must be 1, 2, 4 or 8"},
        {"FIELDS z\nSIZE 4 4\n", "line 2: there are more of them than FIELDS"},
        {"FIELDS z x\nSIZE 4\n", "line 2: there are fewer of them than FIELDS"},
        {"SIZE 4\n", "line 1: it must follow FIELDS"},
        {"FIELDS z z\n", "line 1: two fields have one name"},
        {"FIELDS z\nFIELDS z\n", "line 2: it is given twice"},
        {"FIELDS z\nSIZE 4\nTYPE D\n", "line 3: a type must be I, U or F"},
        {"FIELDS z\nSIZE 4\nTYPE F\nCOUNT 0\n", "line 4: a count must be"},
        {"FIELDS z\nSIZE 4\nTYPE F\nWIDTH -2\n", "line 4: a whole number from 0 to 4294967295 is needed"},
        {"FIELDS z\nSIZE 4\nTYPE F\nWIDTH 2\nHEIGHT 2\nPOINTS 5\nDATA ascii\n", "POINTS is not WIDTH times HEIGHT"},
        {"FIELDS z\nSIZE 4\nTYPE F\nWIDTH 70000\nHEIGHT 2\nDATA ascii\n", "more points than an image may have pixels"},
        {"FIELDS z\nSIZE 4\nTYPE F\nWIDTH 60000\nHEIGHT 60000\nDATA binary\n", "more points than an image"},
        {"FIELDS z\nSIZE 4\nTYPE F\nWIDTH 9000\nHEIGHT 9000\nDATA ascii\n1 2 3\n", "it is truncated"},
        {"FIELDS z\nSIZE 2\nTYPE F\nWIDTH 2\nHEIGHT 2\nDATA ascii\n", "a float must have 4 or 8 bytes"},
        {"FIELDS z\nTYPE F\nWIDTH 2\nHEIGHT 2\nDATA ascii\n", "its header lacks the line SIZE"},
        {"FIELDS z\nSIZE 4\nTYPE I\nWIDTH 2\nHEIGHT 2\nDATA ascii\n1 2 3 4\n", "x, y and z must be single floats"},
        {"FIELDS z rgb\nSIZE 4 2\nTYPE F U\nWIDTH 2\nHEIGHT 2\nDATA ascii\n", "must be single values of 4 bytes"},
        {"FIELDS z label\nSIZE 4 4\nTYPE F F\nWIDTH 2\nHEIGHT 2\nDATA ascii\n", "label must be a single integer"},
        {"FIELDS z label\nSIZE 4 4\nTYPE F U\nWIDTH 2\nHEIGHT 2\nDATA ascii\n1 1 1 1 1 99999999 1 1\n",
         "point 2 has label 99999999"},
        {"FIELDS z\nSIZE 4\nTYPE F\nWIDTH 2\nHEIGHT 2\nDATA ascii\n1 2 x 4\n", "point 2: \"x\" is not a value"},
        {"FIELDS z\nSIZE 4\nTYPE F\nWIDTH 2\nHEIGHT 2\nVIEWPOINT 0 0 0 1 0 0\n", "line 6: seven numbers are needed"},
        {"FIELDS z\nSIZE 4\nTYPE F\nWIDTH 2\nHEIGHT 2\nVIEWPOINT 0 0 0 0 0 0 0\nDATA ascii\n1 2 3 4\n",
         "VIEWPOINT is not a position and a rotation"},
        {"FIELDS z\nSIZE 4\nTYPE F\nWIDTH 2\nHEIGHT 2\nVIEWPOINT 1 0 0 1 1 0 0\nDATA ascii\n1 2 3 4\n",
         "there is no x or y"},
        {"FIELDS z\nSIZE 4\nTYPE F\nWIDTH 2\nHEIGHT 2\nDATA binary_lz4\n", "line 6: the data must be ascii, binary or"},
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct testing_log memory = {0};
        struct shw_log log = testing_log(&memory);
        struct shw_frame frame;

        log.level = SHW_LOG_ERROR;
        assert_int_not_equal(shw_pcd_decode(bad[i].header, strlen(bad[i].header), "bad.pcd", &log, &frame), SHW_OK);
        assert_int_equal(memory.errors, 1);
        if (strstr(memory.last, bad[i].message) == NULL || strstr(memory.last, "bad.pcd") == NULL)
            fail_msg("'%s' is not in: %s", bad[i].message, memory.last);
    }
}
