/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/view/page/command.h"

#include "emul/lib/report/json.h"
#include "runtime/base/json_read.h"
#include "runtime/base/json_text.h"
#include "runtime/base/text_stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char plain[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=+%@";

/* As a shell reads it. */
static void print_word(const char *word, FILE *out)
{
    if (!word[strspn(word, plain)]) {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word; word++)
        fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, out);
    fputc('\'', out);
}

/* A pair of name and value; a switch has an empty value. */
static void print_option(const json_t *option, FILE *out)
{
    const char *name = json_string_value(json_array_get(option, 0));
    const char *value = json_string_value(json_array_get(option, 1));
    if (!name)
        return;
    fprintf(out, " --%s", name);
    if (value && *value) {
        fputc(' ', out);
        print_word(value, out);
    }
}

static void print(const json_t *about, FILE *out)
{
    const char *verb = json_string_value(json_object_get(about, "verb"));
    const char *app = json_string_value(json_object_get(about, "app"));
    const json_t *options = json_object_get(about, "options");
    if (!verb || !app)
        return;
    fprintf(out, "htmt %s ", verb);
    print_word(app, out);
    for (size_t i = 0; i < json_array_size(options); i++)
        print_option(json_array_get(options, i), out);
}

json_t *htmt__page_command(const char *about)
{
    struct htmt__text line = {.at = NULL};
    json_t *object = NULL, *text = NULL;
    int rc = htmt__json_read(about, strlen(about), 0, &object, NULL);
    FILE *out = rc ? NULL : htmt__text_open(&line);
    if (out)
        print(object, out);
    if (htmt__text_close(out, &line) == 0)
        text = htmt__json_text(line.at);
    free(line.at);
    json_decref(object);
    return text;
}
