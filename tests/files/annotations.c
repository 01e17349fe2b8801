/* Files of annotated rectangles. */
#include "testing/testing.h"

#include <stdio.h>
#include <string.h>

#include "files/dataset/annotations.h"

static struct shw_annotations decode(const char *text, const char *label)
{
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_annotations annotations = {0};

    assert_int_equal(shw_annotations_decode(text, strlen(text), "a", "in", label, &log, &annotations), SHW_OK);
    assert_int_equal(memory.errors, 0);
    return annotations;
}

static void expect(const struct shw_annotations *annotations, uint32_t image, uint32_t object, int32_t x, int32_t y,
                   uint32_t width, uint32_t height, const char *label)
{
    const struct shw_annotated_image *of = &annotations->images[image];
    const struct shw_annotated_object *is = &annotations->objects[of->first_object + object];

    assert_true(image < annotations->image_count && object < of->object_count);
    assert_int_equal(is->x, x);
    assert_int_equal(is->y, y);
    assert_int_equal(is->width, width);
    assert_int_equal(is->height, height);
    if (label == NULL)
        assert_int_equal(is->label, SHW_NO_OBJECT_LABEL);
    else
        assert_string_equal(annotations->labels[is->label], label);
}

static const char csv[] = "\xef\xbb\xbfimage,x,y,width,height,label\r\n"
                          "one.png,1,2,3,4,face\r\n"
                          "# between\r\n"
                          "\"a \"\"b\"\", c.png\",-5,0.5,2.5,2.49,\"hand, left\"\n"
                          "\n"
                          "none.png\n"
                          "empty.png,,,,,\n"
                          "one.png,10,20,0.2,1e1,face\n"
                          "/abs.png,0,0,1,1";

TESTING_CASE(test_csv)
{
    struct shw_annotations annotations = decode(csv, NULL);

    assert_int_equal(annotations.image_count, 5);
    assert_int_equal(annotations.object_count, 4);
    assert_string_equal(annotations.images[0].name, "one.png");
    assert_string_equal(annotations.images[0].path, "in/one.png");
    assert_string_equal(annotations.images[1].path, "in/a \"b\", c.png");
    assert_string_equal(annotations.images[4].path, "/abs.png");
    expect(&annotations, 0, 0, 1, 2, 3, 4, "face");
    expect(&annotations, 0, 1, 10, 20, 1, 10, "face");
    expect(&annotations, 1, 0, -5, 1, 3, 2, "hand, left");
    expect(&annotations, 4, 0, 0, 0, 1, 1, NULL);
    assert_int_equal(annotations.images[2].object_count, 0);
    assert_int_equal(annotations.images[3].object_count, 0);
    shw_annotations_free(&annotations);
    assert_null(annotations.images);
}

/* As our own files write names: with lines and blanks that are their own. */
TESTING_CASE(test_odd_names)
{
    struct shw_annotations annotations = decode("\"a\nb.png\",1,2,3,4,\"x\r\ny\"\n c.png ,1,2,3,4, x\n", NULL);

    assert_int_equal(annotations.image_count, 2);
    assert_string_equal(annotations.images[0].name, "a\nb.png");
    assert_string_equal(annotations.images[1].name, " c.png ");
    expect(&annotations, 0, 0, 1, 2, 3, 4, "x\r\ny");
    expect(&annotations, 1, 0, 1, 2, 3, 4, " x");
    assert_int_equal(annotations.objects[annotations.images[1].first_object].line, 4);
    shw_annotations_free(&annotations);
}

TESTING_CASE(test_label)
{
    struct shw_annotations annotations = decode(csv, "face");

    assert_int_equal(annotations.image_count, 5);
    assert_int_equal(annotations.object_count, 2);
    assert_int_equal(annotations.images[0].object_count, 2);
    assert_int_equal(annotations.images[1].object_count, 0);
    shw_annotations_free(&annotations);
}

static const char coco[] =
    " {\"info\": 3, \"images\": [{\"id\": 7, \"file_name\": \"b.png\", \"width\": 1}, {\"id\": -1, \"file_name\": "
    "\"a.png\"}],\n \"categories\": [{\"id\": 3, \"name\": \"cat\"}, {\"id\": 1, \"name\": \"dog\"}],\n "
    "\"annotations\": "
    "[{\"image_id\": -1, \"category_id\": 1, \"bbox\": [1.5, 2, 3, 4.2]}, {\"image_id\": 7, \"category_id\": 3, "
    "\"bbox\": [0, 0, 9, 9], \"iscrowd\": 1}, {\"image_id\": -1, \"category_id\": 3, \"bbox\": [5, 6, 7, 8]}]}";

TESTING_CASE(test_coco)
{
    struct shw_annotations annotations = decode(coco, NULL);

    assert_int_equal(annotations.image_count, 2);
    assert_string_equal(annotations.images[0].name, "b.png");
    assert_int_equal(annotations.label_count, 2);
    expect(&annotations, 0, 0, 0, 0, 9, 9, "cat");
    assert_true(annotations.objects[annotations.images[0].first_object].is_crowd);
    expect(&annotations, 1, 0, 2, 2, 3, 4, "dog");
    expect(&annotations, 1, 1, 5, 6, 7, 8, "cat");
    shw_annotations_free(&annotations);
    annotations = decode(coco, "dog");
    assert_int_equal(annotations.object_count, 1);
    assert_int_equal(annotations.image_count, 2);
    shw_annotations_free(&annotations);
}

TESTING_CASE(test_refused)
{
    static const struct {
        const char *text, *label, *part;
    } cases[] = {
        {"", NULL, "names no image"},
        {"a.png,1,2,3\n", NULL, "a, line 1: fewer than five fields: the columns are image,x,y,width,height[,label]"},
        {"file,left,top,right,bottom\na.png,1,2,3,4\n", NULL,
         "a, line 1: the columns are not those of image,x,y,width,height[,label], separated by commas"},
        {"image,x,y\na.png,1,2\n", NULL, "a, line 1: the columns are not those of image,x,y,width,height[,label]"},
        {"image;x;y;width;height\na.png;1;2;3;4\n", NULL, "a, line 1: the columns are not those of image,x,y,width"},
        {"\na.png,1,2,x,4\n", NULL, "a, line 2: width is \"x\", not a number"},
        {"a.png,1,2,,4\n", NULL, "width is \"\""},
        {"a.png,1,2,nan,4\n", NULL, "beyond 65535"},
        {"a.png,1,2,1e9,4\n", NULL, "beyond 65535"},
        {"a.png,1,2,0,4\n", NULL, "not positive"},
        {"a.png,1,2,3,-4\n", NULL, "not positive"},
        {",1,2,3,4\n", NULL, "name of the image is missing"},
        {"a,1,2,3,4,5,6\n", NULL, "more than six fields: the columns are image,x,y,width,height[,label]"},
        {"\"a,1,2,3,4\n", NULL, "not closed"},
        {"\"a\"b,1,2,3,4\n", NULL, "after a closing"},
        {"a.png,1,2,3,4\n", "face", "have no labels"},
        {"a.png,1,2,3,4,hand\n", "face", "no object is labelled face; the first label is hand"},
        {"{", NULL, "not JSON: line 1"},
        {"{}", NULL, "list \"images\""},
        {"{\"images\": [{}]}", NULL, "entry 0 of \"images\" has no \"id\""},
        {"{\"images\": [{\"id\": 1, \"file_name\": \"\"}]}", NULL, "has no \"file_name\""},
        {"{\"images\": [{\"id\": 1, \"file_name\": \"a\"}, {\"id\": 1, \"file_name\": \"b\"}]}", NULL, "have the id 1"},
        {"{\"images\": [{\"id\": 1, \"file_name\": \"a\"}]}", NULL, "list \"categories\""},
        {"{\"images\": [{\"id\": 1, \"file_name\": \"a\"}], \"categories\": []}", NULL, "list \"annotations\""},
        {"{\"images\": [{\"id\": 1, \"file_name\": \"a\"}], \"categories\": [], \"annotations\": [{\"image_id\": 2}]}",
         NULL, "entry 0 of \"annotations\" has no \"image_id\""},
        {"{\"images\": [{\"id\": 1, \"file_name\": \"a\"}], \"categories\": [{\"id\": 1, \"name\": \"n\"}], "
         "\"annotations\": [{\"image_id\": 1, \"category_id\": 1, \"bbox\": [1, 2, 3]}]}",
         NULL, "has no \"bbox\""},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct testing_log memory;
        struct shw_log log = testing_log(&memory);
        struct shw_annotations annotations = {0};

        assert_int_equal(
            shw_annotations_decode(cases[i].text, strlen(cases[i].text), "a", "", cases[i].label, &log, &annotations),
            SHW_ERROR_FORMAT);
        assert_int_equal(memory.count[SHW_LOG_DATASET], 1);
        if (strstr(memory.last, cases[i].part) == NULL)
            fail_msg("case %zu: %s", i, memory.last);
        assert_null(annotations.images);
    }
}

TESTING_CASE(test_file)
{
    const char *path = testing_path("faces.csv");
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_annotations annotations;
    FILE *file = fopen(path, "w");
    char expected[4096];

    assert_non_null(file);
    fputs("x.png,1,2,3,4\n", file);
    fclose(file);
    assert_int_equal(shw_annotations_read(path, NULL, NULL, &log, &annotations), SHW_OK);
    snprintf(expected, sizeof expected, "%.*s/x.png", (int)(strrchr(path, '/') - path), path);
    assert_string_equal(annotations.images[0].path, expected);
    shw_annotations_free(&annotations);
    assert_int_equal(shw_annotations_read(path, "other", NULL, &log, &annotations), SHW_OK);
    assert_string_equal(annotations.images[0].path, "other/x.png");
    shw_annotations_free(&annotations);
    assert_int_equal(shw_annotations_read(testing_path("none"), NULL, NULL, &log, &annotations), SHW_ERROR_IO);
}

/* They stay in what is read, for the viewer, and are left out of what is trained on and measured. */
TESTING_CASE(false_alarms_are_no_objects)
{
    struct shw_annotations annotations =
        decode("a.png,1,2,3,4,face\na.png,5,6,7,8,false-alarm\nb.png,1,1,2,2,false-alarm\n", NULL);
    struct shw_annotations joined;

    assert_int_equal(annotations.object_count, 3);
    assert_false(annotations.objects[0].is_wrong);
    assert_true(annotations.objects[1].is_wrong && annotations.objects[2].is_wrong);
    assert_int_equal(shw_annotations_join(&annotations, 1, NULL, &joined), SHW_OK);
    assert_int_equal(joined.image_count, 2);
    assert_int_equal(joined.object_count, 1);
    expect(&joined, 0, 0, 1, 2, 3, 4, NULL);
    assert_int_equal(joined.images[1].object_count, 0);
    shw_annotations_free(&joined);
    shw_annotations_free(&annotations);
}
