//!CHANNEL derivative
//!PASS brightness
//!MAXIMUM 4080
//!PASS row
//!REACH 6
//!MAXIMUM 32767
//!OUTPUT derivative
//!REACH 6
//!MAXIMUM 4080
//!FRACTION 4
//!MIRROR negated

// The derivative of a Gaussian of sigma 2 in x, on the brightness: the same as the library's dx:2. Rows are filtered
// first, then columns of what came of it. Weights are halves of kernels, from the middle outwards.
const int GAUSS[7] = {3272, 2887, 1984, 1062, 443, 144, 36};
const int FIRST[7] = {0, 3710, 5099, 4095, 2276, 924, 280};

int brightness()
{
    return luma(0, 0);
}

// With 7 fraction bits.
int row()
{
    int total = 0;

    for (int dx = 1; dx <= 6; dx++)
        total += FIRST[dx] * (brightness(dx, 0) - brightness(-dx, 0));
    return (total + 1024) >> 11;
}

int derivative()
{
    int total = GAUSS[0] * row(0, 0);

    for (int dy = 1; dy <= 6; dy++)
        total += GAUSS[dy] * (row(0, dy) + row(0, -dy));
    return (total + 65536) >> 17;
}
