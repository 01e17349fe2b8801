#version 450
/* The weight that blending adds for a sample. */
layout(location = 0) flat in float weight;
layout(location = 0) out float sum;

void main()
{
    sum = weight;
}
