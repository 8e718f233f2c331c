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
 * keys and characters come unchanged: @streamparser/json 0.0.26 drops U+FEFF at the beginning of a text.
 *
 * Throws `bad-json`, `import-damaged` for a truncated text, and `too-large` for an item of more than `itemBytesMax` bytes
 * or a million values.
 */
export async function* streamJson(
  chunks: AsyncIterable<Uint8Array>,
  { lists = [], itemBytesMax }: { lists?: readonly string[]; itemBytesMax: number },
): AsyncGenerator<JsonItem> {
  const splitter = createSplitter(lists, createItemBuffer(itemBytesMax));
  for await (const chunk of chunks) yield* splitter.split(chunk);
  splitter.end();
}

/** Finds where items begin and end, by counting brackets and skipping strings. */
function createSplitter(lists: readonly string[], buffer: ItemBuffer) {
  let depth = 0;
  /** The depth at which commas separate items: 1 at the top, 2 in the list. */
  let level = 1;
  let closing = 0;
  /** Whether the list has just ended, so that only a separator may follow. */
  let isAfterList = false;
  let isFirst = true;

  function* split(chunk: Uint8Array): Generator<JsonItem> {
    let from = 0;
    const addUntil = (end: number) => {
      buffer.add(chunk.subarray(from, end));
      from = end;
    };
    for (let at = 0; at < chunk.length; at++) {
      const is = chunk[at]!;
      if (skipsString(is)) continue;
      if (depth === 0) {
        if (isSpace(is)) continue;
        openTop(is);
        from = at + 1;
      } else if (is === byte.openBrace || is === byte.openBracket) {
        depth++;
        buffer.addValue();
        if (!mayBeList(is)) continue;
        addUntil(at);
        if (!buffer.isKey(lists)) continue;
        openList();
        from = at + 1;
      } else if (is === byte.closeBrace || is === byte.closeBracket) {
        depth--;
        if (depth >= level) continue;
        if (is !== (level === 2 ? byte.closeBracket : closing)) throw new AppError("bad-json");
        addUntil(at);
        from = at + 1;
        const item = takeItem(true);
        if (item !== undefined) yield item;
        if (level === 2) [level, isAfterList] = [1, true];
      } else if (is === byte.comma) {
        if (depth > level) {
          buffer.addValue();
          continue;
        }
        addUntil(at);
        from = at + 1;
        const item = takeItem(false);
        if (item !== undefined) yield item;
      }
    }
    if (depth > 0) buffer.add(chunk.subarray(from));
  }

  let isInString = false;
  let isEscaped = false;

  /** Whether this byte is part of a string, including its quotes. */
  function skipsString(is: number): boolean {
    if (!isInString) return (isInString = is === byte.quote && depth > 0);
    if (isEscaped) isEscaped = false;
    else if (is === byte.backslash) isEscaped = true;
    else if (is === byte.quote) isInString = false;
    return true;
  }

  function openTop(is: number): void {
    if (closing !== 0 || (is !== byte.openBrace && is !== byte.openBracket)) throw new AppError("bad-json");
    closing = is === byte.openBrace ? byte.closeBrace : byte.closeBracket;
    depth = 1;
  }

  function mayBeList(is: number): boolean {
    const isMember = level === 1 && depth === 2 && closing === byte.closeBrace;
    return isMember && is === byte.openBracket && !isAfterList && lists.length > 0;
  }

  function openList(): void {
    buffer.take();
    level = 2;
    isFirst = true;
  }

  /** The item that ends here, if there is one. */
  function takeItem(isEnd: boolean): JsonItem | undefined {
    const text = buffer.take();
    const isEmpty = text.trim() === "";
    const wasFirst = isFirst;
    isFirst = false;
    if (isAfterList) {
      if (!isEmpty) throw new AppError("bad-json");
      isAfterList = false;
      return undefined;
    }
    if (isEmpty && isEnd && wasFirst) return undefined;
    if (level === 2 || closing === byte.closeBracket) return { element: parsed(text) };
    const [member] = Object.entries(parsed(`{${text}}`) as object);
    if (member === undefined) throw new AppError("bad-json");
    return { key: member[0], value: member[1] };
  }

  function end(): void {
    if (closing === 0) throw new AppError("bad-json");
    if (depth > 0) throw new AppError("import-damaged");
  }

  return { split, end };
}

type ItemBuffer = ReturnType<typeof createItemBuffer>;

/** The bytes of the present item. Throws `too-large` if there are too many. */
function createItemBuffer(bytesMax: number) {
  let parts: Uint8Array[] = [];
  let size = 0;
  let values = 0;
  const text = () => decoded(Buffer.concat(parts));
  return {
    add(piece: Uint8Array): void {
      size += piece.length;
      if (size > bytesMax) throw new AppError("too-large");
      parts.push(piece);
    },
    addValue(): void {
      if (++values > itemValuesMax) throw new AppError("too-large");
    },
    /** Whether the item is the name of a member and a colon, and the name is one of these. */
    isKey(names: readonly string[]): boolean {
      const key = /^\s*("(?:[^"\\]|\\.)*")\s*:\s*$/.exec(text())?.[1];
      return names.some((name) => key === JSON.stringify(name));
    },
    take(): string {
      const taken = text();
      parts = [];
      size = 0;
      values = 0;
      return taken;
    },
  };
}

/** Whitespace and the bytes of the byte order mark. */
function isSpace(is: number): boolean {
  return (
    is === 0x20 || is === 0x0a || is === 0x0d || is === 0x09 || is === 0xef || is === 0xbb || is === 0xbf
  );
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
