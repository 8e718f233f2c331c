import { fileTypeFromBuffer } from "file-type";
import { textNames } from "./text-names.ts";

/** What must be seen of a file to tell what it is: file-type's own figure, and room for a text's first words. */
export const sniffBytes = 4_100;

const unknown = "application/octet-stream";

/** Texts that are told apart by their names and what was declared, for their bytes do not show it. */
const textTypes: Record<string, string> = {
  ".csv": "text/csv",
  ".tsv": "text/tab-separated-values",
  ".md": "text/markdown",
  ".markdown": "text/markdown",
  ".json": "application/json",
  ".jsonl": "application/jsonl",
  ".yaml": "application/yaml",
  ".yml": "application/yaml",
  ".toml": "application/toml",
  ".xml": "application/xml",
  ".css": "text/css",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".ics": "text/calendar",
  ".vtt": "text/vtt",
};

/**
 * The type that the bytes show, whatever was declared: `head` are the first 4,100 of them, or all. A text is of the
 * kind that its name says, unless a browser would run it: that is seen first, and never hidden by a name.
 */
export async function typeOfBytes(head: Uint8Array, name: string): Promise<string> {
  const found = await fileTypeFromBuffer(head).catch(() => undefined);
  const mime = found?.mime.split(";")[0] ?? tiffOf(head);
  const text = asText(head);
  // As a type or behind a plus; "openxmlformats" is in those of office documents.
  const isMarkup = mime !== undefined && /[/+](?:xml|x?html)\b/.test(mime);
  if (mime !== undefined && !isMarkup && (text === undefined || !isText(mime, name))) return mime;
  if (text === undefined) return mime === undefined ? unknown : "application/xml";
  return (
    typeOfMarkup(text) ?? textTypes[/\.[a-z0-9]{1,10}$/i.exec(name)?.[0].toLowerCase() ?? ""] ?? "text/plain"
  );
}

/**
 * Whether what is a text to the last character is one, whatever it begins like: `BMI,Age` is no bitmap, and `The wide
 * range of` no film. A PDF may be made of nothing but letters; and what is called a page, and a browser might run, is what
 * its bytes show.
 */
function isText(mime: string, name: string): boolean {
  return textNames.test(name) && !/\.html?$/i.test(name) && mime !== "application/pdf";
}

/** A TIFF says at its end what it holds, which is not in its head where it is long. */
function tiffOf(head: Uint8Array): string | undefined {
  const first = Buffer.from(head.subarray(0, 4)).toString("latin1");
  return first === "II*\0" || first === "MM\0*" ? "image/tiff" : undefined;
}

/** Its words, where it is UTF-8, or UTF-16 with a mark that says so; `undefined` for anything else. */
function asText(head: Uint8Array): string | undefined {
  const wide = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
  try {
    const encoding = wide ? (head[0] === 0xff ? "utf-16le" : "utf-16be") : "utf-8";
    // Cut off in the middle of a character, as a head may be, it is text all the same.
    const text = new TextDecoder(encoding, { fatal: true }).decode(head, { stream: true });
    // oxlint-disable-next-line no-control-regex -- what no text has: controls other than tab, line ends and escape
    return /[\0-\x08\x0e-\x1a\x1c-\x1f\x7f]/.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** What a browser that guesses would take it for: HTML and SVG have no first bytes of their own. */
function typeOfMarkup(text: string): string | undefined {
  if (/<svg[\s>]/i.test(text)) return "image/svg+xml";
  if (
    /<(!doctype html|html|head|body|script|iframe|style|title|meta|link|object|embed|form|a|img|table|div|p)[\s>/]/i.test(
      text,
    ) &&
    /^\s*(<!--|<)/.test(text)
  )
    return "text/html";
  if (/^\s*<\?xml/i.test(text)) return "application/xml";
  return undefined;
}
