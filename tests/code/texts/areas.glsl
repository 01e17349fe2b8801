//!FEATURE areas
//!PARAM c
//!TYPE channel
//!PARAM a
//!TYPE rectangle
//!OF c
//!MAXIMUM 7
//!PARAM b
//!TYPE rectangle
//!OF c
//!PARAM s
//!TYPE single

int side(int x)
{
    int table[4] = {abs(x), x, -x, 3};
    return table[x & 3] + (x < 0 ? 1 : 0);
}

int response()
{
    return s ? sum(c, a) : side(mean(c, a) - mean(c, b)) * 2 - quotient(sum(c, b), 16);
}

bool undefined()
{
    return mean(c, b) % 4u == 0u;
}
