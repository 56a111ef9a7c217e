/** Rows as aligned text, under the names of their columns. */
export function table<Row extends object>(rows: readonly Row[], columns: readonly (keyof Row & string)[]): string {
  const lines = [columns, ...rows.map((row) => columns.map((column) => String(row[column] ?? '')))];
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  const [head = '', ...body] = lines.map((line) =>
    line
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join(' | ')
      .trimEnd(),
  );
  const rule = widths.map((width) => '-'.repeat(width)).join('-+-');
  return [head, rule, ...body].map((line) => `  ${line}`).join('\n');
}
