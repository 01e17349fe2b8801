/* The header of a text, for C and GLSL: what shaders/shared/feature.h or shaders/dense/channels/channel.h ask, around
 * the text's functions. All reads are moved into the reach, and that into the image, so that no text reads elsewhere.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/code/reader.h"

static const char languages[] = "#ifdef SHW_GLSL\n"
                                "#define SHW_USER shw_user\n"
                                "#define shw_bool bool\n"
                                "#define SHW_ARRAY(type, name, count) type name[count] = type[count]\n"
                                "#define SHW_TABLE(type, name, count) const SHW_ARRAY(type, name, count)\n"
                                "#define SHW_OPEN (\n"
                                "#define SHW_CLOSE )\n"
                                "#else\n"
                                "#define SHW_USER struct shw_user\n"
                                "typedef _Bool shw_bool;\n"
                                "#define SHW_ARRAY(type, name, count) type name[count] =\n"
                                "#define SHW_TABLE(type, name, count) static const SHW_ARRAY(type, name, count)\n"
                                "#define SHW_OPEN {\n"
                                "#define SHW_CLOSE }\n"
                                "#endif\n";

static const char common[] =
    "SHW_INLINE shw_int shw_user_min(SHW_CODE_PARAMETER SHW_USER user, shw_int a, shw_int b) { return shw_min(a, b); "
    "}\n"
    "SHW_INLINE shw_int shw_user_max(SHW_CODE_PARAMETER SHW_USER user, shw_int a, shw_int b) { return shw_max(a, b); "
    "}\n"
    "SHW_INLINE shw_int shw_user_clamp(SHW_CODE_PARAMETER SHW_USER user, shw_int a, shw_int low, shw_int high)\n"
    "{ return shw_min(shw_max(a, low), high); }\n"
    "SHW_INLINE shw_int shw_user_abs(SHW_CODE_PARAMETER SHW_USER user, shw_int a)\n"
    "{ return SHW_AS_INT((SHW_AS_UINT(a) ^ (0u - (SHW_AS_UINT(a) >> 31u))) + (SHW_AS_UINT(a) >> 31u)); }\n"
    /* Both are 0 where the divisor is not greater than 0. */
    "SHW_INLINE shw_int shw_user_quotient(SHW_CODE_PARAMETER SHW_USER user, shw_int a, shw_int b)\n"
    "{ return b > 0 ? a / shw_max(b, 1) : 0; }\n"
    "SHW_INLINE shw_int shw_user_remainder(SHW_CODE_PARAMETER SHW_USER user, shw_int a, shw_int b)\n"
    "{ return b > 0 ? a - a / shw_max(b, 1) * b : 0; }\n";

/* `region`: the type of rectangles and offsets. */
static void put_struct(const struct shw_code_text *text, const char *name, const char *more, const char *region,
                       struct shw_code_buffer *out)
{
    const char *const words[] = {
        [SHW_CODE_INT] = "shw_int",    [SHW_CODE_SIZE] = "shw_int", [SHW_CODE_CHANNEL_OF] = "shw_uint",
        [SHW_CODE_RECTANGLE] = region, [SHW_CODE_OFFSET] = region,  [SHW_CODE_SINGLE] = "shw_bool"};

    shw_code_put(out, "struct %s {\n%s", name, more);
    for (uint32_t i = 0; i < text->param_count; i++)
        shw_code_put(out, "    %s p_%s;\n", words[text->params[i].type], text->params[i].name);
    shw_code_put(out, "};\n");
}

static const char *tables_of(const struct shw_code_text *text)
{
    return text->tables != NULL ? text->tables : "";
}

static void put_body(const struct shw_code_text *text, struct shw_code_buffer *out)
{
    shw_code_put(out, "#line 1 \"%s\"\n%s\n#line 1 \"(after the text)\"\n", text->name, text->body);
}

/* --- Feature types --- */

static const char readers[] =
    "SHW_INLINE shw_int shw_user_pixel_x(SHW_CODE_PARAMETER SHW_USER user) { return user.x - user.image.x0; }\n"
    "SHW_INLINE shw_int shw_user_pixel_y(SHW_CODE_PARAMETER SHW_USER user) { return user.y - user.image.y0; }\n"
    "SHW_INLINE shw_int shw_user_image_width(SHW_CODE_PARAMETER SHW_USER user)\n"
    "{ return user.image.x1 - user.image.x0; }\n"
    "SHW_INLINE shw_int shw_user_image_height(SHW_CODE_PARAMETER SHW_USER user)\n"
    "{ return user.image.y1 - user.image.y0; }\n"
    "SHW_INLINE SHW_RECT shw_user_place(SHW_USER user, shw_int x0, shw_int y0, shw_int x1, shw_int y1)\n"
    "{\n"
    "    SHW_RECT rect;\n"
    "    rect.x0 = shw_clamp(x0, -65536, 65536);\n"
    "    rect.y0 = shw_clamp(y0, -65536, 65536);\n"
    "    rect.x1 = shw_clamp(x1, -65536, 65536);\n"
    "    rect.y1 = shw_clamp(y1, -65536, 65536);\n"
    "    return shw_rect_move(rect, user.x, user.y, user.window);\n"
    "}\n"
    "SHW_INLINE SHW_RECT shw_user_area(SHW_USER user, SHW_RECT area)\n"
    "{ return shw_rect_move(area, user.x, user.y, user.SHW_WINDOW); }\n"
    "SHW_INLINE shw_int shw_user_pixels(SHW_CODE_PARAMETER SHW_USER user, SHW_RECT area)\n"
    "{ return SHW_AS_INT(shw_rect_area(shw_user_area(user, area))); }\n";

static const char integral_readers[] =
    "SHW_INLINE shw_int shw_user_sum_of(SHW_CONTEXT_PARAMETER shw_uint channel, SHW_RECT rect)\n"
    "{\n"
    "    return SHW_AS_INT(\n"
    "        shw_integral(SHW_CONTEXT channel, rect.x1, rect.y1) - shw_integral(SHW_CONTEXT channel, rect.x0, rect.y1) "
    "-\n"
    "        shw_integral(SHW_CONTEXT channel, rect.x1, rect.y0) + shw_integral(SHW_CONTEXT channel, rect.x0, "
    "rect.y0));\n"
    "}\n"
    /* shw_mean(), whose shortcut on devices relies on sums that are exact, unless a text says a bound, which may be
     * wrong. */
    "SHW_INLINE shw_int shw_user_mean_of(shw_int sum, shw_uint area)\n"
    "{\n"
    "#if defined SHW_VECTORS && !defined SHW_GLSL\n"
    "    return (shw_int)((double)sum / (shw_int)area); /* exact: the quotient is at least 1 / area from others */\n"
    "#elif defined SHW_SUMS_ARE_EXACT\n"
    "    return shw_mean(sum, area);\n"
    "#else\n"
    "    shw_uint negative = SHW_AS_UINT(sum) >> 31u;\n"
    "    shw_uint quotient = ((SHW_AS_UINT(sum) ^ (0u - negative)) + negative) / area;\n"
    "    return SHW_AS_INT((quotient ^ (0u - negative)) + negative);\n"
    "#endif\n"
    "}\n"
    "SHW_INLINE shw_int shw_user_sum_at(SHW_CODE_PARAMETER SHW_USER user, shw_uint channel, shw_int x0, shw_int y0,\n"
    "                                   shw_int x1, shw_int y1)\n"
    "{ return shw_user_sum_of(SHW_CONTEXT channel, shw_user_place(user, x0, y0, x1, y1)); }\n"
    "SHW_INLINE shw_int shw_user_mean_at(SHW_CODE_PARAMETER SHW_USER user, shw_uint channel, shw_int x0, shw_int y0,\n"
    "                                    shw_int x1, shw_int y1)\n"
    "{\n"
    "    SHW_RECT rect = shw_user_place(user, x0, y0, x1, y1);\n"
    "    return shw_user_mean_of(shw_user_sum_of(SHW_CONTEXT channel, rect), shw_rect_area(rect));\n"
    "}\n"
    "SHW_INLINE shw_int shw_user_sum(SHW_CODE_PARAMETER SHW_USER user, shw_uint channel, SHW_RECT area)\n"
    "{ return shw_user_sum_of(SHW_CONTEXT channel, shw_user_area(user, area)); }\n"
    "SHW_INLINE shw_int shw_user_mean(SHW_CODE_PARAMETER SHW_USER user, shw_uint channel, SHW_RECT area)\n"
    "{\n"
    "    SHW_RECT rect = shw_user_area(user, area);\n"
    "    return shw_user_mean_of(shw_user_sum_of(SHW_CONTEXT channel, rect), shw_rect_area(rect));\n"
    "}\n";

static const char channel_readers[] =
    "SHW_INLINE shw_int shw_user_value(SHW_CODE_PARAMETER SHW_USER user, shw_uint channel, shw_int dx, shw_int dy)\n"
    "{\n"
    "    SHW_RECT rect = shw_user_place(user, shw_clamp(dx, -65536, 65535), shw_clamp(dy, -65536, 65535),\n"
    "                                   shw_clamp(dx, -65536, 65535) + 1, shw_clamp(dy, -65536, 65535) + 1);\n"
    "    return shw_channel(SHW_CONTEXT channel, rect.x0, rect.y0);\n"
    "}\n"
    "SHW_INLINE shw_int shw_user_corner(SHW_CODE_PARAMETER SHW_USER user, shw_uint channel, SHW_RECT area)\n"
    "{\n"
    "    SHW_RECT rect = shw_user_area(user, area);\n"
    "    return shw_channel(SHW_CONTEXT channel, rect.x0, rect.y0);\n"
    "}\n";

/* Where nothing is clipped, of regions that are prepared (shared/walk_node.h): x: elements from the pixel's in plane 0
 * to the first of the rectangle, y: its width and, from bit 16 on, the shift of the mean, z: elements from its first
 * row to the one below it, w: the factor of the mean. */
static const char inside_readers[] =
    "int shw_user_sum(shw_user_inside user, uint channel, uvec4 area)\n"
    "{\n"
    "    uint upper = user.place + area.x, lower = upper + area.z, width = area.y & 0xffffu;\n"
    "    return int(shw_integral_at(lower + width) - shw_integral_at(lower) - shw_integral_at(upper + width) +\n"
    "               shw_integral_at(upper));\n"
    "}\n"
    "int shw_user_mean(shw_user_inside user, uint channel, uvec4 area)\n"
    "{ return shw_mean_by(shw_user_sum(user, channel, area), area.w, area.y >> 16u & 31u); }\n"
    "int shw_user_corner(shw_user_inside user, uint channel, uvec4 area)\n"
    "{ return shw_channel_at(user.place + area.x); }\n";

/* Of what was read before. */
static const char value_readers[] =
    "SHW_INLINE shw_int shw_values_sum(SHW_CODE_PARAMETER SHW_USER user, shw_uint channel,\n"
    "                                  struct shw_region_values region) { return region.sum; }\n"
    "SHW_INLINE shw_int shw_values_mean(SHW_CODE_PARAMETER SHW_USER user, shw_uint channel,\n"
    "                                   struct shw_region_values region) { return region.mean; }\n"
    "SHW_INLINE shw_int shw_values_corner(SHW_CODE_PARAMETER SHW_USER user, shw_uint channel,\n"
    "                                     struct shw_region_values region) { return region.corner; }\n";

static const char region_preparing[] =
    "static inline void shw_region_prepare(uint32_t low, uint32_t high, uint32_t channel, uint32_t stride,\n"
    "                                      uint32_t pitch, uint32_t words[4])\n"
    "{\n"
    "    uint32_t width = (uint32_t)(shw_low16(high) - shw_low16(low));\n"
    "    uint32_t height = (uint32_t)(shw_high16(high) - shw_high16(low)), area = width * height;\n"
    "    words[0] = channel * pitch + (uint32_t)shw_high16(low) * stride + (uint32_t)shw_low16(low);\n"
    "    words[1] |= width | shw_mean_shift(area) << 16;\n"
    "    words[2] = height * stride;\n"
    "    words[3] = shw_mean_multiplier(area);\n"
    "}\n";

static const char *word_of(uint32_t word)
{
    static const char *const words[] = {"feature.head", "feature.words.x", "feature.words.y", "feature.words.z",
                                        "feature.words.w"};

    return words[word];
}

static void put_decoding(const struct shw_code_text *text, struct shw_code_buffer *out)
{
    static const char *const ends[] = {"x0", "y0", "x1", "y1"};

    shw_code_put(out, "SHW_INLINE SHW_USER shw_user_of(SHW_FEATURE feature, shw_int x, shw_int y, SHW_RECT image)\n{\n"
                      "    SHW_USER user;\n    SHW_RECT reach;\n"
                      "    shw_int reads = SHW_AS_INT((feature.head | feature.words.x | feature.words.y |\n"
                      "                                feature.words.z | feature.words.w) != 0u); /* 0 in a leaf */\n"
                      "    user.x = x;\n    user.y = y;\n    user.image = image;\n");
    for (uint32_t i = 0; i < text->param_count; i++) {
        const struct shw_code_param *param = &text->params[i];
        const char *word = word_of(param->word), *name = param->name;

        if (param->type == SHW_CODE_CHANNEL_OF) {
            shw_code_put(out, "    user.p_%s = %s >> %uu & 0xfffu;\n", name, word, param->shift);
        } else if (param->type == SHW_CODE_RECTANGLE || param->type == SHW_CODE_OFFSET) {
            const bool is_rectangle = param->type == SHW_CODE_RECTANGLE;
            shw_code_put(out, "    user.p_%s.x0 = shw_low16(%s);\n    user.p_%s.y0 = shw_high16(%s);\n", name, word,
                         name, word);
            if (is_rectangle)
                shw_code_put(out, "    user.p_%s.x1 = shw_low16(%s);\n    user.p_%s.y1 = shw_high16(%s);\n", name,
                             word_of(param->word + 1), name, word_of(param->word + 1));
            else
                shw_code_put(out, "    user.p_%s.x1 = user.p_%s.x0 + 1;\n    user.p_%s.y1 = user.p_%s.y0 + 1;\n", name,
                             name, name, name);
        } else if (param->type == SHW_CODE_SINGLE) {
            shw_code_put(out, "    user.p_%s = (feature.head >> SHW_NODE_SECOND_SHIFT & 1u) == 0u;\n", name);
        } else if (param->bits == 0) {
            shw_code_put(out, "    user.p_%s = %d;\n", name, param->min);
        } else {
            shw_code_put(out, "    user.p_%s = SHW_AS_INT(%s >> %uu & %uu) + (%d);\n", name, word, param->shift,
                         (1u << param->bits) - 1, param->min);
        }
    }
    for (uint32_t e = 0; e < 4; e++) {
        shw_code_put(out, "    reach.%s = ", ends[e]);
        if (text->reaches_all) {
            shw_code_put(out, e < 2 ? "-65536;\n" : "65536;\n");
        } else if (text->reach_count > 0) {
            shw_code_put(out, e < 2 ? "shw_min(" : "shw_max(");
            shw_code_put(out, text->reach_count == 1 && e < 2 ? "-" : "");
            shw_code_expression_put(text, &text->reach[text->reach_count == 4 ? e : 0], out);
            shw_code_put(out, text->reach_count == 1 && e >= 2 ? " + 1" : "");
            shw_code_put(out, e < 2 ? ", 0);\n" : ", 1);\n");
        } else {
            shw_code_put(out, e < 2 ? "0;\n" : "1;\n");
            for (uint32_t i = 0; i < text->param_count; i++)
                if (text->params[i].type == SHW_CODE_RECTANGLE || text->params[i].type == SHW_CODE_OFFSET)
                    shw_code_put(out, "    reach.%s = shw_%s(reach.%s, user.p_%s.%s);\n", ends[e],
                                 e < 2 ? "min" : "max", ends[e], text->params[i].name, ends[e]);
        }
        shw_code_put(out, "    reach.%s *= reads;\n", ends[e]);
    }
    shw_code_put(out, "    user.window = shw_rect_move(reach, x, y, image);\n    return user;\n}\n");
}

static void put_drawing(const struct shw_code_text *text, struct shw_code_buffer *out)
{
    shw_code_put(out,
                 "SHW_INLINE SHW_FEATURE shw_feature_draw(SHW_CANDIDATE_PARAMETER SHW_CANDIDATE_SPACE space,\n"
                 "                                        shw_uint place, shw_uint candidate)\n{\n"
                 "    SHW_FEATURE feature;\n    SHW_CANDIDATE_SPACE smaller;\n    SHW_CANDIDATE_STATE draws;\n"
                 "    SHW_UINT2 rect;\n    shw_uint drawn, greatest, reach;\n"
                 "    space = shw_candidate_narrow(space, place, candidate);\n"
                 "    draws.place = place;\n    draws.candidate = candidate;\n    draws.next = 0u;\n"
                 "    feature.head = %s;\n    feature.words.x = 0u;\n    feature.words.y = 0u;\n"
                 "    feature.words.z = 0u;\n    feature.words.w = 0u;\n",
                 text->has_rectangle ? "0u" : "0x80000000u");
    for (uint32_t i = 0; i < text->param_count; i++) {
        const struct shw_code_param *param = &text->params[i];
        const char *word = word_of(param->word);

        switch (param->type) {
        case SHW_CODE_CHANNEL_OF:
            shw_code_put(out,
                         "    drawn = shw_candidate_below(space, SHW_DRAWS_OF(draws), space.channels);\n"
                         "    %s |= drawn << %uu;\n",
                         word, param->shift);
            break;
        case SHW_CODE_RECTANGLE:
            if (param->channel >= 0)
                shw_code_put(out, "    greatest = shw_channel_max(SHW_CANDIDATE feature.head >> %uu & 0xfffu);\n",
                             text->params[param->channel].shift);
            else
                shw_code_put(out, "    greatest = 32767u;\n");
            shw_code_put(out, "    smaller = space;\n");
            if (param->has_max)
                shw_code_put(out, "    smaller.size_max = SHW_AS_UINT(shw_min(SHW_AS_INT(space.size_max), %d));\n",
                             param->max);
            shw_code_put(out,
                         "    rect = shw_candidate_rectangle(smaller, SHW_DRAWS_OF(draws), greatest);\n"
                         "    %s = rect.x;\n    %s = rect.y;\n",
                         word, word_of(param->word + 1));
            break;
        case SHW_CODE_SINGLE:
            shw_code_put(out,
                         "    drawn = shw_candidate_below(space, SHW_DRAWS_OF(draws), 100u);\n"
                         "    feature.head |= SHW_AS_UINT(drawn >= space.single_percent) << SHW_NODE_SECOND_SHIFT;\n");
            break;
        case SHW_CODE_OFFSET:
            shw_code_put(out,
                         "    reach = shw_candidate_reach(space, SHW_DRAWS_OF(draws), 1u, 1u);\n"
                         "    drawn = shw_candidate_begin(space, SHW_DRAWS_OF(draws), reach, 1u) & 0xffffu;\n"
                         "    %s = drawn | shw_candidate_begin(space, SHW_DRAWS_OF(draws), reach, 1u) << 16u;\n",
                         word);
            break;
        case SHW_CODE_SIZE:
            shw_code_put(out,
                         "    drawn = shw_candidate_size(space, SHW_DRAWS_OF(draws));\n"
                         "    drawn = SHW_AS_UINT(shw_min(SHW_AS_INT(drawn), %d)) - 1u;\n",
                         param->max);
            if (param->bits > 0)
                shw_code_put(out, "    %s |= drawn << %uu;\n", word, param->shift);
            break;
        case SHW_CODE_INT:
            shw_code_put(out, "    drawn = shw_candidate_below(space, SHW_DRAWS_OF(draws), %uu);\n",
                         (uint32_t)(param->max - param->min) + 1);
            if (param->bits > 0)
                shw_code_put(out, "    %s |= drawn << %uu;\n", word, param->shift);
            break;
        }
    }
    shw_code_put(out, "    return feature;\n}\n");
}

/* The text with other prefixes of functions, so that C has it twice. */
static void put_again(const char *text, struct shw_code_buffer *out)
{
    for (const char *at = text, *begin = text;; at++) {
        const bool is_start = at == text || strchr(" (-!~\n", at[-1]) != NULL;

        if (*at == '\0') {
            shw_code_put(out, "%s", begin);
            return;
        }
        if (is_start && strncmp(at, "u_", 2) == 0) {
            shw_code_put(out, "%.*sw_", (int)(at - begin), begin);
            begin = at + 2;
        } else if (is_start && strncmp(at, "shw_user_", 9) == 0) {
            shw_code_put(out, "%.*sshw_values_", (int)(at - begin), begin);
            begin = at + 9;
        }
    }
}

/* What the vectors of the technique cpu compute of values that were read (files/code/vectors.h). */
static void put_values(const struct shw_code_text *text, struct shw_code_buffer *out)
{
    uint32_t regions = 0;

    shw_code_put(out, "#ifdef SHW_VECTORS\n#undef SHW_USER\n#define SHW_USER struct shw_values\n"
                      "struct shw_region_values { shw_int sum, mean, corner; };\n"
                      "struct shw_region { shw_uint low, high, channel; };\n");
    put_struct(text, "shw_values", "", "struct shw_region_values", out);
    put_again(common, out);
    shw_code_put(out, "%s", value_readers);
    put_again(text->body, out);
    shw_code_put(out, "\n#line 1 \"(after the text)\"\n"
                      "static inline struct shw_response shw_values_respond(const struct context *context,\n"
                      "    struct shw_feature_words feature, struct shw_region_values first,\n"
                      "    struct shw_region_values second)\n{\n"
                      "    struct shw_values user;\n    struct shw_response response;\n");
    for (uint32_t i = 0; i < text->param_count; i++) {
        const char *const values[] = {
            [SHW_CODE_INT] = "0",         [SHW_CODE_SIZE] = "0",
            [SHW_CODE_CHANNEL_OF] = "0u", [SHW_CODE_RECTANGLE] = regions == 0 ? "first" : "second",
            [SHW_CODE_OFFSET] = "first",  [SHW_CODE_SINGLE] = "(feature.head >> SHW_NODE_SECOND_SHIFT & 1u) == 0u"};

        shw_code_put(out, "    user.p_%s = %s;\n", text->params[i].name, values[text->params[i].type]);
        regions += text->params[i].type == SHW_CODE_RECTANGLE;
    }
    shw_code_put(out, "    response = shw_defined(shw_max(w_response(context, user), -0x7fffffff));\n");
    if (text->may_be_undefined)
        shw_code_put(out, "    response.undefined = (shw_uint)w_undefined(context, user);\n");
    shw_code_put(
        out,
        "    return response;\n}\n#define SHW_REGIONS %u\n"
        "static inline void shw_values_regions(struct shw_feature_words feature, struct shw_region regions[2])\n"
        "{\n",
        regions);
    regions = 0;
    for (uint32_t i = 0; i < text->param_count; i++)
        if (text->params[i].type == SHW_CODE_RECTANGLE)
            shw_code_put(out, "    regions[%u] = (struct shw_region){%s, %s, feature.head >> %uu & 0xfffu};\n",
                         regions++, word_of(text->params[i].word), word_of(text->params[i].word + 1),
                         text->params[i].channel >= 0 ? text->params[text->params[i].channel].shift : 0);
    shw_code_put(out, "}\n#endif\n");
}

/* What evaluate_trees.comp reads where nothing is clipped: the functions once more, with regions that are prepared. */
static void put_inside(const struct shw_code_text *text, struct shw_code_buffer *out)
{
    uint32_t regions = 0;

    shw_code_put(out, "#define SHW_FEATURE_HAS_INSIDE 1\n#ifdef SHW_GLSL\n#undef SHW_USER\n"
                      "#define SHW_USER shw_user_inside\n");
    put_struct(text, "shw_user_inside", "    uint place;\n", "uvec4", out);
    shw_code_put(out, "%s%s", common, inside_readers);
    put_body(text, out);
    shw_code_put(out, "shw_response shw_feature_respond_inside(uvec4 first, uvec4 second, uint place)\n{\n"
                      "    shw_user_inside user;\n    shw_response response;\n    user.place = place;\n");
    for (uint32_t i = 0; i < text->param_count; i++) {
        const char *const values[] = {[SHW_CODE_INT] = "0",
                                      [SHW_CODE_SIZE] = "0",
                                      [SHW_CODE_CHANNEL_OF] = "0u",
                                      [SHW_CODE_RECTANGLE] = regions == 0 ? "first" : "second",
                                      [SHW_CODE_OFFSET] = "uvec4(0u)",
                                      [SHW_CODE_SINGLE] = "first.y >> 31u != 0u"};
        const enum shw_code_type type = text->params[i].type;

        shw_code_put(out, "    user.p_%s = %s;\n", text->params[i].name, values[type]);
        regions += type == SHW_CODE_RECTANGLE;
    }
    shw_code_put(out, "    response = shw_defined(max(u_response(user), -0x7fffffff));\n");
    if (text->may_be_undefined)
        shw_code_put(out, "    response.undefined = uint(u_undefined(user));\n");
    shw_code_put(out,
                 "    return response;\n}\n#else\n%s"
                 "static inline void shw_feature_prepare(struct shw_feature_words feature, uint32_t stride,\n"
                 "                                       uint32_t pitch, uint32_t words[8])\n{\n",
                 region_preparing);
    regions = 0;
    for (uint32_t i = 0; i < text->param_count; i++) {
        const struct shw_code_param *param = &text->params[i];

        if (param->type == SHW_CODE_SINGLE)
            shw_code_put(out, "    words[1] |= (~feature.head >> SHW_NODE_SECOND_SHIFT & 1u) << 31;\n");
        if (param->type == SHW_CODE_RECTANGLE)
            shw_code_put(out,
                         "    shw_region_prepare(%s, %s, feature.head >> %uu & 0xfffu, stride, pitch, words + %u);\n",
                         word_of(param->word), word_of(param->word + 1),
                         param->channel >= 0 ? text->params[param->channel].shift : 0, 4 * regions++);
    }
    shw_code_put(out, "}\n");
    put_values(text, out);
    shw_code_put(out, "#endif\n");
}

/* Then the reach has every rectangle, which is clipped by the image in the same way. */
static bool reach_follows(const struct shw_code_text *text)
{
    return text->reach_count == 0 && !text->reaches_all;
}

bool shw_code_text_is_of_regions(const struct shw_code_text *text)
{
    return text->is_of_regions && reach_follows(text) && text->bound.count == 0;
}

static void put_feature(const struct shw_code_text *text, struct shw_code_buffer *out)
{
    shw_code_put(out,
                 "#include \"candidate.h\"\n#include \"feature.h\"\n#include \"rectangle.h\"\n"
                 "#define SHW_FEATURE_READS %s\n#define SHW_FEATURE_MAY_BE_UNDEFINED %d\n"
                 "#define SHW_CODE_PARAMETER SHW_CONTEXT_PARAMETER\n#define SHW_CODE SHW_CONTEXT\n"
                 "#define SHW_WINDOW %s\n%s%s%s",
                 text->reads == SHW_FEATURE_READS_CHANNELS ? "SHW_READS_CHANNELS" : "SHW_READS_INTEGRALS",
                 text->may_be_undefined, reach_follows(text) ? "image" : "window",
                 text->bound.count == 0 ? "#define SHW_SUMS_ARE_EXACT\n" : "", languages, tables_of(text));
    put_struct(text, "shw_user", "    shw_int x, y;\n    SHW_RECT image, window;\n", "SHW_RECT", out);
    shw_code_put(out, "%s%s%s", common, readers,
                 text->reads == SHW_FEATURE_READS_CHANNELS ? channel_readers : integral_readers);
    put_body(text, out);
    put_decoding(text, out);
    shw_code_put(out,
                 "SHW_INLINE SHW_RESPONSE shw_feature_respond(SHW_CONTEXT_PARAMETER SHW_FEATURE feature, shw_int x,\n"
                 "                                            shw_int y, SHW_RECT image)\n{\n"
                 "    SHW_USER user = shw_user_of(feature, x, y, image);\n"
                 "    SHW_RESPONSE response = shw_defined(shw_max(u_response(SHW_CONTEXT user), -0x7fffffff));\n");
    if (text->may_be_undefined)
        shw_code_put(out, "    response.undefined = SHW_AS_UINT(u_undefined(SHW_CONTEXT user));\n");
    shw_code_put(out, "    return response;\n}\n");
    put_drawing(text, out);
    if (shw_code_text_is_of_regions(text))
        put_inside(text, out);
}

/* --- Channel kinds --- */

/* Shaders for pairs of pixels do not clamp to the image where they need not. */
static const char places[] =
    "#ifdef SHW_CHANNEL_PAIRS\n"
    "ivec2 shw_user_place(ivec2 at, SHW_USER user, int dx, int dy)\n"
    "{\n"
    "    at += ivec2(user.side + clamp(dx, -user.reach, user.reach), clamp(dy, -user.reach, user.reach));\n"
    "    return user.inside ? at : clamp(at, ivec2(0), push.size - 1);\n"
    "}\n"
    "#endif\n";

static const char passed[] =
    "SHW_INLINE shw_int shw_user_passed(SHW_CODE_PARAMETER SHW_USER user, shw_int pass, shw_int dx, shw_int dy)\n"
    "{\n"
    "#ifdef SHW_CHANNEL_PAIRS\n"
    "    ivec2 to = shw_user_place(at, user, dx, dy);\n"
    "    if (user.inside)\n"
    "        return shw_passed_at(uint(pass), at, user.side + clamp(dx, -user.reach, user.reach),\n"
    "                             clamp(dy, -user.reach, user.reach));\n"
    "    return shw_passed_at(uint(pass), ivec2(to.x & ~1, to.y), to.x & 1, 0);\n"
    "#else\n"
    "    return shw_passed(SHW_CHANNEL pass, shw_clamp(dx, -user.reach, user.reach),\n"
    "                      shw_clamp(dy, -user.reach, user.reach));\n"
    "#endif\n"
    "}\n";

static void put_input(const char *function, const char *role, const char *member, struct shw_code_buffer *out)
{
    shw_code_put(out,
                 "SHW_INLINE shw_int shw_user_%s(SHW_CODE_PARAMETER SHW_USER user, shw_int dx, shw_int dy)\n"
                 "{\n"
                 "#ifdef SHW_CHANNEL_PAIRS\n"
                 "    return shw_input_at(shw_user_place(at, user, dx, dy), %s).%s;\n"
                 "#else\n"
                 "    return shw_input(SHW_CHANNEL %s, shw_clamp(dx, -user.reach, user.reach),\n"
                 "                     shw_clamp(dy, -user.reach, user.reach)).%s;\n"
                 "#endif\n"
                 "}\n",
                 function, role, member, role, member);
}

static const struct shw_channel_reading *reading_of(const struct shw_code_text *text, uint32_t pass)
{
    return pass < text->pass_count ? &text->passes[pass].reading : &text->reading;
}

/* What the passes are; shaders are of one, SHW_PASS. */
static void put_passes(const struct shw_code_text *text, struct shw_code_buffer *out)
{
    shw_code_put(out,
                 "#ifndef SHW_PASS\n#define SHW_PASS %u\n#endif\n#define SHW_CHANNEL_PASSES %u\n"
                 "#define SHW_CHANNEL_RADIUS %u\n#define SHW_CHANNEL_EACH_PASS(X)",
                 text->pass_count, text->pass_count, text->radius);
    for (uint32_t p = 0; p < text->pass_count; p++)
        shw_code_put(out, " X(%u, %d, %u, %uu)", p, text->passes[p].reading.inputs, text->passes[p].reading.reach,
                     text->passes[p].reading.planes);
    shw_code_put(out, "\n#define SHW_CHANNEL_READING {.inputs = %d, .reach = %u, .planes = %uu}\n",
                 text->reading.inputs, text->reading.reach, text->reading.planes);
    for (uint32_t p = 0; p <= text->pass_count; p++)
        shw_code_put(out,
                     "#if SHW_PASS == %u\n#define SHW_CHANNEL_COUNT %u\n#define SHW_CHANNEL_REACH %u\n"
                     "#define SHW_CHANNEL_READS %u\n#endif\n",
                     p, p < text->pass_count ? 1 : text->output_count, reading_of(text, p)->reach,
                     reading_of(text, p)->planes);
}

/* The values of a pass at a pixel, or of the channels. */
static void put_values_of_pass(const struct shw_code_text *text, uint32_t pass, struct shw_code_buffer *out)
{
    const bool is_last = pass == text->pass_count;
    const uint32_t count = is_last ? text->output_count : 1;
    char name[32] = "shw_channel_values";

    if (!is_last)
        snprintf(name, sizeof name, "shw_pass_values_%u", pass);
    shw_code_put(out,
                 "#if !defined SHW_GLSL || SHW_PASS == %u\n#ifdef SHW_CHANNEL_PAIRS\n"
                 "ivec4 shw_channel_values_of(ivec2 at, uint parameter, int side, bool inside)\n#else\n"
                 "SHW_INLINE shw_int4 %s(SHW_CHANNEL_PARAMETER shw_uint parameter)\n#endif\n{\n"
                 "    SHW_USER user;\n#ifdef SHW_CHANNEL_PAIRS\n    user.side = side;\n    user.inside = inside;\n"
                 "#endif\n    user.reach = %u;\n",
                 pass, name, reading_of(text, pass)->reach);
    if (text->param_count > 0)
        shw_code_put(out, "    user.p_%s = SHW_AS_INT(parameter);\n", text->params[0].name);
    shw_code_put(out, "    return SHW_INT4(");
    for (uint32_t i = 0; i < 4; i++) {
        const char *function = is_last ? text->outputs[i % count].function : text->passes[pass].function;
        const uint32_t most = is_last ? text->outputs[i % count].max_abs : text->passes[pass].max_abs;

        shw_code_put(out, i > 0 ? ", " : "");
        if (i < count)
            shw_code_put(out, "shw_clamp(u_%s(SHW_CHANNEL user), -%u, %u)", function, most, most);
        else
            shw_code_put(out, "0");
    }
    shw_code_put(out, ");\n}\n#endif\n");
}

static const char pairs[] = "#ifdef SHW_CHANNEL_PAIRS\n#define SHW_CHANNEL_HAS_INSIDE 1\n"
                            "ivec4 shw_channel_values(ivec2 at, uint parameter)\n"
                            "{ return shw_channel_values_of(at, parameter, 0, false); }\n"
                            "ivec4 shw_channel_values_inside(ivec2 at, uint parameter, int side)\n"
                            "{ return shw_channel_values_of(at, parameter, side, true); }\n"
                            "#endif\n";

static void put_channel(const struct shw_code_text *text, struct shw_code_buffer *out)
{
    static const char *const names[] = {"red", "green", "blue", "luma"}, *const members[] = {"x", "y", "z", "w"};
    const bool is_previous = strcmp(text->input, "previous") == 0;

    put_passes(text, out);
    shw_code_put(out, "%s",
                 is_previous              ? "#define SHW_CHANNEL_PREVIOUS 1\n"
                 : text->input[0] != '\0' ? "#define SHW_CHANNEL_PLANE 1\n"
                                          : "");
    shw_code_put(out, "#include \"dense/channels/channel.h\"\n#include \"shared/types.h\"\n"
                      "#define SHW_CODE_PARAMETER SHW_CHANNEL_PARAMETER\n#define SHW_CODE SHW_CHANNEL\n");
    shw_code_put(out, "%s%s", languages, tables_of(text));
    put_struct(text, "shw_user",
               "    shw_int reach;\n#ifdef SHW_CHANNEL_PAIRS\n    shw_int side;\n    shw_bool inside;\n#endif\n",
               "SHW_RECT", out);
    shw_code_put(out, "%s%s%s", common, places, text->pass_count > 0 ? passed : "");
    for (uint32_t i = 0; i < 4; i++) {
        char previous[32];

        put_input(names[i], "SHW_INPUT_COLOUR", members[i], out);
        snprintf(previous, sizeof previous, "previous_%s", names[i]);
        if (is_previous)
            put_input(previous, "SHW_INPUT_PREVIOUS", members[i], out);
    }
    if (text->input[0] != '\0' && !is_previous)
        put_input("plane", "SHW_INPUT_PLANE", "x", out);
    shw_code_put(out, "SHW_INLINE shw_int shw_user_pixel_x(SHW_CODE_PARAMETER SHW_USER user)\n{\n"
                      "#ifdef SHW_CHANNEL_PAIRS\n    at.x += user.side;\n#endif\n"
                      "    return SHW_AS_INT(shw_pixel(SHW_CHANNEL 0u));\n}\n"
                      "SHW_INLINE shw_int shw_user_pixel_y(SHW_CODE_PARAMETER SHW_USER user)\n"
                      "{ return SHW_AS_INT(shw_pixel(SHW_CHANNEL 1u)); }\n"
                      "SHW_INLINE shw_int shw_user_image_width(SHW_CODE_PARAMETER SHW_USER user)\n"
                      "{ return SHW_AS_INT(shw_extent(SHW_CHANNEL 0u)); }\n"
                      "SHW_INLINE shw_int shw_user_image_height(SHW_CODE_PARAMETER SHW_USER user)\n"
                      "{ return SHW_AS_INT(shw_extent(SHW_CHANNEL 1u)); }\n");
    put_body(text, out);
    for (uint32_t p = 0; p <= text->pass_count; p++)
        put_values_of_pass(text, p, out);
    shw_code_put(out, "%s", pairs);
}

char *shw_code_text_header(const struct shw_code_text *text)
{
    struct shw_code_buffer out = {0};

    if (text->subject == SHW_CODE_FEATURE)
        put_feature(text, &out);
    else
        put_channel(text, &out);
    if (out.failed) {
        free(out.text);
        return NULL;
    }
    return out.text;
}
