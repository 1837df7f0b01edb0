/* table.h: tables whose columns are aligned. */
#ifndef ZTI_UTIL_TABLE_H
#define ZTI_UTIL_TABLE_H

#include "util/print.h"

enum { TABLE_COLUMNS = 10, TABLE_ROWS = 40, TABLE_CELL_BYTES = 160 };

struct table {
    int rows;
    int columns;
    char cell[TABLE_ROWS][TABLE_COLUMNS][TABLE_CELL_BYTES];
};

/* Begin a row, then fill its cells from left to right. */
void table_row(struct table *table);
void table_cell(struct table *table, const char *format, ...) CLI_PRINTF(2, 3);

/* Columns apart by two spaces; those whose bit is set in right are aligned to the right. */
void table_print(const struct table *table, FILE *file, unsigned right);

#endif
