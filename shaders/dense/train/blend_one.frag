#version 450
/* The value that blending adds for a point. */
layout(location = 0) out float one;

void main()
{
    one = 1.0;
}
