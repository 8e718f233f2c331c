import { textNames } from "./text-names.ts";

/** Loaded with the first file. */
export const fileTypes = async () => await import("file-type");

/** How many bytes of a file are inspected: the number that file-type needs. */
export const sniffBytes = 4_100;

const unknown = "application/octet-stream";

/** Types of text by extension, because the bytes do not show them. */
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
 * The type that the bytes show, whatever was declared. `head` are the first 4,100 bytes, or all. For text, the name
 * decides, except that HTML and SVG are always recognized, because a browser would run them.
 */
export async function typeOfBytes(head: Uint8Array, name: string): Promise<string> {
  const { fileTypeFromBuffer } = await fileTypes();
  const found = await fileTypeFromBuffer(head).catch(() => undefined);
  const mime = found?.mime.split(";")[0] ?? tiffOf(head);
  const text = asText(head);
  // As a subtype or after a plus. The types of office documents contain "openxmlformats".
  const isMarkup = mime !== undefined && /[/+](?:xml|x?html)\b/.test(mime);
  if (mime !== undefined && !isMarkup && (text === undefined || !isText(mime, name))) return mime;
  if (text === undefined) return mime === undefined ? unknown : "application/xml";
  return (
    typeOfMarkup(text) ?? textTypes[/\.[a-z0-9]{1,10}$/i.exec(name)?.[0].toLowerCase() ?? ""] ?? "text/plain"
  );
}

/**
 * Whether decodable bytes are text although they begin like another type: `BMI,Age` is not a bitmap. A PDF may consist
 * of text only, so it stays a PDF. The extension of a web page is not trusted, because a browser might run it.
 */
function isText(mime: string, name: string): boolean {
  return textNames.test(name) && !/\.html?$/i.test(name) && mime !== "application/pdf";
}

/** file-type needs the end of a TIFF, which the head of a long file does not contain. */
function tiffOf(head: Uint8Array): string | undefined {
  const first = Buffer.from(head.subarray(0, 4)).toString("latin1");
  return first === "II*\0" || first === "MM\0*" ? "image/tiff" : undefined;
}

/** The decoded text, if it is UTF-8 or UTF-16 with a byte order mark; otherwise `undefined`. */
function asText(head: Uint8Array): string | undefined {
  const wide = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
  try {
    const encoding = wide ? (head[0] === 0xff ? "utf-16le" : "utf-16be") : "utf-8";
    // The head may end in the middle of a character.
    const text = new TextDecoder(encoding, { fatal: true }).decode(head, { stream: true });
    // oxlint-disable-next-line no-control-regex -- what no text has: controls other than tab, line ends and escape
    return /[\0-\x08\x0e-\x1a\x1c-\x1f\x7f]/.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** The type that a sniffing browser would choose: HTML and SVG have no magic bytes. */
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
