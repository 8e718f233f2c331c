import { nestingMax, nestsDeeper } from "#contract/json.ts";
import { AppError } from "#server/lib/errors.ts";

/** A member of an object, or an element of a streamed list, whose path `list` is; "" for the list at the top. */
export type JsonItem = { key: string; value: unknown } | { element: unknown; list: string };

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
 * Parses large JSON item by item: the elements of a top-level list, or the members of a top-level object. Lists at the paths
 * `lists`, such as `messages` or `data.messages`, are parsed element by element; members beside them are read as
 * `data.name`. Needs memory only for the largest item. `JSON.parse` parses each item, so that
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
  /** The objects and lists whose items are read one by one, from the top. Commas at their depth separate items. */
  const open: { isList: boolean; path: string }[] = [];
  let hasBegun = false;
  /** Whether one of them has just ended, so that only a separator may follow. */
  let isAfterEnd = false;
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
        if (!mayOpen(is)) continue;
        addUntil(at);
        if (opens(is)) from = at + 1;
      } else if (is === byte.closeBrace || is === byte.closeBracket) {
        depth--;
        if (depth >= open.length) continue;
        if (is !== (open.at(-1)!.isList ? byte.closeBracket : byte.closeBrace))
          throw new AppError("bad-json");
        addUntil(at);
        from = at + 1;
        const item = takeItem(true);
        if (item !== undefined) yield item;
        open.pop();
        isAfterEnd = open.length > 0;
      } else if (is === byte.comma) {
        if (depth > open.length) {
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
    if (hasBegun || (is !== byte.openBrace && is !== byte.openBracket)) throw new AppError("bad-json");
    hasBegun = true;
    open.push({ isList: is === byte.openBracket, path: "" });
    depth = 1;
  }

  /** Whether the value that begins here may have items that are read one by one. */
  function mayOpen(is: number): boolean {
    const isMember = depth === open.length + 1 && !open.at(-1)!.isList && !isAfterEnd;
    return isMember && (is === byte.openBracket ? lists.length > 0 : hasPaths && open.length === 1);
  }

  const hasPaths = lists.some((list) => list.includes("."));

  /** Opens the value that begins here if `lists` has its path, or paths below it. */
  function opens(is: number): boolean {
    const { path: above } = open.at(-1)!;
    const isList = is === byte.openBracket;
    const path = lists
      .map((list) => (isList ? list : `${list.split(".")[0]}.`))
      .find(
        (each) => (isList || lists.some((list) => list.startsWith(each))) && buffer.isKey(keyOf(each, above)),
      );
    if (path === undefined) return false;
    buffer.take();
    open.push({ isList, path });
    isFirst = true;
    return true;
  }

  /** The item that ends here, if there is one. */
  function takeItem(isEnd: boolean): JsonItem | undefined {
    const text = buffer.take();
    const isEmpty = text.trim() === "";
    const wasFirst = isFirst;
    isFirst = false;
    if (isAfterEnd) {
      if (!isEmpty) throw new AppError("bad-json");
      isAfterEnd = false;
      return undefined;
    }
    if (isEmpty && isEnd && wasFirst) return undefined;
    const { isList, path } = open.at(-1)!;
    if (isList) return { element: parsed(text), list: path };
    const [member] = Object.entries(parsed(`{${text}}`) as object);
    if (member === undefined) throw new AppError("bad-json");
    return { key: path + member[0], value: member[1] };
  }

  function end(): void {
    if (!hasBegun) throw new AppError("bad-json");
    if (depth > 0) throw new AppError("import-damaged");
  }

  return { split, end };
}

/** The name of the member at `path` in the object at `above`; `undefined`: it is elsewhere. */
function keyOf(path: string, above: string): string | undefined {
  if (!path.startsWith(above)) return undefined;
  const rest = path.slice(above.length).replace(/\.$/, "");
  return rest === "" || rest.includes(".") ? undefined : rest;
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
    /** Whether the item is the name of a member and a colon, and this is the name. */
    isKey(name: string | undefined): boolean {
      const key = /^\s*("(?:[^"\\]|\\.)*")\s*:\s*$/.exec(text())?.[1];
      return name !== undefined && key === JSON.stringify(name);
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
