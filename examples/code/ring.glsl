//!FEATURE ring
//!LABEL mean of a ring
//!READS channels
//!PARAM channel
//!TYPE channel
//!PARAM other
//!TYPE channel
//!PARAM radius
//!MINIMUM 1
//!MAXIMUM 12
//!PARAM centre
//!TYPE offset
//!REACH centre.x - radius, centre.y - radius, centre.x + radius + 1, centre.y + radius + 1

// The mean of a channel at the eight directions of a ring around a position, minus another channel at the position.
const int COUNT = 8;

int at(int direction)
{
    int dx = direction == 0 || direction == 4 ? 0 : direction < 4 ? radius : -radius;
    int dy = direction == 2 || direction == 6 ? 0 : direction > 2 && direction < 6 ? radius : -radius;

    return value(channel, centre.x + dx, centre.y + dy);
}

int response()
{
    int total = 0;

    for (int i = 0; i < COUNT; i++)
        total += at(i);
    return total / COUNT - value(other, centre.x, centre.y);
}
