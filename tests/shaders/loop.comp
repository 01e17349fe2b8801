#version 450
/* A loop for the test that looks for branches in loops: by WITH with none, or with one of each kind. */
#define PLAIN  0
#define IF     1
#define AND    2
#define SWITCH 3
#define BREAK  4
#define CALLED 5
#define NESTED 6

layout(std430, set = 0, binding = 0) buffer Data {
    uint value;
    uint count;
};

uint step_of(uint x)
{
#if WITH == CALLED
    if (x > 7u)
        return x / 2u;
#endif
    return x + uint(x < 7u);
}

void main()
{
    uint x = value;
    for (uint i = 0u; i < count; ++i) {
        x = step_of(x);
#if WITH == IF
        if ((x & 1u) == 1u)
            x *= 3u;
#elif WITH == AND
        x += uint(x > i && value > step_of(i));
#elif WITH == SWITCH
        switch (x) {
        case 0u: x = 5u; break;
        default: x = 6u; break;
        }
#elif WITH == BREAK
        if (x > 1000u)
            break;
#elif WITH == NESTED
        for (uint j = 0u; j < i; ++j)
            x += j;
#endif
    }
    if (x > 2u) /* outside of the loop nothing is forbidden */
        value = x;
}
