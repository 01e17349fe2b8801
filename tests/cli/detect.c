/* Detection by the program: images, lists, options, tables, pictures, videos. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "detect_spots.h"
#include "files/image/image_file.h"
#include "files/image/image_write.h"
#include "files/io/image_paths.h"
#include "files/video/video_read.h"
#include "files/video/video_write.h"
#include "program.h"

#define HEADER "image,x,y,width,height,score,angle,neighbours\r\n"

#define ROWS                                                                                                           \
    "images/a.png,7,7,10,10,1.0625,0,9\r\n"                                                                            \
    "images/a.png,57,27,10,10,0.0625,0,9\r\n"                                                                          \
    "images/b.png,37,17,10,10,1.0625,0,9\r\n"

/* Nine windows see each spot, the first one at its left and upper edge; that is kept. */
TESTING_CASE(images_have_their_rows)
{
    assert_success(run("shadewood detect spot.ktx2 images " SPOTS "-o out"));
    assert_file("out/detections.csv", HEADER ROWS);
    assert_string_equal(run("shadewood detect spot.ktx2 images " SPOTS "-o same --threads 3").out,
                        "3 images, 3 detections, in same\n");
    assert_success(run("diff -r out same"));
    assert_int_equal(entry_count("out"), 4);
}

/* Of several sizes, one too small for any window. */
TESTING_CASE(images_may_have_any_size)
{
    assert_success(run("shadewood detect spot.ktx2 images/b.png small.png images/a.png " SPOTS
                       "-o sizes --json >said && "
                       "grep -q '\"windows\": 0$' said"));
    assert_file("sizes/detections.csv", HEADER "images/b.png,37,17,10,10,1.0625,0,9\r\n"
                                               "images/a.png,7,7,10,10,1.0625,0,9\r\n"
                                               "images/a.png,57,27,10,10,0.0625,0,9\r\n");
}

TESTING_CASE(a_device_finds_the_same)
{
    static const char *const variants[] = {"compute", "compute --variant global", "compute --way mipmap",
                                           "compute --variant regroup --regroup 1,3", "fragment"};

    if (run("shadewood devices").code != 0)
        testing_skip("no Vulkan device");
    assert_success(run("shadewood detect spot.ktx2 images -t cpu -o host -q --raw --no-pictures"));
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
        assert_success(run("shadewood detect spot.ktx2 images -t %s -o device%zu -q --raw --no-pictures && "
                           "diff -r host device%zu",
                           variants[i], i, i));
}

TESTING_CASE(a_list_names_images_beside_it)
{
    make_file("images/list.txt", "# two\n\n b.png \r\na.png\n", 22);
    assert_success(run("shadewood detect spot.ktx2 images/list.txt " SPOTS "-o listed --no-pictures -q"));
    assert_file("listed/detections.csv", HEADER "images/b.png,37,17,10,10,1.0625,0,9\r\n"
                                                "images/a.png,7,7,10,10,1.0625,0,9\r\n"
                                                "images/a.png,57,27,10,10,0.0625,0,9\r\n");
    assert_int_equal(entry_count("listed"), 1);
    make_file("bad.txt", "images/a.png\nimages/c.png\n", 26);
    assert_one_line(run("shadewood detect spot.ktx2 bad.txt -o no"), 1, "bad.txt, line 2", "images/c.png", NULL);
    assert_false(exists("no"));
}

/* Tables are kept, pictures are known as ours and are not searched. */
TESTING_CASE(a_second_run_replaces_pictures_alone)
{
    assert_success(run("cp -r images beside && shadewood detect spot.ktx2 beside " SPOTS "-o beside -q"));
    assert_one_line(run("shadewood detect spot.ktx2 beside " SPOTS "-o beside -q"), 1, "beside/detections.csv",
                    "--overwrite", NULL);
    assert_success(run("cp beside/detections.csv first && "
                       "shadewood detect spot.ktx2 beside " SPOTS "-o beside -q --overwrite && "
                       "cmp beside/detections.csv first"));
    assert_success(run("mkdir taken && cp images/b.png taken/a_detections.png"));
    assert_one_line(run("shadewood detect spot.ktx2 images/a.png " SPOTS "-o taken"), 1, "taken/a_detections.png",
                    "--overwrite", NULL);
}

TESTING_CASE(options_choose_detections)
{
    assert_success(run("shadewood detect spot.ktx2 images/a.png " SPOTS "-o bright --min-score 1.0625 -q && "
                       "shadewood detect spot.ktx2 images/a.png " SPOTS "-o brighter --min-score 1.07 -q && "
                       "shadewood detect spot.ktx2 images/a.png " SPOTS "-o windows --group none -q --raw && "
                       "shadewood detect spot.ktx2 images/a.png " SPOTS "-o steps --group none --step 3 -q && "
                       "shadewood detect spot.ktx2 images/a.png -t cpu -o large --min-size 65 -q && "
                       "wc -l <windows/detections.csv && wc -l <windows/windows.csv"));
    assert_file("bright/detections.csv", HEADER "images/a.png,7,7,10,10,1.0625,0,9\r\n");
    assert_file("brighter/detections.csv", HEADER);
    assert_file("steps/detections.csv", HEADER "images/a.png,9,9,10,10,1.0625,0,1\r\n"
                                               "images/a.png,57,27,10,10,0.0625,0,1\r\n");
    assert_file("large/detections.csv", HEADER);
}

/* Two spots of nine windows each; the same columns in another order, and the level. */
TESTING_CASE(raw_windows_are_those_before_grouping)
{
    struct run result = run("wc -l <windows/windows.csv; head -n 2 windows/windows.csv; "
                            "tail -n +2 windows/windows.csv | cut -d, -f2-6 | sort >raw; "
                            "tail -n +2 windows/detections.csv | cut -d, -f2-6 | sort | cmp - raw");

    assert_success(result);
    assert_string_equal(result.out, "19\nimage,x,y,width,height,score,angle,level\r\n"
                                    "images/a.png,7,7,10,10,1.0625,0,0\r\n");
}

TESTING_CASE(coco_has_the_same_detections)
{
    json_t *results, *box;
    size_t size;
    char *bytes;

    assert_success(run("shadewood detect spot.ktx2 images " SPOTS "-o coco --format coco --no-pictures -q"));
    assert_int_equal(entry_count("coco"), 1);
    bytes = file_bytes("coco/detections.json", &size);
    results = parse_json(bytes);
    assert_int_equal(json_array_size(results), 3);
    box = json_array_get(results, 1);
    assert_int_equal(json_integer_value(json_object_get(box, "image_id")), 1);
    assert_true(json_real_value(json_object_get(box, "score")) == 0.0625);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(box, "bbox"), 0)), 57);
    assert_string_equal(json_string_value(json_object_get(box, "file_name")), "images/a.png");
    assert_int_equal(json_integer_value(json_object_get(json_array_get(results, 2), "image_id")), 2);
    json_decref(results);
    free(bytes);
    assert_success(run("shadewood detect spot.ktx2 images/none.png " SPOTS "-o nothing --format csv,coco -q"));
    bytes = file_bytes("nothing/detections.json", &size);
    results = parse_json(bytes);
    assert_int_equal(json_array_size(results), 0);
    json_decref(results);
    free(bytes);
}

/* Rectangles in orange around the spots, and nothing else but their scores. */
TESTING_CASE(pictures_have_rectangles)
{
    static const uint8_t orange[3] = {230, 159, 0};
    struct shw_image_file before, after;
    unsigned changed = 0;

    assert_int_equal(shw_image_file_read(place("images/a.png"), NULL, NULL, &before), SHW_OK);
    assert_int_equal(shw_image_file_read(place("out/a_detections.png"), NULL, NULL, &after), SHW_OK);
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        const int x = i % WIDTH, y = i / WIDTH;
        const uint8_t *pixel = (const uint8_t *)after.pixels + 3 * i;
        const bool on_border =
            (x >= 57 && x < 67 && (y == 27 || y == 36)) || (y >= 27 && y < 37 && (x == 57 || x == 66));

        if (on_border)
            assert_memory_equal(pixel, orange, 3);
        changed += memcmp(pixel, (const uint8_t *)before.pixels + 3 * i, 3) != 0;
        if (y >= 40)
            assert_memory_equal(pixel, (const uint8_t *)before.pixels + 3 * i, 3);
    }
    assert_in_range(changed, 2 * 36, 2 * (36 + 30 * 9));
    shw_image_file_free(&before);
    shw_image_file_free(&after);
}

TESTING_CASE(json_reports_each_image)
{
    struct run result = run("shadewood detect spot.ktx2 images/a.png images/none.png " SPOTS "-o json --json");
    json_t *report = parse_json(result.out), *image;

    assert_success(result);
    image = json_array_get(json_object_get(report, "images"), 0);
    assert_string_equal(json_string_value(json_object_get(image, "image")), "images/a.png");
    assert_int_equal(json_integer_value(json_object_get(image, "windows")), (WIDTH - 9) * (HEIGHT - 9));
    assert_int_equal(json_integer_value(json_object_get(image, "detections")), 2);
    assert_int_equal(json_integer_value(json_object_get(report, "detections")), 2);
    assert_string_equal(json_string_value(json_object_get(report, "technique")), "cpu");
    json_decref(report);
}

TESTING_CASE(errors_are_one_line)
{
    static const struct {
        const char *arguments, *text, *more;
        int code;
    } cases[] = {
        {"", "a cascade, and at least one image", NULL, 2},
        {"spot.ktx2", "a cascade, and at least one image", NULL, 2},
        {"missing.ktx2 images/a.png", "missing.ktx2", NULL, 1},
        {"images/a.png images/a.png", "images/a.png", NULL, 1},
        {"spot.ktx2 missing.png", "missing.png", NULL, 1},
        {"spot.ktx2 images/list.txt images/a.png", "same name", NULL, 2},
        {"spot.ktx2 images/a.png --angles 7", "--angles", "multiple of 11.25", 2},
        {"spot.ktx2 images/a.png --angles 0,45,0", "twice", NULL, 2},
        {"spot.ktx2 images/a.png --regroup 8,4", "--regroup", "increasing", 2},
        {"spot.ktx2 images/a.png --regroup 8 -t cpu", "--regroup", "compute", 2},
        {"spot.ktx2 images/a.png --variant shared -t fragment", "--variant", "compute", 2},
        {"spot.ktx2 images/a.png --variant mipmap --regroup 2", "--regroup", "--variant mipmap", 2},
        {"spot.ktx2 images/a.png --variant mipmap --survivors s.ktx2", "--survivors", "--variant", 2},
        {"spot.ktx2 images/a.png --format xml", "--format", "xml", 2},
        {"spot.ktx2 images/a.png --overlap 1.5", "--overlap", "at most 1", 2},
        {"spot.ktx2 images/a.png --group mean --overlap 0.5", "--overlap", "--group mean", 2},
        {"spot.ktx2 images/a.png --stride 0.5", "--stride", "pixels", 2},
        {"spot.ktx2 images/a.png --scale-factor 1.2", "--scale-factor", "pixels", 2},
        {"spot.ktx2 images/a.png --min-size 20 --max-size 10", "--max-size", "--min-size", 2},
        {"spot.ktx2 images/a.png --min-score 1e12", "--min-score", "from", 2},
        {"spot.ktx2 images/a.png --match-overlap 0.5", "--match-overlap", "--evaluate", 2},
        {"spot.ktx2 images/a.png --label face", "--label", "--evaluate", 2},
        {"spot.ktx2 images/a.png -e missing.csv", "missing.csv", NULL, 1},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct run result = run("shadewood detect %s -o errors", cases[i].arguments);

        assert_one_line(result, cases[i].code, cases[i].text, cases[i].more, NULL);
    }
    make_file("bad.csv", "a.png,1,2,3,4\na.png,1,2,three,4\n", 33);
    assert_one_line(run("shadewood detect spot.ktx2 -e bad.csv -o errors"), 1, "bad.csv", "2", "three", NULL);
}

/* One tree: at the centre a pixel that is brighter than the one at the left adds 1. */
TESTING_CASE(other_formats_are_read_as_they_are)
{
    static const char pico[] = "\x03\0\0\0\xff\xff\xff\xff\x01\0\0\0\x01\0\0\0" /* a tree of one test */
                               "\0\x80\0\0"                                     /* row, column, twice */
                               "\0\0\0\0\0\0\x80\x3f"                           /* 0, 1 */
                               "\0\0\0\x3f";                                    /* above 0.5 */

    make_file("left", pico, sizeof pico - 1);
    assert_success(run("shadewood import --from pico left -o left.ktx2 -q && "
                       "shadewood detect left.ktx2 images/b.png -t cpu -o imported -q && "
                       "shadewood detect left images/b.png -t cpu -o direct -q && "
                       "diff -r imported direct && wc -l <direct/detections.csv"));
    make_file("almost", pico, sizeof pico - 2);
    assert_one_line(run("shadewood detect almost images/b.png -o no"), 1, "almost", NULL);
    assert_one_line(run("shadewood detect images images/b.png -o no"), 1, "images", NULL);
}

/* An image that cannot be read leaves the others. */
TESTING_CASE(a_damaged_image_leaves_the_others)
{
    assert_success(run("mkdir mixed && cp images/b.png mixed && head -c 60 images/a.png >mixed/a.png"));
    assert_one_line(run("shadewood detect spot.ktx2 mixed " SPOTS "-o partly -q"), 1, "mixed/a.png", NULL);
    assert_file("partly/detections.csv", HEADER "mixed/b.png,37,17,10,10,1.0625,0,9\r\n");
    assert_one_line(run("shadewood detect spot.ktx2 mixed/a.png " SPOTS "-o none -q"), 1, "mixed/a.png", NULL);
    assert_int_equal(entry_count("none"), 0);
}

TESTING_CASE(an_image_too_large_is_named)
{
    const struct shw_image image = {
        .pixels = calloc(46341, 10), .width = 46341, .height = 10, .format = SHW_PIXEL_GREY8};

    assert_non_null(image.pixels);
    assert_int_equal(shw_png_write(place("wide.png"), &image, NULL), SHW_OK);
    free((void *)(uintptr_t)image.pixels);
    assert_one_line(run("shadewood detect spot.ktx2 wide.png images/a.png " SPOTS "-o wide --no-pictures -q"), 1,
                    "wide.png: an image of 46341 x 10", "46340", NULL);
    assert_file("wide/detections.csv", HEADER "images/a.png,7,7,10,10,1.0625,0,9\r\n"
                                              "images/a.png,57,27,10,10,0.0625,0,9\r\n");
}

#define FRAMES 12

/* A spot that moves by two pixels a frame, again and again. */
static void write_video(const char *name, int frames)
{
    const struct shw_video_params params = {.path = place(name), .width = WIDTH, .height = HEIGHT, .frame_rate = 25.0};
    const struct shw_log log = {0};
    struct shw_video_file *video;
    uint8_t rgb[3 * WIDTH * HEIGHT];
    enum shw_result result;

    if (is_for_windows())
        testing_skip("no FFmpeg");
    result = shw_video_create(&params, &log, &video);
    if (result == SHW_ERROR_UNSUPPORTED)
        testing_skip("no FFmpeg");
    assert_int_equal(result, SHW_OK);
    for (int i = 0; i < frames; i++) {
        draw_spots(rgb, &(struct spot){10 + 2 * (i % FRAMES), 20, 220}, 1);
        assert_int_equal(shw_video_add(video, rgb, i / 25.0), SHW_OK);
    }
    assert_int_equal(shw_video_close(&video), SHW_OK);
}

TESTING_CASE(videos_have_a_row_per_frame)
{
    char expected[2048] = "frame,seconds,x,y,width,height,score,angle,neighbours\r\n";

    write_video("walk.mp4", FRAMES);
    assert_success(run("shadewood detect spot.ktx2 walk.mp4 " SPOTS "-o video >said && cut -d, -f1-6 "
                       "video/walk_detections.csv >rows"));
    assert_file("said", "1 video with 12 frames, 12 detections, in video\n");
    strcpy(expected, "frame,seconds,x,y,width,height\n");
    for (int i = 0; i < FRAMES; i++)
        snprintf(expected + strlen(expected), sizeof expected - strlen(expected), "%d,0.%03d,%d,17,10,10\n", i, 40 * i,
                 7 + 2 * i);
    assert_success(run("tr -d '\\r' <rows >plain"));
    assert_file("plain", expected);
    assert_int_equal(entry_count("video"), 2);
}

/* The annotated video has the frames of the other, at their times, with a rectangle around the spot. */
TESTING_CASE(annotated_videos_can_be_read)
{
    const struct shw_log log = {0};
    struct shw_video_reader *reader;
    struct shw_video_frame frame;
    int count = 0;

    if (!exists("video/walk_detections.mp4"))
        testing_skip("no FFmpeg");
    assert_int_equal(shw_video_open(place("video/walk_detections.mp4"), &log, &reader), SHW_OK);
    for (;; count++) {
        assert_int_equal(shw_video_next(reader, &frame), SHW_OK);
        if (frame.image.pixels == NULL)
            break;
        assert_int_equal(frame.image.width, WIDTH);
        assert_int_equal(frame.image.height, HEIGHT);
        assert_true(frame.seconds > count / 25.0 - 1e-3 && frame.seconds < count / 25.0 + 1e-3);
        /* orange: much more red than blue */
        for (int y = 18; y < 26; y++) {
            const uint8_t *pixel = (const uint8_t *)frame.image.pixels + 3 * (y * WIDTH + 7 + 2 * count);
            assert_true(pixel[0] > pixel[2] + 60);
        }
        free((void *)(uintptr_t)frame.image.pixels);
    }
    assert_int_equal(count, FRAMES);
    shw_video_close_reader(&reader);
}

/* The video comes through a pipe that stays open, so that the program is in the middle of it when the signal comes: it
 * has its two outputs open, which have no names yet. */
TESTING_CASE(an_interrupted_video_leaves_nothing)
{
    struct run result;

    write_video("pipe.mkv", 20 * FRAMES);
    result =
        run("rm -rf cut && mkdir cut && mkfifo live.mkv || exit 9; "
            "{ cat pipe.mkv; exec sleep 100; } >live.mkv & writer=$!; "
            "\"$SHADEWOOD_PROGRAM\" detect spot.ktx2 live.mkv " SPOTS "-o cut -v & child=$!; "
            "until [ \"$(ls -l /proc/$child/fd | grep -c 'cut/')\" -ge 2 ] || ! kill -0 $child; do sleep 0.05; done; "
            "kill -TERM $child; wait $child; code=$?; kill $writer; echo interrupted; exit $code");
    assert_int_equal(result.code, 130);
    assert_string_equal(result.out, "interrupted\n");
    assert_int_equal(entry_count("cut"), 0);
}

TESTING_CASE(wrong_videos_are_refused)
{
    if (!exists("walk.mp4"))
        testing_skip("no FFmpeg");
    assert_success(run("head -c 300 walk.mp4 >short.mp4 && printf 'nothing of the kind' >text.mkv"));
    assert_one_line(run("shadewood detect spot.ktx2 short.mp4 " SPOTS "-o short"), 1, "short.mp4", NULL);
    assert_int_equal(entry_count("short"), 0);
    assert_one_line(run("shadewood detect spot.ktx2 text.mkv " SPOTS "-o text"), 1, "text.mkv", NULL);
    assert_int_equal(entry_count("text"), 0);
    assert_one_line(run("shadewood detect spot.ktx2 missing.mkv " SPOTS "-o text"), 1, "missing.mkv", NULL);
    make_file("one.csv", "images/a.png,7,7,10,10\n", 23);
    assert_one_line(run("shadewood detect spot.ktx2 walk.mp4 -e one.csv " SPOTS "-o text"), 2, "walk.mp4", "--evaluate",
                    NULL);
}

/* The program alone searches images, and says why it reads no videos. */
TESTING_CASE(videos_need_the_module)
{
    if (!exists("walk.mp4"))
        testing_skip("no FFmpeg");
    assert_success(run("mkdir alone && cp \"$SHADEWOOD_PROGRAM\" alone/shadewood"));
    assert_success(run("alone/shadewood detect spot.ktx2 images/b.png " SPOTS "-o alone/images -q"));
    assert_one_line(run("alone/shadewood detect spot.ktx2 walk.mp4 " SPOTS "-o alone/videos"), 1,
                    "walk.mp4 cannot be read: shadewood-video.so is neither beside the program nor in ", NULL);
    assert_int_equal(entry_count("alone/videos"), 0);
}

/* What is there in a module's place is named, with the reason. */
TESTING_CASE(broken_modules_are_named)
{
    static const struct {
        const char *make, *reason;
    } cases[] = {{": >broken/shadewood-video.so", "broken/shadewood-video.so: file too short"},
                 {"echo text >broken/shadewood-video.so", "broken/shadewood-video.so: file too short"},
                 {"mkdir broken/shadewood-video.so", "broken/shadewood-video.so is not a file"},
                 {"mkfifo broken/shadewood-video.so", "broken/shadewood-video.so is not a file"},
                 {"cp \"$(ldd \"$SHADEWOOD_PROGRAM\" | sed -n 's/.*=> \\(.*libz\\.so[^ ]*\\) .*/\\1/p')\" "
                  "broken/shadewood-video.so",
                  "broken/shadewood-video.so is not a module of this program"}};

    if (!exists("walk.mp4"))
        testing_skip("no FFmpeg");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_success(run("rm -rf broken && mkdir broken && cp \"$SHADEWOOD_PROGRAM\" broken/shadewood"));
        assert_success(run("%s", cases[i].make));
        assert_one_line(run("broken/shadewood detect spot.ktx2 walk.mp4 " SPOTS "-o broken/videos"), 1,
                        "walk.mp4 cannot be read: ", cases[i].reason, NULL);
    }
}

TESTING_FIXTURE(prepare_spots, NULL)
