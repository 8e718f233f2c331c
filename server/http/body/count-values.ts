const quote = 0x22;
const comma = 0x2c;
const openList = 0x5b;
const backslash = 0x5c;
const openObject = 0x7b;

/**
 * Counts the values in a JSON text before it is parsed: each value except the first follows a `,`, `[` or `{` outside of
 * strings, so empty objects and lists count twice. The function takes the text chunk by chunk and returns the count so
 * far.
 */
export function createValueCounter(): (chunk: Uint8Array) => number {
  let count = 0;
  let inString = false;
  let isEscaped = false;
  return (chunk) => {
    // An index is faster than an iterator, and every byte of every body is counted.
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      if (isEscaped) isEscaped = false;
      else if (byte === quote) inString = !inString;
      else if (inString) isEscaped = byte === backslash;
      else if (byte === comma || byte === openList || byte === openObject) count++;
    }
    return count;
  };
}
