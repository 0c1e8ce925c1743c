/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt run app.py`: an application in Python.
 *
 * The command becomes the interpreter, in this process, with the package htmt: `python3 -P -m htmt
 * run app.py ...`. The package makes a struct htmt_app of the file, whose steps call its functions,
 * and gives it to htmt_main() of libhtmt. So options, reports, files and exit statuses come from
 * the same code as those of a plug-in, and the command needs no Python to be built. The package and
 * the library are those beside the command: of a source tree with its build, or of an installation.
 */
#include "emul/command/command.h"
#include "layers/file/folders.h"
#include "layers/file/own_path.h"
#include "layers/file/search.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LEVELS 3 /* folders above the command's, one in another: build/asan/htmt */

bool htmt__python_asked(int argc, char **argv)
{
    static const char *const verbs[] = {"run", "model", "predict", "help"};
    const size_t n = argc > 2 ? strlen(argv[2]) : 0;
    bool known = false;
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs && n; i++)
        known |= strcmp(argv[1], verbs[i]) == 0;
    return known && n > 3 && argv[2][0] != '-' && strcmp(argv[2] + n - 3, ".py") == 0;
}

/* PYTHONPATH begins with the folder that has the package, HTMT_LIBRARY is the library, if both lie
 * where a source tree or an installation has them. Else Python finds them, or says that it does
 * not. What the user has set stays. */
static void set_environment(void)
{
    static const char *const places[] = {"emul/python", "lib/python3/dist-packages"};
    char own[HTMT_PATH_MAX], path[2 * HTMT_PATH_MAX], all[3 * HTMT_PATH_MAX];
    const char *before = getenv("PYTHONPATH");
    if (!htmt__own_program(own, sizeof own))
        return;
    char *slash = strrchr(own, '/');
    *slash = '\0';
    snprintf(path, sizeof path, "%s/libhtmt.so.1", own);
    if (htmt__path_exists(path))
        setenv("HTMT_LIBRARY", path, 0);
    for (int level = 0; level < LEVELS && (slash = strrchr(own, '/')); level++) {
        *slash = '\0';
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
            snprintf(path, sizeof path, "%s/%s/htmt/__main__.py", own, places[i]);
            if (!htmt__path_exists(path))
                continue;
            path[strlen(path) - strlen("/htmt/__main__.py")] = '\0';
            snprintf(all, sizeof all, "%s%s%s", path, before && *before ? ":" : "",
                     before ? before : "");
            setenv("PYTHONPATH", all, 1);
            return;
        }
    }
}

int htmt__python_run(int argc, char **argv)
{
    static const char *const first[] = {"-P", "-m", "htmt"};
    enum { FIRST = sizeof first / sizeof *first };
    const char *given = getenv("HTMT_PYTHON"), *python = given && *given ? given : "python3";
    const char **words = calloc((size_t)argc + FIRST + 1, sizeof *words);
    struct htmt_fault fault = {0};
    if (words) {
        words[0] = python;
        memcpy(words + 1, first, sizeof first);
        for (int i = 1; i < argc; i++)
            words[FIRST + i] = argv[i];
        set_environment();
        execvp(python, (char *const *)(uintptr_t)words);
        htmt_fault_set(&fault, HTMT_ESYSTEM, "%s needs Python: %s cannot be started: %s", argv[2],
                       python, strerror(errno));
    } else {
        htmt_fault_set(&fault, HTMT_ENOMEM, "no memory for the command line");
    }
    free(words);
    return htmt__complain(argv[1], &fault);
}
