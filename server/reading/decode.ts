/**
 * The text that bytes are: UTF-8, UTF-16 with its mark, or else what Windows in the west wrote before that. `isCut`
 * says that there were more bytes, so that the last character may be half. `undefined` where it is no text.
 */
export function decodeText(bytes: Uint8Array, isCut: boolean): string | undefined {
  const encoding =
    bytes[0] === 0xff && bytes[1] === 0xfe
      ? "utf-16le"
      : bytes[0] === 0xfe && bytes[1] === 0xff
        ? "utf-16be"
        : "utf-8";
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: isCut });
  } catch {
    return bytes.includes(0) ? undefined : new TextDecoder("windows-1252").decode(bytes);
  }
}
