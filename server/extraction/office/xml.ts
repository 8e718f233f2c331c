import { SaxesParser } from "saxes";
import { FaultError } from "./fault.ts";
import { EnoughError } from "./words.ts";

/** Names come without their prefixes: those are each program's own choice. */
export type Attributes = ReadonlyMap<string, string>;

export type XmlListener = {
  open?(name: string, attributes: Attributes): void;
  close?(name: string): void;
  text?(text: string): void;
};

/** A document of people is some thirty deep. */
const depthMax = 256;

/**
 * Reads XML as it comes. A document type is refused: none of these formats has one, and it is where entities that
 * unfold without end, and those that fetch, would be declared. Throws `FaultError`, and what a listener throws.
 */
export async function readXml(bytes: AsyncIterable<Uint8Array>, listener: XmlListener): Promise<void> {
  const parser = new SaxesParser({ position: false, xmlns: false });
  let depth = 0;
  parser.on("doctype", () => {
    throw new FaultError("damaged");
  });
  parser.on("error", (error) => {
    throw new FaultError("damaged", { cause: error });
  });
  parser.on("opentag", ({ name, attributes }) => {
    if (++depth > depthMax) throw new FaultError("too-large");
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
    if (error instanceof FaultError || error instanceof EnoughError) throw error;
    throw new FaultError("damaged", { cause: error });
  }
}

/** XML is in UTF-8, or in UTF-16 with a mark; nothing else is written by these programs. */
function encodingOf(chunk: Uint8Array): string {
  if (chunk[0] === 0xff && chunk[1] === 0xfe) return "utf-16le";
  if (chunk[0] === 0xfe && chunk[1] === 0xff) return "utf-16be";
  return "utf-8";
}

/** Of `id` and `r:id` the one with a prefix counts: it is the one that leads somewhere. */
function withLocalNames(attributes: Record<string, string>): Attributes {
  const all = Object.entries(attributes);
  const prefixed = all.filter(([key]) => key.includes(":"));
  return new Map([...all, ...prefixed].map(([key, value]) => [localName(key), value]));
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}
