/**
 * A message's `content` contains its `plain_text`. In a row the text is stored once: a mark in the content says where it
 * was. Migrations depend on this format, so packed rows must stay readable.
 */

/** No JSON text contains these two: they must be escaped in strings. */
const textMark = "\u0001";
const commonMark = "\u0002";
/** What precedes a text in the formats of messages. */
const opening = '"text":"';

/** Frequent contents without their text. The mark and the position in this list stand for them: only append to it. */
const common = [
  `{"role":"user","content":[{"type":"text","text":${textMark}${textMark}}]}`,
  `{"role":"assistant","content":[{"type":"text","text":${textMark}${textMark}}],"metadata":{"custom":{}},"status":{"type":"complete","reason":"stop"}}`,
  `{"role":"assistant","content":[{"type":"text","text":${textMark}${textMark}}]}`,
];

const commonParts = common.map((content) => content.split(textMark + textMark));

/** The content as it is stored beside its plain text. */
export function packContent(content: string, plainText: string): string {
  if (plainText === "") return content;
  let packed = "";
  let copiedTo = 0;
  let at = 0;
  for (let key = content.indexOf(opening); key !== -1; key = content.indexOf(opening, copiedTo)) {
    const start = key + opening.length - 1;
    const end = endOfString(content, start);
    const piece = JSON.parse(content.slice(start, end)) as string;
    const isInPlainText = piece !== "" && plainText.startsWith(piece, at);
    packed += content.slice(copiedTo, isInPlainText ? start : end);
    copiedTo = end;
    if (!isInPlainText) continue;
    // The last text has no length.
    packed += textMark + (at + piece.length === plainText.length ? "" : piece.length) + textMark;
    at += piece.length + separatorLength;
  }
  packed += content.slice(copiedTo);
  const index = common.indexOf(packed);
  const stored = index === -1 ? packed : `${commonMark}${index}`;
  // Escapes can be written in several ways.
  return unpackContent(stored, plainText) === content ? stored : content;
}

/** The content that `packContent` was given. */
export function unpackContent(stored: string, plainText: string): string {
  if (stored.startsWith(commonMark)) {
    const [before, after] = commonParts[Number(stored.slice(1))]!;
    return before + JSON.stringify(plainText) + after;
  }
  if (!stored.includes(textMark)) return stored;
  let at = 0;
  return stored
    .split(textMark)
    .map((part, index) => {
      if (index % 2 === 0) return part;
      const end = part === "" ? plainText.length : at + Number(part);
      const piece = plainText.slice(at, end);
      at = end + separatorLength;
      return JSON.stringify(piece);
    })
    .join("");
}

/** The row as the server uses it. Changes the row, because a copy takes longer than reading it. */
export function unpackRow<Row extends { content: string; plain_text: string }>(row: Row): Row {
  row.content = unpackContent(row.content, row.plain_text);
  return row;
}

/** An empty line separates the texts of several parts. */
const separatorLength = 2;

/** The position after the JSON string that begins at `start`. */
function endOfString(json: string, start: number): number {
  for (let quote = json.indexOf('"', start + 1); ; quote = json.indexOf('"', quote + 1)) {
    if (quote === -1) throw new Error("The content of a message is not JSON.");
    let backslashes = 0;
    while (json[quote - 1 - backslashes] === "\\") backslashes++;
    if (backslashes % 2 === 0) return quote + 1;
  }
}
