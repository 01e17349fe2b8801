//!CHANNEL derivative
//!REACH 6
//!OUTPUT derivative
//!MAXIMUM 4080
//!FRACTION 4
//!MIRROR negated

// The derivative of a Gaussian of sigma 2 in x, on the brightness: the same as the library's dx:2. Weights are halves of
// kernels, from the middle outwards.
const int GAUSS[7] = {3272, 2887, 1984, 1062, 443, 144, 36};
const int FIRST[7] = {0, 3710, 5099, 4095, 2276, 924, 280};

// One row, with 7 fraction bits.
int row(int dy)
{
    int total = 0;

    for (int dx = 1; dx <= 6; dx++)
        total += FIRST[dx] * (luma(dx, dy) - luma(-dx, dy));
    return (total + 1024) >> 11;
}

int derivative()
{
    int total = GAUSS[0] * row(0);

    for (int dy = 1; dy <= 6; dy++)
        total += GAUSS[dy] * (row(dy) + row(-dy));
    return (total + 65536) >> 17;
}
