#version 450
layout(location = 0) in flat uint number;
layout(location = 0) out vec4 colour;

void main()
{
    colour = vec4(float(number) / 255.0);
}
