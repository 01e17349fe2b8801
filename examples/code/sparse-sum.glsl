//!FEATURE sparse-sum
//!LABEL sum with gaps
//!READS integrals
//!PARAM channel
//!TYPE channel
//!PARAM area
//!TYPE rectangle
//!OF channel

// The sum of a channel over one rectangle. It is undefined at every third pixel of a row, like the values of a sensor
// with gaps. The same as examples/extend/sparse_sum.h with sparse_sum.c.
int response()
{
    return sum(channel, area);
}

bool undefined()
{
    uint place = uint(pixel_x()) + uint(pixel_y()) + channel;
    return place % 3u == 0u;
}
