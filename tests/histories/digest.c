/* SPDX-License-Identifier: BSD-3-Clause
 *
 * digest FILE: the figures of an object that htmt wrote with --json, in one line:
 *
 *   predicted_fs history_hash digest
 *
 * A value that is not there is `-`. The digest is FNV-1a 64 of a text with one line for each
 * figure:
 *
 *   PATH=VALUE        PATH: keys joined by `.`, an element of an array is [INDEX]
 *   PATH[]=LENGTH     before the elements of an array
 *
 * Keys come in sorted order, elements in theirs. Integers are exact. Other numbers have 10 digits;
 * the factor 1 + 2^-43 keeps decimal halves away from the rounding, so that the last bit of a
 * quotient does not matter. true, false and null are themselves. Strings have no line.
 *
 * Keys that depend on the host, on the text of the command line, or on rounding in the kernels of
 * the host's libraries have no lines, nor have those that repeat figures of the machine, nor has
 * what lies below them: left_out[] at the top of the object, and left_out_anywhere[].
 *
 * `digest --text FILE` prints the text. `digest --numbers FILE` prints the digest of the numbers in
 * any text: runs of digits, each with a line break behind it.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const left_out[] = {"wall",           "clock",
                                       "host",           "threads",
                                       "check",          "found",
                                       "notes",          "warnings",
                                       "record",         "slices_why",
                                       "outputs",        "unchecked",
                                       "machine_slices", "closed_form_missing"};
static const char *const left_out_anywhere[] = {"line", "peaks", "event", "kernels_s"};

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int is_left_out(const char *path, const char *key)
{
    for (size_t i = 0; i < sizeof left_out_anywhere / sizeof *left_out_anywhere; i++)
        if (strcmp(key, left_out_anywhere[i]) == 0)
            return 1;
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        if (strcmp(path, left_out[i]) == 0)
            return 1;
    return 0;
}

static void write_value(FILE *out, const char *path, const json_t *value);

static void write_object(FILE *out, const char *path, const json_t *object)
{
    size_t count = json_object_size(object), n = 0;
    const char **key = calloc(count + 1, sizeof *key);
    for (void *i = json_object_iter((json_t *)object); i && key;
         i = json_object_iter_next((json_t *)object, i))
        key[n++] = json_object_iter_key(i);
    if (n)
        qsort(key, n, sizeof *key, by_name);
    for (size_t i = 0; i < n; i++) {
        char below[512];
        snprintf(below, sizeof below, "%s%s%s", path, *path ? "." : "", key[i]);
        if (!is_left_out(below, key[i]))
            write_value(out, below, json_object_get(object, key[i]));
    }
    free(key);
}

static void write_array(FILE *out, const char *path, const json_t *array)
{
    fprintf(out, "%s[]=%zu\n", path, json_array_size(array));
    for (size_t i = 0; i < json_array_size(array); i++) {
        char below[512];
        snprintf(below, sizeof below, "%s[%zu]", path, i);
        write_value(out, below, json_array_get(array, i));
    }
}

static void write_value(FILE *out, const char *path, const json_t *value)
{
    if (json_is_object(value))
        write_object(out, path, value);
    else if (json_is_array(value))
        write_array(out, path, value);
    else if (json_is_integer(value))
        fprintf(out, "%s=%" JSON_INTEGER_FORMAT "\n", path, json_integer_value(value));
    else if (json_is_real(value))
        fprintf(out, "%s=%.10g\n", path, json_real_value(value) * (1 + 0x1p-43));
    else if (!json_is_string(value))
        fprintf(out, "%s=%s\n", path,
                json_is_true(value)    ? "true"
                : json_is_false(value) ? "false"
                                       : "null");
}

static uint64_t fnv_more(uint64_t h, unsigned char byte)
{
    return (h ^ byte) * UINT64_C(0x100000001b3);
}

static uint64_t fnv(const char *text)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (; *text; text++)
        h = fnv_more(h, (unsigned char)*text);
    return h;
}

static int print(const json_t *object, int whole)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return 1;
    write_object(out, "", object);
    if (fclose(out))
        return 1;
    const json_t *time = json_object_get(object, "predicted_fs");
    const char *hash = json_string_value(json_object_get(object, "history_hash"));
    if (whole)
        fputs(text, stdout);
    else if (json_is_integer(time))
        printf("%" JSON_INTEGER_FORMAT " %s %016" PRIx64 "\n", json_integer_value(time),
               hash ? hash : "-", fnv(text));
    else
        printf("- %s %016" PRIx64 "\n", hash ? hash : "-", fnv(text));
    free(text);
    return 0;
}

static int print_numbers(const char *path)
{
    uint64_t h = fnv("");
    int last = 0, c;
    FILE *in = fopen(path, "r");
    if (!in)
        return 2;
    while ((c = getc(in)) != EOF) {
        if (c >= '0' && c <= '9')
            h = fnv_more(h, (unsigned char)c);
        else if (last >= '0' && last <= '9')
            h = fnv_more(h, '\n');
        last = c;
    }
    fclose(in);
    printf("%016" PRIx64 "\n", h);
    return 0;
}

int main(int argc, char **argv)
{
    int whole = argc == 3 && strcmp(argv[1], "--text") == 0;
    json_error_t error;
    if (argc == 3 && strcmp(argv[1], "--numbers") == 0)
        return print_numbers(argv[2]);
    if (argc != 2 && !whole) {
        fprintf(stderr, "usage: digest [--text | --numbers] FILE\n");
        return 2;
    }
    json_t *object = json_load_file(argv[argc - 1], 0, &error);
    if (!json_is_object(object)) {
        fprintf(stderr, "%s: %s\n", argv[argc - 1], error.text);
        return 2;
    }
    int status = print(object, whole);
    json_decref(object);
    return status;
}
