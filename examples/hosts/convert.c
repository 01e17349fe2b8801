/* Frames of luma and chroma as pictures, converted on the host: what the tests of the hosts compare with. Part of
 * Shadewood; MIT licence, see LICENSE.
 *
 *     convert nv12|yuv420p|yuv420p10 WIDTH HEIGHT bt601|bt709 NAME < FRAMES
 *
 * FRAMES are in limited range, one after the other without padding. NAME1.ppm and so on have 8 bits, of yuv420p10 16.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/shadewood.h>

static void write_picture(const char *name, int number, const struct shw_ycbcr_image *frame)
{
    const bool wide = frame->encoding.bits > 8;
    const size_t count = (size_t)3 * frame->width * frame->height;
    uint8_t *pixels = malloc(count * 2);
    char path[1024];
    FILE *stream;

    snprintf(path, sizeof path, "%s%d.ppm", name, number);
    stream = fopen(path, "wb");
    if (stream == NULL || pixels == NULL ||
        shw_ycbcr_convert(frame, wide ? SHW_PIXEL_RGB16 : SHW_PIXEL_RGB8, pixels, 0, NULL) != SHW_OK) {
        fprintf(stderr, "%s: %s\n", path, shw_last_error());
        exit(1);
    }
    fprintf(stream, "P6\n%u %u\n%d\n", frame->width, frame->height, wide ? 65535 : 255);
    for (size_t i = 0; i < count; i++)
        if (wide) {
            fputc(((uint16_t *)(void *)pixels)[i] >> 8, stream);
            fputc(((uint16_t *)(void *)pixels)[i] & 255, stream);
        } else {
            fputc(pixels[i], stream);
        }
    fclose(stream);
    free(pixels);
}

int main(int argc, char **argv)
{
    struct shw_ycbcr_image frame = {.encoding = {.bits = 8}};
    size_t luma, chroma;
    uint8_t *bytes;

    if (argc != 6) {
        fprintf(stderr, "usage: convert nv12|yuv420p|yuv420p10 WIDTH HEIGHT bt601|bt709 NAME < FRAMES\n");
        return 2;
    }
    frame.interleaved = strcmp(argv[1], "nv12") == 0;
    frame.encoding.bits = strcmp(argv[1], "yuv420p10") == 0 ? 10 : 8;
    frame.encoding.in_low_bits = true;
    frame.encoding.matrix = strcmp(argv[4], "bt601") == 0 ? SHW_YCBCR_BT601 : SHW_YCBCR_BT709;
    frame.width = (uint32_t)atoi(argv[2]);
    frame.height = (uint32_t)atoi(argv[3]);
    frame.chroma_width = (frame.width + 1) / 2;
    frame.chroma_height = (frame.height + 1) / 2;
    luma = (size_t)frame.width * frame.height * (frame.encoding.bits > 8 ? 2 : 1);
    chroma = (size_t)frame.chroma_width * frame.chroma_height * (frame.encoding.bits > 8 ? 2 : 1);
    bytes = malloc(luma + 2 * chroma);
    frame.luma = bytes;
    frame.cb = bytes + luma;
    frame.cr = frame.interleaved ? NULL : bytes + luma + chroma;
    for (int number = 1; bytes != NULL && fread(bytes, luma + 2 * chroma, 1, stdin) == 1; number++)
        write_picture(argv[5], number, &frame);
    free(bytes);
    return 0;
}
