/* help.h: the help of the command and of each subcommand. */
#ifndef ZTI_UTIL_HELP_H
#define ZTI_UTIL_HELP_H

/* The help of a subcommand, or of all (0), a screenful. */
const char *help_text(unsigned command);

#endif
