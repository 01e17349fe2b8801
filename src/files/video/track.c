#include "files/video/track.h"

#include <libavutil/avstring.h>

static bool is_depth(const AVStream *track)
{
    const AVCodecParameters *given = track->codecpar;

    return given->codec_type == AVMEDIA_TYPE_VIDEO &&
           (given->format == AV_PIX_FMT_GRAY16LE || given->format == AV_PIX_FMT_GRAY16BE);
}

/* As recorders of depth cameras call it, whose infrared pictures are 16-bit grey, too. */
static bool is_called_depth(const AVStream *track)
{
    const AVDictionaryEntry *title = av_dict_get(track->metadata, "title", NULL, 0);

    return title != NULL && av_stristr(title->value, "depth") != NULL;
}

/* -1: there is none. */
static int find_depth(const AVFormatContext *container)
{
    int found = -1;

    for (unsigned i = 0; i < container->nb_streams; i++)
        if (is_depth(container->streams[i]) &&
            (found < 0 || (is_called_depth(container->streams[i]) && !is_called_depth(container->streams[found]))))
            found = (int)i;
    return found;
}

/* -1: there is none. */
static int find_colour(const AVFormatContext *container)
{
    for (unsigned i = 0; i < container->nb_streams; i++) {
        const AVStream *track = container->streams[i];
        if (track->codecpar->codec_type == AVMEDIA_TYPE_VIDEO && !is_depth(track) &&
            (track->disposition & AV_DISPOSITION_ATTACHED_PIC) == 0)
            return (int)i;
    }
    return -1;
}

int shw_track_find(AVFormatContext *container, bool depth, const AVCodec **codec)
{
    int best = av_find_best_stream(container, AVMEDIA_TYPE_VIDEO, -1, -1, codec, 0), other;

    if (best < 0 || (!depth && !is_depth(container->streams[best])))
        return best;
    other = depth ? find_depth(container) : find_colour(container);
    if (other < 0 && !depth)
        other = find_depth(container);
    return other >= 0 ? av_find_best_stream(container, AVMEDIA_TYPE_VIDEO, other, -1, codec, 0)
                      : AVERROR_STREAM_NOT_FOUND;
}
