// Plain text tables.

/** Columns that hold only text are aligned left, all others right. */
export function formatTable(head: readonly string[], body: readonly (readonly string[])[]): string {
  const columns = head.map((title, index) => {
    const cells = body.map((row) => row[index] ?? "");
    const width = Math.max(title.length, ...cells.map((cell) => cell.length));
    return { width, left: cells.every((cell) => /^[a-z]/.test(cell)) };
  });
  const line = (cells: readonly string[]): string =>
    columns
      .map(({ width, left }, index) => {
        const cell = cells[index] ?? "";
        return left ? cell.padEnd(width) : cell.padStart(width);
      })
      .join("  ")
      .trimEnd();
  const rule = columns.map(({ width }) => "-".repeat(width)).join("  ");
  return [line(head), rule, ...body.map(line)].join("\n");
}

/** Three significant digits; whole numbers get thousands separators. */
export function formatNumber(value: number | undefined): string {
  if (value === undefined) return "-";
  const digits = Math.abs(value) < 1 ? 3 : Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0;
  return value.toLocaleString("en-US", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

export function formatRatio(value: number | undefined, base: number | undefined): string {
  if (value === undefined || base === undefined) return "-";
  return `${formatNumber(value / base)}x`;
}
