/** The rows as CSV. */
export function csvOf(rows: readonly (readonly string[])[]): string {
  const field = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return rows.map((row) => `${row.map(field).join(",")}\r\n`).join("");
}
