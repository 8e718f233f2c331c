import { SaxesParser } from "saxes";
import { ExtractionError } from "../extraction-error.ts";
import { LimitReachedError } from "./text-buffer.ts";

/** By local name. Programs choose different namespace prefixes. */
export type Attributes = ReadonlyMap<string, string>;

export type XmlListener = {
  open?(name: string, attributes: Attributes): void;
  close?(name: string): void;
  text?(text: string): void;
};

/** Real documents have a depth of about 30. */
const depthMax = 256;

/**
 * Parses an XML stream. A document type is refused: none of these formats has one, and it could declare entities that
 * expand without end or that load other files. Throws `ExtractionError`, and what a listener throws.
 */
export async function readXml(bytes: AsyncIterable<Uint8Array>, listener: XmlListener): Promise<void> {
  const parser = new SaxesParser({ position: false, xmlns: false });
  let depth = 0;
  parser.on("doctype", () => {
    throw new ExtractionError("damaged");
  });
  parser.on("error", (error) => {
    throw new ExtractionError("damaged", { cause: error });
  });
  parser.on("opentag", ({ name, attributes }) => {
    if (++depth > depthMax) throw new ExtractionError("too-large");
    listener.open?.(localName(name), withLocalNames(attributes));
  });
  parser.on("closetag", ({ name }) => {
    depth--;
    listener.close?.(localName(name));
  });
  if (listener.text !== undefined) parser.on("text", (text) => listener.text?.(text));
  let decoder: TextDecoder | undefined;
  try {
    for await (const chunk of bytes) {
      decoder ??= new TextDecoder(encodingOf(chunk));
      parser.write(decoder.decode(chunk, { stream: true }));
    }
    if (decoder !== undefined) parser.write(decoder.decode()).close();
  } catch (error) {
    if (error instanceof ExtractionError || error instanceof LimitReachedError) throw error;
    throw new ExtractionError("damaged", { cause: error });
  }
}

/** Office programs write UTF-8, or UTF-16 with a byte order mark. */
function encodingOf(chunk: Uint8Array): string {
  if (chunk[0] === 0xff && chunk[1] === 0xfe) return "utf-16le";
  if (chunk[0] === 0xfe && chunk[1] === 0xff) return "utf-16be";
  return "utf-8";
}

/** If there are both `id` and `r:id`, the one with a prefix wins: it is the reference. */
function withLocalNames(attributes: Record<string, string>): Attributes {
  const all = Object.entries(attributes);
  const prefixed = all.filter(([key]) => key.includes(":"));
  return new Map([...all, ...prefixed].map(([key, value]) => [localName(key), value]));
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}
