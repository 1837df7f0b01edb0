/* table.c: tables whose columns are aligned. */
#include "util/table.h"

#include <stdarg.h>
#include <string.h>

void table_row(struct table *t)
{
    if (t->rows < TABLE_ROWS)
        t->rows++;
    memset(t->cell[t->rows - 1], 0, sizeof t->cell[0]);
    t->columns = 0;
}

void table_cell(struct table *t, const char *format, ...)
{
    char text[TABLE_CELL_BYTES];
    va_list args;
    if (t->columns == TABLE_COLUMNS)
        return;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    escape_text(text, t->cell[t->rows - 1][t->columns++], TABLE_CELL_BYTES);
}

void table_print(const struct table *t, FILE *file, unsigned right)
{
    int width[TABLE_COLUMNS] = {0};
    for (int i = 0; i < t->rows; i++)
        for (int j = 0; j < TABLE_COLUMNS; j++) {
            int n = (int)strlen(t->cell[i][j]);
            width[j] = n > width[j] ? n : width[j];
        }
    for (int i = 0; i < t->rows; i++) {
        int last = TABLE_COLUMNS - 1;
        while (last > 0 && !t->cell[i][last][0])
            last--;
        for (int j = 0; j <= last; j++) {
            bool is_right = right >> j & 1;
            int w = is_right ? width[j] : j < last ? -width[j] : 0;
            (void)fprintf(file, "%s%*s", j ? "  " : "", w, t->cell[i][j]);
        }
        (void)fputc('\n', file);
    }
}
