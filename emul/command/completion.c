/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt completion SHELL`: completions of the command line, from the tables of verbs and options.
 * Each shell gets the verbs, the applications, and for both their options with the help text.
 */
#include "emul/command/command.h"
#include "emul/lib/options/options.h"
#include "runtime/base/suggest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* What a shell is told of a verb, an application, and an option of either. */
struct shell {
    const char *name;
    const char *begin, *end;
    void (*verb)(const char *name, const char *summary);
    void (*app)(const char *name, const char *summary);
    /* verb NULL: of run, model and predict; app NULL: of all applications. */
    void (*option)(const char *verb, const char *app, const struct htmt_app_option *row);
};

static bool takes_file(const struct htmt_app_option *row)
{
    return row->value_name && strstr(row->value_name, "FILE");
}

/* Text within single quotes; `also` is escaped by a backslash. */
static void print_quoted(const char *text, const char *quote, const char *also)
{
    for (; *text; text++)
        if (*text == '\'')
            fputs(quote, stdout);
        else if (strchr(also, *text))
            printf("\\%c", *text);
        else
            putchar(*text);
}

/* ---- bash: tables of words, then a function that looks them up ---------------------------------
 */

static void bash_verb(const char *name, const char *summary)
{
    (void)summary;
    printf("_htmt_verbs+=' %s'\n", name);
}

static void bash_app(const char *name, const char *summary)
{
    (void)summary;
    printf("_htmt_apps+=' %s'\n", name);
}

static void bash_option(const char *verb, const char *app, const struct htmt_app_option *row)
{
    printf("_htmt_options[%s:%s]+=' --%s'\n", verb ? verb : "", app ? app : "", row->name);
    if (takes_file(row))
        printf("_htmt_files+=' --%s '\n", row->name);
    else if (row->value_name)
        printf("_htmt_values+=' --%s '\n", row->name);
}

static const char bash_begin[] = "# bash completion of htmt, made by 'htmt completion bash'\n"
                                 "_htmt_verbs='--help --version' _htmt_apps= _htmt_files= "
                                 "_htmt_values=\n"
                                 "unset _htmt_options\n"
                                 "declare -gA _htmt_options\n";

static const char bash_end[] =
    "_htmt()\n"
    "{\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
    "    local verb=${COMP_WORDS[1]} app=${COMP_WORDS[2]-} words\n"
    "    COMPREPLY=()\n"
    "    if ((COMP_CWORD == 1)); then\n"
    "        COMPREPLY=($(compgen -W \"$_htmt_verbs\" -- \"$word\"))\n"
    "        return\n"
    "    fi\n"
    "    case $before in\n"
    "    --machine) COMPREPLY=($(compgen -W \"$(htmt machine list 2>/dev/null |\n"
    "        awk '/^[a-z]/ { print $1 }')\" -- \"$word\") $(compgen -f -- \"$word\")); return ;;\n"
    "    esac\n"
    "    case $_htmt_files in\n"
    "    *\" $before \"*) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n"
    "    esac\n"
    "    case $_htmt_values in\n"
    "    *\" $before \"*) return ;;\n"
    "    esac\n"
    "    case $verb in\n"
    "    help) words=\"$_htmt_verbs $_htmt_apps\" ;;\n"
    "    machine) words='list show check diff picture routes --resolved --set -o --run'\n"
    "        words+=' --from --to --network --json' ;;\n"
    "    trace) words='info sort digest check path export -o --json --perfetto --paje --csv'\n"
    "        words+=' --unit' ;;\n"
    "    completion) words='bash zsh fish' ;;\n"
    "    *)\n"
    "        words=\"${_htmt_options[$verb:]-} ${_htmt_options[$verb:$app]-}\"\n"
    "        [[ $verb != @(run|model|predict) ]] ||\n"
    "            words=\"${_htmt_options[:]} ${_htmt_options[:$app]-}\"\n"
    "        ((COMP_CWORD > 2)) || [[ ${_htmt_options[$verb:]-} ]] || words=$_htmt_apps ;;\n"
    "    esac\n"
    "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
    "    if [[ $word == */* || $verb == @(machine|trace) ]]; then\n"
    "        COMPREPLY+=($(compgen -f -- \"$word\"))\n"
    "    fi\n"
    "}\n"
    "complete -o filenames -F _htmt htmt\n";

/* ---- zsh: the same tables with descriptions ----------------------------------------------------
 */

static void zsh_verb(const char *name, const char *summary)
{
    printf("_htmt_verbs+=('%s:", name);
    print_quoted(summary, "'\\''", "");
    puts("')");
}

static void zsh_app(const char *name, const char *summary)
{
    printf("_htmt_apps+=('%s:", name);
    print_quoted(summary, "'\\''", "");
    puts("')");
}

static void zsh_option(const char *verb, const char *app, const struct htmt_app_option *row)
{
    printf("_htmt_options[%s:%s]+='--%s[", verb ? verb : "", app ? app : "", row->name);
    print_quoted(row->help, "'\\''", "[]:\\");
    putchar(']');
    if (row->value_name) {
        putchar(':');
        print_quoted(row->value_name, "'\\''", "[]:\\");
        printf(":%s", takes_file(row) ? "_files" : "");
    }
    puts("'$'\\n'");
}

static const char zsh_begin[] = "#compdef htmt\n"
                                "# zsh completion of htmt, made by 'htmt completion zsh'\n"
                                "typeset -a _htmt_verbs _htmt_apps\n"
                                "typeset -A _htmt_options\n"
                                "_htmt_verbs=() _htmt_apps=() _htmt_options=()\n";

static const char zsh_end[] =
    "_htmt() {\n"
    "    local verb=$words[2] app=$words[3]\n"
    "    local -a options\n"
    "    if ((CURRENT == 2)); then\n"
    "        _describe verb _htmt_verbs\n"
    "        return\n"
    "    fi\n"
    "    case $verb in\n"
    "    help) _describe application _htmt_apps; _describe verb _htmt_verbs; return ;;\n"
    "    machine) _values command list show check diff picture routes; _files; return ;;\n"
    "    trace) _values command info sort digest check path export; _files; return ;;\n"
    "    completion) _values shell bash zsh fish; return ;;\n"
    "    run | model | predict)\n"
    "        options=(${(f)_htmt_options[:]} ${(f)_htmt_options[:$app]}) ;;\n"
    "    *) options=(${(f)_htmt_options[$verb:]} ${(f)_htmt_options[$verb:$app]}) ;;\n"
    "    esac\n"
    "    if ((CURRENT == 3)) && [[ -z ${_htmt_options[$verb:]} ]]; then\n"
    "        _describe application _htmt_apps\n"
    "        _files -g '*.(so|py)'\n"
    "        return\n"
    "    fi\n"
    "    _arguments -s $options\n"
    "}\n"
    "_htmt \"$@\"\n";

/* ---- fish: a command for each word -------------------------------------------------------------
 */

static void fish_verb(const char *name, const char *summary)
{
    printf("complete -c htmt -f -n __fish_use_subcommand -a %s -d '", name);
    print_quoted(summary, "\\'", "\\");
    puts("'");
}

static void fish_app(const char *name, const char *summary)
{
    printf("complete -c htmt -f -n '__fish_seen_subcommand_from run model predict help' -a %s -d '",
           name);
    print_quoted(summary, "\\'", "\\");
    puts("'");
}

static void fish_option(const char *verb, const char *app, const struct htmt_app_option *row)
{
    printf("complete -c htmt -n '__fish_seen_subcommand_from %s%s%s' -l %s %s-d '",
           verb ? verb : "run model predict", app ? "; and __fish_seen_subcommand_from " : "",
           app ? app : "", row->name,
           takes_file(row)   ? "-r -F "
           : row->value_name ? "-x "
                             : "-f ");
    print_quoted(row->help, "\\'", "\\");
    puts("'");
}

static const char fish_begin[] = "# fish completion of htmt, made by 'htmt completion fish'\n";

/* ---- the tables --------------------------------------------------------------------------------
 */

static const struct shell shells[] = {
    {"bash", bash_begin, bash_end, bash_verb, bash_app, bash_option},
    {"zsh", zsh_begin, zsh_end, zsh_verb, zsh_app, zsh_option},
    {"fish", fish_begin, "", fish_verb, fish_app, fish_option},
};

enum { SHELLS = sizeof shells / sizeof *shells };

static void tell_options(const struct shell *sh, const char *verb, const char *app,
                         const struct htmt_app_option *rows)
{
    for (; rows && rows->name; rows++)
        sh->option(verb, app, rows);
}

/* A verb of several applications is told once. */
static void tell_app_verbs(const struct shell *sh, const struct htmt_app *const *apps,
                           const struct htmt_app *app)
{
    for (const struct htmt_app_verb *v = app->verbs; v && v->name; v++) {
        const struct htmt_app *const *before = apps;
        while (*before != app && !htmt__application_verb_find(*before, v->name))
            before++;
        if (*before == app)
            sh->verb(v->name, v->summary);
        tell_options(sh, v->name, app->name, v->options);
    }
}

static int verb_completion(struct htmt__command *program, int argc, char **argv)
{
    const struct htmt_app *const *apps;
    const struct shell *sh = NULL;
    const char *names[SHELLS];
    struct htmt_fault fault = {0};
    int rc = 0;
    for (unsigned i = 0; i < SHELLS; i++) {
        names[i] = shells[i].name;
        if (argc == 2 && strcmp(argv[1], names[i]) == 0)
            sh = &shells[i];
    }
    if (argc != 2)
        rc = htmt_fault_set(&fault, HTMT_EUSAGE, "expected one shell: bash, zsh or fish");
    else if (!sh)
        rc =
            htmt__suggest_refuse("shell", argv[1], names, SHELLS, "'htmt help completion'", &fault);
    rc = rc ? rc : htmt__application_all(&program->apps, &apps, &fault);
    if (rc)
        return htmt__complain("completion", &fault);
    fputs(sh->begin, stdout);
    for (const struct htmt__verb *const *v = program->verbs; *v; v++) {
        sh->verb((*v)->name, (*v)->summary);
        tell_options(sh, (*v)->name, NULL, (*v)->options);
    }
    tell_options(sh, NULL, NULL, htmt__common_rows);
    for (const struct htmt_app *const *app = apps; *app; app++) {
        sh->app((*app)->name, (*app)->summary);
        tell_options(sh, NULL, (*app)->name, (*app)->options);
        tell_app_verbs(sh, apps, *app);
    }
    fputs(sh->end, stdout);
    return 0;
}

const struct htmt__verb htmt__verb_row_completion = {
    "completion",
    "bash | zsh | fish",
    "print completions of the command line for a shell",
    verb_completion,
    NULL,
    NULL};
