/** The end of the first line of `text` that exceeds `max`; 0 if there is none. */
export function endOfLines(text: string, max: { characters: number; lines: number }): number {
  let end = 0;
  for (let lines = 0; lines < max.lines && end <= max.characters; lines++) {
    end = text.indexOf("\n", end) + 1;
    if (end === 0) return 0;
  }
  return end;
}
