const quote = 0x22;
const comma = 0x2c;
const openList = 0x5b;
const backslash = 0x5c;
const openObject = 0x7b;

/**
 * Counts the values of a JSON text from its bytes, piece by piece and before it is parsed: each value but the first
 * follows a `,`, `[` or `{` outside of strings. The count so far is returned; empty objects and lists count twice.
 */
export function createValueCounter(): (piece: Uint8Array) => number {
  let count = 0;
  let inString = false;
  let isEscaped = false;
  return (piece) => {
    // An index is faster here than an iterator: every byte of every body passes.
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at];
      if (isEscaped) isEscaped = false;
      else if (byte === quote) inString = !inString;
      else if (inString) isEscaped = byte === backslash;
      else if (byte === comma || byte === openList || byte === openObject) count++;
    }
    return count;
  };
}
