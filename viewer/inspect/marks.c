#include "inspect/marks.h"

#include <string.h>

#include "base/array.h"

static const uint8_t black[3] = {0, 0, 0};

/* A rectangle in pixels of the canvas, x0 <= x < x1. */
struct box {
    int64_t x0, y0, x1, y1;
};

/* The first pixel of the canvas whose centre is at or after that edge of the picture. */
static int64_t edge(int64_t pixel, int32_t offset, uint32_t zoom)
{
    int64_t at = pixel * zoom + offset - VIEW_ZOOM_ONE / 2;

    return at >= 0 ? (at + VIEW_ZOOM_ONE - 1) / VIEW_ZOOM_ONE : -(-at / VIEW_ZOOM_ONE);
}

static struct box place_box(const struct shw_image_rectangle *rectangle, const struct view_place *place)
{
    struct box box = {
        edge(rectangle->x0, place->offset_x, place->zoom), edge(rectangle->y0, place->offset_y, place->zoom),
        edge(rectangle->x1, place->offset_x, place->zoom), edge(rectangle->y1, place->offset_y, place->zoom)};

    box.x1 = box.x1 > box.x0 ? box.x1 : box.x0 + 1;
    box.y1 = box.y1 > box.y0 ? box.y1 : box.y0 + 1;
    return box;
}

/* Adds the part of the box that is on the canvas; returns the number of rectangles added. */
static uint32_t clip(struct box box, VkExtent2D canvas, VkClearRect *rect)
{
    box.x0 = box.x0 > 0 ? box.x0 : 0;
    box.y0 = box.y0 > 0 ? box.y0 : 0;
    box.x1 = box.x1 < canvas.width ? box.x1 : canvas.width;
    box.y1 = box.y1 < canvas.height ? box.y1 : canvas.height;
    if (box.x0 >= box.x1 || box.y0 >= box.y1)
        return 0;
    *rect = (VkClearRect){
        .rect = {{(int32_t)box.x0, (int32_t)box.y0}, {(uint32_t)(box.x1 - box.x0), (uint32_t)(box.y1 - box.y0)}},
        .layerCount = 1};
    return 1;
}

static struct box grow(struct box box, int64_t by)
{
    return (struct box){box.x0 - by, box.y0 - by, box.x1 + by, box.y1 + by};
}

/* Draws the outermost pixels of a box, `line` of them. */
static void draw_ring(VkCommandBuffer commands, VkExtent2D canvas, struct box box, const uint8_t colour[3],
                      int64_t line)
{
    const struct box sides[] = {{box.x0, box.y0, box.x1, box.y0 + line},
                                {box.x0, box.y1 - line, box.x1, box.y1},
                                {box.x0, box.y0, box.x0 + line, box.y1},
                                {box.x1 - line, box.y0, box.x1, box.y1}};
    VkClearAttachment clear = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT,
                               .clearValue.color.float32 = {(float)colour[0] / 255.0f, (float)colour[1] / 255.0f,
                                                            (float)colour[2] / 255.0f, 1.0f}};
    VkClearRect rects[4];
    uint32_t count = 0;

    for (uint32_t s = 0; s < 4; s++)
        count += clip(sides[s], canvas, &rects[count]);
    if (count > 0)
        vkCmdClearAttachments(commands, 1, &clear, count, rects);
}

void view_marks_draw(VkCommandBuffer commands, VkExtent2D canvas, const struct view_place *place,
                     const struct view_mark *marks, uint32_t count)
{
    for (uint32_t m = 0; m < count; m++) {
        struct box box = place_box(&marks[m].rectangle, place);
        draw_ring(commands, canvas, grow(box, 1), black, 1);
        draw_ring(commands, canvas, box, marks[m].colour, 1);
    }
}

void view_borders_add(struct view_borders *borders, int32_t x, int32_t y, uint32_t width, uint32_t height,
                      const uint8_t colour[3], uint8_t line)
{
    struct view_border border = {.x = x, .y = y, .width = width, .height = height, .line = line};

    memcpy(border.colour, colour, sizeof border.colour);
    if (SHW_RESERVE(borders->items, borders->capacity, (size_t)borders->count + 1))
        borders->items[borders->count++] = border;
}

/* The border of a border's line on the outside. */
static struct box border_box(const struct view_border *border, const struct view_place *place)
{
    const int64_t right = (int64_t)border->x + border->width, bottom = (int64_t)border->y + border->height;
    struct box box = {edge(border->x, place->offset_x, place->zoom), edge(border->y, place->offset_y, place->zoom),
                      edge(right, place->offset_x, place->zoom), edge(bottom, place->offset_y, place->zoom)};

    return grow(box, border->line - border->line / 2);
}

void view_borders_draw(VkCommandBuffer commands, VkExtent2D canvas, const struct view_place *place,
                       const struct view_borders *borders)
{
    for (uint32_t r = 0; r < borders->count; r++) {
        const struct view_border *border = &borders->items[r];
        const struct box box = border_box(border, place);

        draw_ring(commands, canvas, grow(box, 1), black, border->line + 2);
        draw_ring(commands, canvas, box, border->colour, border->line);
    }
}
