import { JSONParser, TokenType } from "@streamparser/json";
import { nestingMax, nestsDeeper } from "#contract/json.ts";
import { AppError } from "#server/lib/errors.ts";

/** A member of the top-level object, or an element of the streamed list. */
export type JsonItem = { key: string; value: unknown } | { element: unknown };

/** Bounds the memory of many empty lists. Real messages and conversations have fewer values. */
const itemValuesMax = 1_000_000;

/**
 * Parses large JSON item by item: the elements of a top-level list, or the members of a top-level object, whose members
 * `lists` are parsed element by element. Needs memory only for the largest item and one chunk.
 *
 * Throws `bad-json`, `import-damaged` for a truncated text, and `too-large` for an item of more than `itemBytesMax` bytes
 * or a million values.
 */
export async function* streamJson(
  chunks: AsyncIterable<Uint8Array>,
  { lists = [], itemBytesMax }: { lists?: readonly string[]; itemBytesMax: number },
): AsyncGenerator<JsonItem> {
  let items: JsonItem[] = [];
  /** How much of the text belongs to the present item. */
  let bytes = 0;
  let values = 0;
  let hasBegun = false;
  const parser = new JSONParser({
    paths: ["$.*", ...lists.map((list) => `$.${list}.*`)],
    keepStack: false,
  });
  parser.onToken = ({ token }) => {
    const opens = token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET;
    if (!hasBegun && !opens) throw new AppError("bad-json");
    hasBegun = true;
    if (opens || token === TokenType.COMMA) values++;
    if (values > itemValuesMax) throw new AppError("too-large");
  };
  parser.onValue = ({ value, key, parent, stack }) => {
    const isTopLevel = stack.length === 1;
    if (isTopLevel && !Array.isArray(parent)) {
      const isStreamedList = Array.isArray(value) && lists.includes(String(key));
      if (!isStreamedList) items.push({ key: String(key), value: checked(value) });
    } else if (Array.isArray(parent)) {
      items.push({ element: checked(value) });
      // The parser keeps an element until its list ends.
      if (!isTopLevel) parent.length = 0;
    } else return;
    bytes = 0;
    values = 0;
  };

  const decoder = new TextDecoder("utf-8", { fatal: true });
  for await (const chunk of chunks) {
    bytes += chunk.length;
    try {
      parser.write(decoder.decode(chunk, { stream: true }));
    } catch (cause) {
      throw cause instanceof AppError ? cause : new AppError("bad-json", { cause });
    }
    yield* items;
    items = [];
    if (bytes > itemBytesMax) throw new AppError("too-large");
  }
  if (!parser.isEnded) throw new AppError(hasBegun ? "import-damaged" : "bad-json");
}

/** Refuses a value that nests too deep. */
function checked(value: unknown): unknown {
  if (nestsDeeper(value, nestingMax))
    throw new AppError("bad-request", {
      details: [{ path: "file", message: `must not be nested deeper than ${nestingMax} levels` }],
    });
  return value;
}
