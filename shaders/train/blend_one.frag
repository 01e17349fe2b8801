#version 450
/* What blending adds for a point. */
layout(location = 0) out float one;

void main()
{
    one = 1.0;
}
