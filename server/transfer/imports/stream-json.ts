import { nestingMax, nestsDeeper } from "#contract/json.ts";
import { AppError } from "#server/lib/errors.ts";

/** A member of the top-level object, or an element of the streamed list. */
export type JsonItem = { key: string; value: unknown } | { element: unknown };

/** Parsing blocks the event loop: 0.2 s for a million values. Real messages and conversations have fewer. */
const itemValuesMax = 1_000_000;

const byte = {
  quote: 0x22,
  backslash: 0x5c,
  comma: 0x2c,
  openBrace: 0x7b,
  closeBrace: 0x7d,
  openBracket: 0x5b,
  closeBracket: 0x5d,
} as const;

/**
 * Parses large JSON item by item: the elements of a top-level list, or the members of a top-level object, whose members
 * `lists` are parsed element by element. Needs memory only for the largest item. `JSON.parse` parses each item, so that
 * keys and characters come unchanged.
 *
 * Throws `bad-json`, `import-damaged` for a truncated text, and `too-large` for an item of more than `itemBytesMax` bytes
 * or a million values.
 */
export async function* streamJson(
  chunks: AsyncIterable<Uint8Array>,
  { lists = [], itemBytesMax }: { lists?: readonly string[]; itemBytesMax: number },
): AsyncGenerator<JsonItem> {
  let depth = 0;
  /** The depth at which commas separate items: 1 at the top, 2 in the list. */
  let level = 1;
  let closing = 0;
  let inText = false;
  let escaped = false;
  /** Whether the list has just ended, so that only a separator may follow. */
  let after = false;
  let isFirst = true;
  let parts: Uint8Array[] = [];
  let size = 0;
  let values = 0;

  function add(piece: Uint8Array): void {
    size += piece.length;
    if (size > itemBytesMax) throw new AppError("too-large");
    parts.push(piece);
  }

  function addValue(): void {
    if (++values > itemValuesMax) throw new AppError("too-large");
  }

  function take(): string {
    const text = decoded(Buffer.concat(parts));
    parts = [];
    size = 0;
    values = 0;
    return text;
  }

  /** The item that ends here, if there is one. */
  function flush(isEnd: boolean): JsonItem | undefined {
    const text = take();
    const isEmpty = text.trim() === "";
    const wasFirst = isFirst;
    isFirst = false;
    if (after) {
      if (!isEmpty) throw new AppError("bad-json");
      after = false;
      return undefined;
    }
    if (isEmpty && isEnd && wasFirst) return undefined;
    if (level === 2 || closing === byte.closeBracket) return { element: parsed(text) };
    const [member] = Object.entries(parsed(`{${text}}`) as object);
    if (member === undefined) throw new AppError("bad-json");
    return { key: member[0], value: member[1] };
  }

  for await (const chunk of chunks) {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const is = chunk[at]!;
      if (inText) {
        if (escaped) escaped = false;
        else if (is === byte.backslash) escaped = true;
        else if (is === byte.quote) inText = false;
        continue;
      }
      if (depth === 0) {
        if (isSpace(is)) continue;
        if (closing !== 0 || (is !== byte.openBrace && is !== byte.openBracket))
          throw new AppError("bad-json");
        closing = is === byte.openBrace ? byte.closeBrace : byte.closeBracket;
        depth = 1;
        from = at + 1;
      } else if (is === byte.quote) inText = true;
      else if (is === byte.openBrace || is === byte.openBracket) {
        depth++;
        addValue();
        const mayBeList =
          level === 1 && depth === 2 && closing === byte.closeBrace && is === byte.openBracket;
        if (mayBeList && !after && lists.length > 0) {
          add(chunk.subarray(from, at));
          from = at;
          if (isKey(parts, lists)) {
            take();
            level = 2;
            isFirst = true;
            from = at + 1;
          }
        }
      } else if (is === byte.closeBrace || is === byte.closeBracket) {
        depth--;
        if (depth >= level) continue;
        if (is !== (level === 2 ? byte.closeBracket : closing)) throw new AppError("bad-json");
        add(chunk.subarray(from, at));
        from = at + 1;
        const item = flush(true);
        if (item !== undefined) yield item;
        if (level === 2) [level, after] = [1, true];
      } else if (is === byte.comma && depth > level) addValue();
      else if (is === byte.comma) {
        add(chunk.subarray(from, at));
        from = at + 1;
        const item = flush(false);
        if (item !== undefined) yield item;
      }
    }
    if (depth > 0) add(chunk.subarray(from));
  }
  if (depth > 0 || closing === 0) throw new AppError(closing === 0 ? "bad-json" : "import-damaged");
}

/** Whitespace and the bytes of the byte order mark. */
function isSpace(is: number): boolean {
  return (
    is === 0x20 || is === 0x0a || is === 0x0d || is === 0x09 || is === 0xef || is === 0xbb || is === 0xbf
  );
}

function isKey(parts: Uint8Array[], keys: readonly string[]): boolean {
  const key = /^\s*("(?:[^"\\]|\\.)*")\s*:\s*$/.exec(decoded(Buffer.concat(parts)))?.[1];
  return keys.some((each) => key === JSON.stringify(each));
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new AppError("bad-json", { cause });
  }
}

function parsed(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new AppError("bad-json", { cause });
  }
  if (nestsDeeper(value, nestingMax))
    throw new AppError("bad-request", {
      details: [{ path: "file", message: `must not be nested deeper than ${nestingMax} levels` }],
    });
  return value;
}
