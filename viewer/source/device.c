#include "source/device.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#include <libavcodec/avcodec.h>

#include "base/log.h"

/* A timestamp belongs to a clock if it is this near to it. */
#define PAST_SECONDS   60.0
#define FUTURE_SECONDS 0.1
#define RATE_TOLERANCE 0.01
/* After so long without a picture, a device is said to send none. */
#define STALL_SECONDS 2.0
#define WAIT_NS       2000000

int view_device_options(const struct view_camera_choice *choice, AVDictionary **options)
{
    char text[64];
    int error = 0;

    if (choice->width > 0) {
        snprintf(text, sizeof text, "%ux%u", choice->width, choice->height);
        error = av_dict_set(options, "video_size", text, 0);
    }
    if (choice->rate > 0.0 && error >= 0) {
        const AVRational rate = av_d2q(choice->rate, 1001000);
        snprintf(text, sizeof text, "%d/%d", rate.num, rate.den);
        error = av_dict_set(options, "framerate", text, 0);
    }
    if (choice->format[0] != '\0' && error >= 0)
        error = av_dict_set(options, "input_format", choice->format, 0);
    return error;
}

static double seconds_of(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool is_near(double timestamp, double now)
{
    return timestamp > now - PAST_SECONDS && timestamp < now + FUTURE_SECONDS;
}

/* When a picture was captured, by the device's timestamp if that is near either clock, otherwise now. */
static double find_captured(double timestamp)
{
    const double monotonic = seconds_of(CLOCK_MONOTONIC), real = seconds_of(CLOCK_REALTIME);

    if (is_near(timestamp, monotonic))
        return timestamp;
    return is_near(timestamp, real) ? timestamp - real + monotonic : monotonic;
}

void view_device_opened(struct view_device *device)
{
    device->fed = seconds_of(CLOCK_MONOTONIC);
    device->told_stall = false;
}

/* Packets that wait behind the first one are newer. */
static int read_newest(struct view_device *device, AVFormatContext *container, enum AVCodecID codec, AVPacket *packet)
{
    const AVCodecDescriptor *descriptor = avcodec_descriptor_get(codec);
    int error = av_read_frame(container, packet);

    if (descriptor == NULL || (descriptor->props & AV_CODEC_PROP_INTRA_ONLY) == 0)
        return error;
    while (error >= 0 && av_read_frame(container, device->spare) >= 0) {
        av_packet_unref(packet);
        av_packet_move_ref(packet, device->spare);
    }
    return error;
}

bool view_device_read(struct view_device *device, AVFormatContext *container, enum AVCodecID codec, AVPacket *packet,
                      const char *name, const struct shw_log *log)
{
    const double now = seconds_of(CLOCK_MONOTONIC);
    int error = read_newest(device, container, codec, packet);

    if (error >= 0) {
        device->fed = now;
        device->told_stall = false;
        return true;
    }
    if (error != AVERROR(EAGAIN)) {
        device->lost = error;
        return false;
    }
    if (!device->told_stall && now - device->fed > STALL_SECONDS) {
        shw_log_message(log, SHW_LOG_WARNING, SHW_LOG_FILE_READ, "%s sends no pictures; it is waited for", name);
        device->told_stall = true;
    }
    nanosleep(&(struct timespec){.tv_nsec = WAIT_NS}, NULL);
    return false;
}

double view_device_note(struct view_device *device, double timestamp)
{
    device->captured = find_captured(timestamp);
    if (device->first == 0.0)
        device->first = device->captured;
    return device->captured - device->first;
}

void view_device_compare(const struct view_camera_choice *choice, const AVStream *track, const char *name,
                         const struct shw_log *log)
{
    const AVCodecParameters *given = track->codecpar;
    const double rate = track->avg_frame_rate.den > 0 ? av_q2d(track->avg_frame_rate) : 0.0;

    if (choice->width > 0 && ((uint32_t)given->width != choice->width || (uint32_t)given->height != choice->height))
        shw_log_message(log, SHW_LOG_WARNING, SHW_LOG_FILE_OPEN,
                        "%s: the camera gives pictures of %d x %d, not %u x %u", name, given->width, given->height,
                        choice->width, choice->height);
    if (choice->rate > 0.0 && rate > 0.0 && fabs(rate / choice->rate - 1.0) > RATE_TOLERANCE)
        shw_log_message(log, SHW_LOG_WARNING, SHW_LOG_FILE_OPEN,
                        "%s: the camera gives %.4g pictures per second, not %.4g", name, rate, choice->rate);
}
