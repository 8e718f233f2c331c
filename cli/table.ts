/** Formats rows as aligned columns under headings. */
export function table(headings: string[], rows: string[][]): string {
  const lines = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => widthOf(line[column] ?? ""))));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell + " ".repeat(Math.max(0, (widths[column] ?? 0) - widthOf(cell))))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

const graphemes = new Intl.Segmenter();

function widthOf(text: string): number {
  return [...graphemes.segment(text)].length;
}
