//!FEATURE own-pixel-difference
//!LABEL difference of pixels
//!READS channels
//!PARAM alone
//!TYPE single
//!PARAM channel
//!TYPE channel
//!PARAM here
//!TYPE rectangle
//!OF channel
//!MAXIMUM 1
//!PARAM other
//!TYPE channel
//!PARAM there
//!TYPE rectangle
//!OF other
//!MAXIMUM 1

// A channel at one pixel minus a channel at another: the same as the library's pixel-difference.
int response()
{
    return corner(channel, here) - (alone ? 0 : corner(other, there));
}
