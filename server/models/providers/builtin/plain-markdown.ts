/** URLs and email addresses. They become code, so that quoted text contains no links. */
const urlPattern = /(?:[a-z][a-z0-9+.-]*:\/\/|www\.|mailto:)[^\s`]+|[^\s@`]+@[^\s@`]+\.[^\s@`]+/giu;

/** Escapes text for Markdown: links, pictures, headings and formulas in it have no effect. */
export function plainMarkdown(text: string): string {
  const flat = text.replace(/\s+/g, " ").trim();
  let safe = "";
  let end = 0;
  for (const found of flat.matchAll(urlPattern)) {
    safe += escaped(flat.slice(end, found.index)) + `\`${found[0]}\``;
    end = found.index + found[0].length;
  }
  safe += escaped(flat.slice(end));
  // The start of a heading or a list.
  return safe.replace(/^[-+=#]/, String.raw`\$&`).replace(/^(\d+)(?=[.)])/, "$1\\");
}

/** A Markdown block quote without blank lines, and without the markup of headings, lists and emphasis. */
export function quotation(text: string): string {
  const lines = text
    .split("\n")
    .map((line) => line.replace(/^\s*(?:#{1,6}\s+|>\s?|[-*+]\s+|```\S*\s*$)/, "").replace(/\*\*|__/g, ""))
    .filter((line) => line.trim() !== "");
  return lines.map((line) => `> ${plainMarkdown(line)}`).join("\\\n");
}

/** A bracket becomes a character reference, because `\[` starts a formula. */
function escaped(text: string): string {
  return text.replace(/[\\`*_\]<>|~$]|&(?=#?\w+;)/g, String.raw`\$&`).replaceAll("[", "&#91;");
}
