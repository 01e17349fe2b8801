//!FEATURE own-mean-difference
//!LABEL difference of means
//!PARAM alone
//!TYPE single
//!PARAM channel
//!TYPE channel
//!PARAM area
//!TYPE rectangle
//!OF channel
//!PARAM other
//!TYPE channel
//!PARAM around
//!TYPE rectangle
//!OF other

// The mean of a channel over one rectangle minus that of another over a second one: the same as the library's
// mean-difference.
int response()
{
    return mean(channel, area) - (alone ? 0 : mean(other, around));
}
