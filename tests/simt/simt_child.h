/* simt_child.h: tests of what ends a program, in a child process. */
#ifndef SIMT_CHILD_H
#define SIMT_CHILD_H

#include "simt_runtime.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Do something in a child, under a seed; what it returns is the child's exit status, if it does not
 * end it. Returns how the child ended, as waitpid tells it, or -1 where there is none; the last of
 * what it says on stderr goes to text. */
template <class F> static int end_of_child(uint64_t seed, char *text, size_t room, F what)
{
    int ends[2], status = 0;
    size_t n = 0;
    text[0] = 0;
    if (pipe(ends) != 0)
        return -1;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 2);
        close(ends[0]);
        alarm(60);
        simt_opt.seed = seed;
        _exit(what());
    }
    close(ends[1]);
    for (ssize_t got; (got = read(ends[0], text + n, room - 1 - n)) > 0;)
        n = n + (size_t)got < room - 1 ? n + (size_t)got : 0;
    text[n] = 0;
    close(ends[0]);
    waitpid(child, &status, 0);
    return child > 0 ? status : -1;
}

#endif
