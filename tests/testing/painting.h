/* Projects painted at random, for tests. */
#ifndef SHW_TESTING_PAINTING_H
#define SHW_TESTING_PAINTING_H

#include "testing/testing.h"

#include "files/project/project.h"

/* A picture of three areas of different colours with noise, saved as PNG file `path`; width * height * 3 bytes of it in
 * the return value, to be freed with free(). */
uint8_t *testing_paint_scene(const char *path, uint32_t width, uint32_t height, uint64_t seed);

/* A random stroke on a picture: of a class or the eraser, inside and outside the picture. */
void testing_paint_stroke(struct shw_project *project, uint32_t picture, struct testing_random *random);

/* Writes the labels of a picture as a PNG file: palette indices, with the one after the last class for unlabelled
 * pixels; from 256 classes, 16-bit grey values, with 65535 for unlabelled pixels. */
void testing_write_labels(struct shw_project *project, uint32_t picture, const char *path);

/* A short stroke of a class in its area of the scene, `place` of 100 down from the top. */
void testing_paint_area(struct shw_project *project, uint32_t picture, uint32_t number, uint32_t place);

/* So many strokes of every class on both pictures of testing_paint_project(). */
void testing_paint_areas(struct shw_project *project, uint32_t rows);

/* The labels of a picture, row by row; valid until the eighth call after this one. */
const uint16_t *testing_labels(struct shw_project *project, uint32_t picture);

/* Fails the test unless labels and top strokes are what looking at every pixel and every stroke gives. */
void testing_check_labels(struct shw_project *project, uint32_t picture);

/* A project of three classes and of pictures b.png, a.png of that scene (seeds 2 and 1), as files in the test's folder
 * and not painted on; small forests on channels R, G, B. */
struct shw_project *testing_paint_project(uint32_t width, uint32_t height, const struct shw_log *log);

/* The hash of the forest that the project's strokes make, grown in one go by `cpu`. */
uint64_t testing_paint_train(struct shw_project *project);

#endif
