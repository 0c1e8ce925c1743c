/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/questions/observer.h"
#include "emul/lib/text/progress.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Standard error goes to a file until read_back(). */
static FILE *divert(int *before)
{
    FILE *file = tmpfile();
    *before = dup(STDERR_FILENO);
    cr_assert(file && *before >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
    return file;
}

static void read_back(FILE *file, int before, char *text, size_t room)
{
    dup2(before, STDERR_FILENO);
    close(before);
    rewind(file);
    text[fread(text, 1, room - 1, file)] = '\0';
    fclose(file);
}

static void expect_line(double wall, double share, const char *begin)
{
    char text[1000];
    int before;
    FILE *file = divert(&before);
    htmt__progress_write(HTMT__PROGRESS_TERMINAL, "",
                         &(struct htmt__progress_state){
                             1, "emulation", (htmt_wide)1500 * 1000 * 1000, 20, wall, share});
    read_back(file, before, text, sizeof text);
    cr_expect(strstr(text, begin) == text, "%s", text);
}

Test(progress, a_line_has_a_share_and_the_time_that_is_left)
{
    expect_line(3, 0.25, "\r  25 %, about 9 s left, virtual 1.500 us, wall 3 s, 20 events, 6.667");
    expect_line(30, 0.25, "\r  25 %, about 1 min 30 s left, virtual");
    expect_line(3600, 0.25, "\r  25 %, about 3 h 00 min left, virtual");
    expect_line(1, 0.996, "\r  almost done, virtual");
    expect_line(1, 1.2, "\r  beyond the expected time, virtual");
    expect_line(1, 0, "\r  0 %, virtual");
    expect_line(1, -1, "\r  share unknown, virtual");
}

Test(progress, a_line_fits_the_width_and_shows_controls)
{
    char text[1000];
    int before;
    setenv("COLUMNS", "50", 1);
    FILE *file = divert(&before);
    htmt__progress_line("a\x1b[31m name\n that is longer than fifty columns are, by far");
    htmt__progress_line("");
    read_back(file, before, text, sizeof text);
    cr_expect_str_eq(text, "\r  a\\x1b[31m name\\n that is longer than fifty colu\x1b[K\r\x1b[K");
}

static void expect_written(enum htmt__progress_kind kind, struct htmt__progress_state state,
                           const char *line)
{
    char text[1000];
    int before;
    FILE *file = divert(&before);
    htmt__progress_write(kind, "run a\x1b", &state);
    read_back(file, before, text, sizeof text);
    cr_expect_str_eq(text, line);
}

Test(progress, a_line_of_text_is_headed_by_the_command_and_has_an_end)
{
    expect_written(
        HTMT__PROGRESS_LINES, (struct htmt__progress_state){1, "emulation", 2000, 60, 60, 0.5},
        "htmt run a\\x1b: 50 %, about 1 min 00 s left, virtual 2.000 ps, wall 60 s, 60 events, "
        "1 events/s\n");
    expect_written(HTMT__PROGRESS_OFF,
                   (struct htmt__progress_state){1, "emulation", 2000, 60, 60, 0.5}, "");
}

Test(progress, an_object_has_null_for_what_nobody_knows)
{
    expect_written(HTMT__PROGRESS_JSON,
                   (struct htmt__progress_state){1, "emulation", 2000, 60, 6, 0.25},
                   "{\"run\": 1, \"step\": \"emulation\", \"share\": 0.25, \"virtual_fs\": 2000, "
                   "\"events\": 60, "
                   "\"events_per_s\": 10, \"wall_s\": 6, \"left_s\": 18}\n");
    expect_written(
        HTMT__PROGRESS_JSON, (struct htmt__progress_state){1, "input", 0, 0, 0, -1},
        "{\"run\": 1, \"step\": \"input\", \"share\": null, \"virtual_fs\": 0, \"events\": 0, "
        "\"events_per_s\": 0, \"wall_s\": 0, \"left_s\": null}\n");
    expect_written(
        HTMT__PROGRESS_JSON, (struct htmt__progress_state){1, "emulation", 9, 6, 6, 1.5},
        "{\"run\": 1, \"step\": \"emulation\", \"share\": 0.99, \"virtual_fs\": 9, \"events\": 6, "
        "\"events_per_s\": 1, \"wall_s\": 6, \"left_s\": null}\n");
}

/* The last line is a minute old; the clock is at half of what the closed form expects. */
Test(progress, without_a_terminal_a_line_comes_once_a_minute_and_no_share_goes_back)
{
    static const int64_t minute = 60 * (int64_t)1000000000;
    struct htmt__observer o = {.progress = HTMT__PROGRESS_LINES, .where = "run a"};
    struct htmt_outcome outcome = {.closed_form_s = 1e-9};
    struct htmt_request request = {.seed = 1};
    char text[1000];
    int before;
    htmt__observer_attach(&o, &request, &outcome);
    FILE *file = divert(&before);
    cr_assert(request.begins(&o, HTMT_STEP_EMULATE));
    request.emulator.progress(&o, 500000, 10); /* too early */
    for (htmt_time now = 500000; now > 0; now -= 250000) {
        o.shown -= minute;
        o.started -= minute;
        request.emulator.progress(&o, now, 10);
    }
    htmt__observer_detach(&o);
    read_back(file, before, text, sizeof text);
    cr_expect_eq(strncmp(text, "htmt run a: 50 %, about 1 min 0", 31), 0, "%s", text);
    const char *second = strchr(text, '\n') + 1;
    cr_expect_eq(strncmp(second, "htmt run a: 50 %, about 2 min 0", 31), 0, "%s", text);
    cr_expect_str_eq(strchr(second, '\n'), "\n");
}
