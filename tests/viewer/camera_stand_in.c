/* A camera where there is none: preloaded, it answers the calls by which a program opens and reads /dev/video0.
 *
 * SHW_CAMERA describes it, whenever it is opened, in words of the form NAME=VALUE:
 *   formats=YUYV,MJPG  pixel formats; any four letters, _ for a space, but pictures are made of these two and of
 *                      Z16_ only (YUYV)
 *   rate=NUMBER        pictures per second, at first (50)
 *   burst=NUMBER       so many of them at once (1)
 *   late=MS            timestamps are so old when pictures come
 *   clock=real         timestamps are those of CLOCK_REALTIME
 *   stall=NUMBER       after so many pictures none comes any more
 *   gone=NUMBER        after so many pictures it vanishes, once ...
 *   away=MS            ... for so long (300)
 *   busy=1             another program uses it
 *   jpeg=FILE          what MJPG pictures are
 * Sizes are 64x48, 32x24 and everything that S_FMT rounds to them; YUYV pictures are grey, 16 + number % 200, and
 * depths of Z16 are 1000 + number % 200 + 10 times the pixel's number, but 0 at the first pixel. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include <linux/videodev2.h>

#define DEVICE      "/dev/video0"
#define BUFFERS_MAX 8u
#define ROOM        65536u /* bytes of a buffer */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct {
    int fd; /* of the memory of its buffers; 0: closed */
    uint8_t *memory;
    uint32_t width, height, format, count, rate;
    bool streams;
    struct {
        bool queued, filled;
        double captured;
        uint32_t number, bytes;
    } buffers[BUFFERS_MAX];
    double begun;    /* when streaming began */
    uint64_t due;    /* pictures since then */
    uint32_t number; /* of the next picture, over all times it was opened */
    uint32_t given;  /* pictures since it was opened */
    bool was_gone;   /* once */
    double back;     /* when it is there again; 0: it is there */
} camera;

static double clock_of(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static const char *word(const char *name, char *value, size_t size)
{
    const char *text = getenv("SHW_CAMERA");
    size_t length = strlen(name);

    for (; text != NULL && *text != '\0'; text += strcspn(text, " "), text += *text == ' ')
        if (strncmp(text, name, length) == 0 && text[length] == '=') {
            snprintf(value, size, "%.*s", (int)strcspn(text + length + 1, " "), text + length + 1);
            return value;
        }
    return NULL;
}

static unsigned number(const char *name, unsigned otherwise)
{
    char value[64];

    return word(name, value, sizeof value) != NULL ? (unsigned)strtoul(value, NULL, 10) : otherwise;
}

/* The format at that place of the list; 0: the list is shorter. */
static uint32_t format_at(uint32_t index)
{
    char text[64];
    const char *list = word("formats", text, sizeof text);

    list = list != NULL ? list : "YUYV";
    for (; index > 0 && *list != '\0'; index--)
        list += strcspn(list, ","), list += *list == ',';
    return strlen(list) >= 4 ? v4l2_fourcc(list[0], list[1], list[2], list[3] == '_' ? ' ' : list[3]) : 0;
}

static bool has_format(uint32_t format)
{
    for (uint32_t i = 0; format_at(i) != 0; i++)
        if (format_at(i) == format)
            return true;
    return false;
}

static void set_size(uint32_t width, uint32_t height)
{
    bool small = (uint64_t)width * height <= 40 * 30;

    camera.width = small ? 32 : 64;
    camera.height = small ? 24 : 48;
}

/* Another description is another camera, which is there. */
static void look_at_description(void)
{
    static char last[512];
    const char *text = getenv("SHW_CAMERA");

    if (strcmp(last, text != NULL ? text : "") == 0)
        return;
    snprintf(last, sizeof last, "%s", text != NULL ? text : "");
    camera.was_gone = false;
    camera.back = 0.0;
}

static bool is_gone(void)
{
    look_at_description();
    if (camera.back != 0.0 && clock_of(CLOCK_MONOTONIC) >= camera.back)
        camera.back = 0.0;
    return camera.back != 0.0;
}

static int open_camera(void)
{
    if (is_gone())
        return errno = ENOENT, -1;
    if (number("busy", 0) != 0 || camera.fd != 0)
        return errno = EBUSY, -1;
    camera.fd = memfd_create("camera", 0);
    if (camera.fd < 0 || ftruncate(camera.fd, ROOM * BUFFERS_MAX) != 0)
        return -1;
    camera.memory = mmap(NULL, ROOM * BUFFERS_MAX, PROT_READ | PROT_WRITE, MAP_SHARED, camera.fd, 0);
    camera.format = format_at(0);
    camera.rate = number("rate", 50);
    camera.count = camera.given = 0;
    camera.streams = false;
    set_size(64, 48);
    return camera.fd;
}

static void close_camera(void)
{
    munmap(camera.memory, ROOM * BUFFERS_MAX);
    memset(camera.buffers, 0, sizeof camera.buffers);
    camera.fd = 0;
    camera.streams = false;
}

static uint32_t paint(uint8_t *pixels, uint32_t picture)
{
    char path[512];
    FILE *file;
    size_t bytes = 0;

    if (camera.format == V4L2_PIX_FMT_MJPEG && word("jpeg", path, sizeof path) != NULL) {
        file = fopen(path, "rb");
        bytes = file != NULL ? fread(pixels, 1, ROOM, file) : 0;
        if (file != NULL)
            fclose(file);
        return (uint32_t)bytes;
    }
    for (uint32_t i = 0; camera.format == V4L2_PIX_FMT_Z16 && i < camera.width * camera.height; i++) {
        const uint32_t depth = i > 0 ? 1000 + picture % 200 + 10 * i : 0;
        pixels[2 * i] = (uint8_t)depth;
        pixels[2 * i + 1] = (uint8_t)(depth >> 8);
    }
    for (uint32_t i = 0; camera.format != V4L2_PIX_FMT_Z16 && i < camera.width * camera.height; i++) {
        pixels[2 * i] = (uint8_t)(16 + picture % 200);
        pixels[2 * i + 1] = 128;
    }
    return 2 * camera.width * camera.height;
}

/* Fills queued buffers with the pictures that have become due; those without a buffer are lost. */
static void capture(void)
{
    const double now = clock_of(CLOCK_MONOTONIC);
    const uint32_t burst = number("burst", 1), stall = number("stall", UINT32_MAX);
    uint64_t due = (uint64_t)((now - camera.begun) * camera.rate) / burst * burst;

    for (; camera.due < due && camera.given < stall; camera.due++, camera.given++) {
        const uint32_t picture = camera.number++;
        for (uint32_t b = 0; b < camera.count; b++) {
            if (!camera.buffers[b].queued || camera.buffers[b].filled)
                continue;
            camera.buffers[b].filled = true;
            camera.buffers[b].number = picture;
            camera.buffers[b].captured = now;
            camera.buffers[b].bytes = paint(camera.memory + ROOM * b, picture);
            break;
        }
    }
}

static void describe_buffer(uint32_t index, struct v4l2_buffer *buffer)
{
    char text[16];
    const bool real = word("clock", text, sizeof text) != NULL;
    double captured = camera.buffers[index].captured - 1e-3 * number("late", 0);

    if (real)
        captured += clock_of(CLOCK_REALTIME) - clock_of(CLOCK_MONOTONIC);
    buffer->index = index;
    buffer->type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    buffer->memory = V4L2_MEMORY_MMAP;
    buffer->m.offset = ROOM * index;
    buffer->length = ROOM;
    buffer->bytesused = camera.buffers[index].bytes;
    buffer->sequence = camera.buffers[index].number;
    buffer->flags = real ? 0 : V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC;
    buffer->timestamp.tv_sec = (time_t)captured;
    buffer->timestamp.tv_usec = (suseconds_t)((captured - (double)buffer->timestamp.tv_sec) * 1e6);
}

static int give_buffer(struct v4l2_buffer *buffer)
{
    uint32_t oldest = BUFFERS_MAX;

    if (!camera.was_gone && camera.given >= number("gone", UINT32_MAX)) {
        camera.was_gone = true;
        camera.back = clock_of(CLOCK_MONOTONIC) + 1e-3 * number("away", 300);
    }
    if (is_gone())
        return errno = ENODEV, -1;
    capture();
    for (uint32_t b = 0; b < camera.count; b++)
        if (camera.buffers[b].filled &&
            (oldest == BUFFERS_MAX || camera.buffers[b].number < camera.buffers[oldest].number))
            oldest = b;
    if (oldest == BUFFERS_MAX)
        return errno = EAGAIN, -1;
    camera.buffers[oldest].filled = camera.buffers[oldest].queued = false;
    describe_buffer(oldest, buffer);
    return 0;
}

static void fill_format(struct v4l2_pix_format *pix)
{
    pix->width = camera.width;
    pix->height = camera.height;
    pix->pixelformat = camera.format;
    pix->field = V4L2_FIELD_NONE;
    pix->bytesperline = camera.format != V4L2_PIX_FMT_MJPEG ? 2 * camera.width : 0;
    pix->sizeimage = camera.format != V4L2_PIX_FMT_MJPEG ? 2 * camera.width * camera.height : ROOM;
    pix->colorspace = V4L2_COLORSPACE_SRGB;
}

static void set_format(struct v4l2_pix_format *pix)
{
    if (has_format(pix->pixelformat))
        camera.format = pix->pixelformat;
    set_size(pix->width, pix->height);
    fill_format(pix);
}

static int set_rate(struct v4l2_captureparm *parameters, bool set)
{
    const struct v4l2_fract wanted = parameters->timeperframe;

    if (set && wanted.numerator > 0)
        camera.rate = wanted.denominator / wanted.numerator >= 40 ? 50 : 25;
    parameters->capability = V4L2_CAP_TIMEPERFRAME;
    parameters->timeperframe = (struct v4l2_fract){1, camera.rate};
    return 0;
}

static int stream(bool on)
{
    for (uint32_t b = 0; !on && b < camera.count; b++)
        camera.buffers[b].queued = camera.buffers[b].filled = false;
    camera.streams = on;
    camera.begun = clock_of(CLOCK_MONOTONIC);
    camera.due = 0;
    return 0;
}

static int answer(unsigned long request, void *data)
{
    struct v4l2_capability *capability = data;
    struct v4l2_fmtdesc *described = data;
    struct v4l2_frmsizeenum *size = data;
    struct v4l2_requestbuffers *wanted = data;
    struct v4l2_buffer *buffer = data;

    if (is_gone() && request != VIDIOC_DQBUF)
        return errno = ENODEV, -1;
    switch (request) {
    case VIDIOC_QUERYCAP:
        memset(capability, 0, sizeof *capability);
        strcpy((char *)capability->driver, "stand-in");
        strcpy((char *)capability->card, "stand-in");
        capability->capabilities = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING;
        return 0;
    case VIDIOC_G_INPUT: *(int *)data = 0; return 0;
    case VIDIOC_S_INPUT: return 0;
    case VIDIOC_ENUMINPUT:
        ((struct v4l2_input *)data)->std = 0;
        ((struct v4l2_input *)data)->type = V4L2_INPUT_TYPE_CAMERA;
        return 0;
    case VIDIOC_ENUM_FMT:
        described->pixelformat = format_at(described->index);
        return described->pixelformat != 0 ? 0 : (errno = EINVAL, -1);
    case VIDIOC_ENUM_FRAMESIZES:
        size->type = V4L2_FRMSIZE_TYPE_DISCRETE;
        size->discrete.width = size->index == 0 ? 64 : 32;
        size->discrete.height = size->index == 0 ? 48 : 24;
        return size->index < 2 ? 0 : (errno = EINVAL, -1);
    case VIDIOC_G_FMT: fill_format(&((struct v4l2_format *)data)->fmt.pix); return 0;
    case VIDIOC_TRY_FMT:
    case VIDIOC_S_FMT: set_format(&((struct v4l2_format *)data)->fmt.pix); return 0;
    case VIDIOC_G_PARM: return set_rate(&((struct v4l2_streamparm *)data)->parm.capture, false);
    case VIDIOC_S_PARM: return set_rate(&((struct v4l2_streamparm *)data)->parm.capture, true);
    case VIDIOC_REQBUFS:
        wanted->count = camera.count = wanted->count < BUFFERS_MAX ? wanted->count : BUFFERS_MAX;
        return 0;
    case VIDIOC_QUERYBUF:
        if (buffer->index >= camera.count)
            return errno = EINVAL, -1;
        describe_buffer(buffer->index, buffer);
        return 0;
    case VIDIOC_QBUF:
        if (buffer->index >= camera.count || camera.buffers[buffer->index].queued)
            return errno = EINVAL, -1;
        camera.buffers[buffer->index].queued = true;
        return 0;
    case VIDIOC_DQBUF: return camera.streams ? give_buffer(buffer) : (errno = EINVAL, -1);
    case VIDIOC_STREAMON: return stream(true);
    case VIDIOC_STREAMOFF: return stream(false);
    default: return errno = ENOTTY, -1;
    }
}

static void *next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

int open(const char *path, int flags, ...)
{
    int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...))next("open");
    va_list arguments;
    unsigned mode;
    int fd;

    va_start(arguments, flags);
    mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(arguments, unsigned) : 0;
    va_end(arguments);
    if (strcmp(path, DEVICE) != 0)
        return real(path, flags, mode);
    pthread_mutex_lock(&lock);
    fd = open_camera();
    pthread_mutex_unlock(&lock);
    return fd;
}

int open64(const char *path, int flags, ...)
{
    va_list arguments;
    unsigned mode;

    va_start(arguments, flags);
    mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(arguments, unsigned) : 0;
    va_end(arguments);
    return open(path, flags | O_LARGEFILE, mode);
}

int close(int fd)
{
    int (*real)(int) = (int (*)(int))next("close");

    pthread_mutex_lock(&lock);
    if (camera.fd != 0 && fd == camera.fd)
        close_camera();
    pthread_mutex_unlock(&lock);
    return real(fd);
}

int ioctl(int fd, unsigned long request, ...)
{
    int (*real)(int, unsigned long, ...) = (int (*)(int, unsigned long, ...))next("ioctl");
    va_list arguments;
    void *data;
    int result;

    va_start(arguments, request);
    data = va_arg(arguments, void *);
    va_end(arguments);
    pthread_mutex_lock(&lock);
    if (camera.fd == 0 || fd != camera.fd) {
        pthread_mutex_unlock(&lock);
        return real(fd, request, data);
    }
    result = answer(request & 0xffffffff, data);
    pthread_mutex_unlock(&lock);
    return result;
}

int stat(const char *restrict path, struct stat *restrict status)
{
    int (*real)(const char *, struct stat *) = (int (*)(const char *, struct stat *))next("stat");

    if (strcmp(path, DEVICE) != 0)
        return real(path, status);
    memset(status, 0, sizeof *status);
    status->st_mode = S_IFCHR | 0600;
    status->st_rdev = makedev(81, 0);
    return 0;
}
