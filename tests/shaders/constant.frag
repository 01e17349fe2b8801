#version 450
layout(location = 0) out float value;

void main()
{
    value = 3.0;
}
