//!CHANNEL edge
//!PARAM distance
//!MINIMUM 1
//!MAXIMUM 4
//!REACH distance
//!OUTPUT edge
//!MAXIMUM 4080
//!FRACTION 4
//!MIRROR negated
//!OUTPUT abs-edge
//!MAXIMUM 4080
//!FRACTION 4
//!MIRROR same

// The brightness of the pixel `distance` to the right minus that of the pixel as far to the left, and the magnitude of
// the difference. The same as examples/extend/edge.h with edge.c.
int edge()
{
    return luma(distance, 0) - luma(-distance, 0);
}

int abs_edge()
{
    return abs(edge());
}
