//!CHANNEL mixed
//!PARAM r
//!MINIMUM 1
//!MAXIMUM 5
//!PASS light
//!MAXIMUM 5000
//!PASS spread-out
//!REACH r
//!MAXIMUM 3000
//!PASS dots
//!REACH 12
//!MAXIMUM 32767
//!OUTPUT first
//!REACH 2
//!MAXIMUM 4000
//!OUTPUT second
//!MAXIMUM 32767

// Passes that read images, other passes, or both; farther away than they say, which is moved into their reach.

int light()
{
    return red(0, 0) + 2 * green(0, 0) - blue(0, 0);
}

int spread_out()
{
    int total = 0;

    for (int dx = -r; dx <= r; dx++)
        total += light(dx, 0);
    return (total >> 2) - red(9, -1);
}

int dots()
{
    return light(12, 1) * 3 - light(-13, -12) + spread_out(0, 7);
}

int first()
{
    return (dots(-1, 2) >> 4) + spread_out(2, -9) - blue(1, 1);
}

int second()
{
    return dots(0, 0) - 5 * pixel_x();
}
