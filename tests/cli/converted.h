/* Frames whose every pixel is known, as sources of `shadewood convert`, and data sets that are checked against them. */
#ifndef SHW_TESTS_CLI_CONVERTED_H
#define SHW_TESTS_CLI_CONVERTED_H

#include "files/dataset/dataset.h"
#include "program.h"

enum { WIDTH = 6, HEIGHT = 4, PIXELS = WIDTH * HEIGHT };

void write_image(const char *name, enum shw_pixel_format format, uint32_t width, uint32_t height, const void *pixels);

/* Pixel (x, y) of frame f of every test source: no two are the same. */
uint8_t colour_of(uint32_t frame, uint32_t x, uint32_t y, uint32_t component);

uint32_t millimetres_of(uint32_t frame, uint32_t x, uint32_t y);

uint32_t label_of(uint32_t frame, uint32_t x, uint32_t y);

void fill(uint32_t frame, uint32_t units, uint8_t *colours, uint16_t *depth, uint16_t *labels);

/* Checks an example with all its pixels; `class_of[label]` may be SHW_LABEL_VOID. */
void check_example(const struct shw_dataset *dataset, uint32_t index, uint32_t frame, const char *name,
                   const uint16_t *class_of);

struct shw_dataset open_set(const char *folder, bool labelled);

void assert_output(struct run result, const char *text);

#endif
