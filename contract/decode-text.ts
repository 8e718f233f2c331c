/** Returns possible encodings with a confidence of up to 100, the most likely first. */
export type Detect = (bytes: Uint8Array) => { name: string; confidence: number }[];

/** How much is used to detect a legacy encoding, starting at the first byte that is not ASCII. */
const sampleBytes = 64 * 1024;
/** Below this (of 100) the detector only guesses. */
const confidenceMin = 15;

/**
 * Decodes UTF-8, UTF-16 or a detected legacy encoding, with Windows-1252 as the fallback. `isCut`: the bytes are the beginning
 * of a file, so the last character may be incomplete. `undefined` if the bytes are not text.
 */
export function decodeText(bytes: Uint8Array, isCut: boolean, detect: Detect): string | undefined {
  const wide = utf16Encoding(bytes);
  if (wide !== undefined) return tryDecode(bytes, wide, isCut);
  if (bytes.includes(0)) return undefined;
  return (
    tryDecode(bytes, "utf-8", isCut) ?? decodeDamagedUtf8(bytes, isCut) ?? decodeLegacy(bytes, isCut, detect)
  );
}

/** Detects UTF-16 by its byte order mark, or by zeros in every other byte. */
function utf16Encoding(bytes: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  const head = bytes.subarray(0, 4_000);
  const zeros = [0, 0];
  for (const [at, byte] of head.entries()) if (byte === 0) zeros[at % 2]!++;
  const pairs = head.length / 2;
  const [even = 0, odd = 0] = zeros;
  if (odd > 0.3 * pairs && even < 0.02 * pairs) return "utf-16le";
  return even > 0.3 * pairs && odd < 0.02 * pairs ? "utf-16be" : undefined;
}

function tryDecode(bytes: Uint8Array, encoding: string, isCut: boolean): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: isCut });
  } catch {
    return undefined;
  }
}

/** Accepts UTF-8 with a few invalid bytes: other encodings rarely contain valid UTF-8 sequences. */
function decodeDamagedUtf8(bytes: Uint8Array, isCut: boolean): string | undefined {
  const text = new TextDecoder().decode(bytes, { stream: isCut });
  const strays = text.match(/\ufffd/g)?.length ?? 0;
  const right = text.match(/[^\0-\x7f\ufffd]/gu)?.length ?? 0;
  return 2 * strays <= right ? text : undefined;
}

function decodeLegacy(bytes: Uint8Array, isCut: boolean, detect: Detect): string {
  const from = bytes.findIndex((byte) => byte > 0x7f);
  const likely = detect(bytes.subarray(from, from + sampleBytes)).filter(
    ({ name, confidence }) => confidence >= confidenceMin && !/^(?:utf|ascii)/i.test(name),
  );
  for (const { name } of likely) {
    const text = tryDecode(bytes, name, isCut);
    if (text !== undefined) return text;
  }
  return new TextDecoder("windows-1252").decode(bytes);
}
