/** Characters that may begin or end syntax inside a line. */
const marks = new Set("*_[]<&`~$|\\");

/** The cost of a mark, in letters: it is parsed, and can become an element of the page. */
const markWork = 8;

/** The cost of a character in a deep indent, in letters: the parser checks every level on every line. */
const indentWork = 8;
/** Characters. A shorter indent costs nothing, and the parser reads no levels beyond the longest. */
const deepIndent = { from: 20, to: 100 };

const indent = /^[ \t>]*/;

/**
 * The end of the first line of `text` that exceeds `max`; 0 if there is none. `work` is the number of characters, and
 * more for those that take longer.
 */
export function endOfLines(text: string, max: { work: number; lines: number }): number {
  let end = 0;
  let work = 0;
  for (let lines = 0; lines < max.lines && work <= max.work; lines++) {
    const start = end;
    end = text.indexOf("\n", start) + 1;
    if (end === 0) return 0;
    work += workOf(text.slice(start, end));
  }
  return end;
}

function workOf(line: string): number {
  const depth = indent.exec(line)?.[0].length ?? 0;
  let work = line.length + indentWork * Math.max(0, Math.min(depth, deepIndent.to) - deepIndent.from);
  for (const character of line) if (marks.has(character)) work += markWork;
  return work;
}
