import type { Nodes, Root } from "mdast";
import { blockQuote, list } from "micromark-core-commonmark";
import type { Construct, Extension, ParseContext, TokenizeContext, Tokenizer } from "micromark-util-types";

/**
 * Quotes, list items and footnotes inside one another. Each open one is checked again on every line, so unlimited
 * nesting takes quadratic time.
 */
const containersMax = 50;

/** A list and its item are two levels. The rest is for emphasis inside emphasis, which has no other limit. */
const treeLevelsMax = 2 * containersMax + 20;

const originals = {
  document: Object.fromEntries([
    [62, blockQuote],
    ...Array.from("*+-0123456789", (mark) => [mark.charCodeAt(0), list] as const),
  ]),
} satisfies Extension;
const originalNames = ["blockQuote", "list"];

/** How many containers the current line is in, and the offset at which the last one opened. */
type Line = { number: number; depth: number; openedAt: number };

const lines = new WeakMap<ParseContext, Line>();

/** The containers of CommonMark and of `extension`. More than `containersMax` inside one another are text. */
export function limitContainers(extension: Extension): Extension[] {
  return [originals, extension].map((each) => ({
    ...each,
    document: Object.fromEntries(
      Object.entries(each.document ?? {}).map(([code, some]) => [
        code,
        ([some].flat() as Construct[]).map(limited),
      ]),
    ),
  }));
}

function limited(construct: Construct): Construct {
  const tokenize: Tokenizer = function (effects, ok, nok) {
    const line = lineOf(this);
    const { offset } = this.now();
    // The parser first checks for a container and then opens it at the same offset.
    const isCounted = line.openedAt === offset;
    const isTooDeep = !isCounted && line.depth >= containersMax;
    // The parser would try the original constructs next.
    this.parser.constructs.disable.null = isTooDeep ? originalNames : [];
    if (isTooDeep) return nok;
    return construct.tokenize.call(
      this,
      effects,
      (code) => {
        if (!isCounted) line.depth += 1;
        line.openedAt = offset;
        return ok(code);
      },
      nok,
    );
  };
  const { continuation } = construct;
  if (continuation === undefined) return { ...construct, tokenize };
  const continued: Tokenizer = function (effects, ok, nok) {
    const line = lineOf(this);
    this.parser.constructs.disable.null = [];
    const stillOpen: typeof ok = (code) => {
      line.depth += 1;
      return ok(code);
    };
    return continuation.tokenize.call(this, effects, stillOpen, nok);
  };
  return {
    ...construct,
    name: `limited ${construct.name ?? ""}`,
    tokenize,
    continuation: { tokenize: continued },
  };
}

function lineOf(context: TokenizeContext): Line {
  const { line } = context.now();
  let current = lines.get(context.parser);
  if (current?.number !== line) {
    current = { number: line, depth: 0, openedAt: -1 };
    lines.set(context.parser, current);
  }
  return current;
}

/** Replaces what is inside `treeLevelsMax` nodes by its source. */
export function limitLevels(root: Root, source: string): Root {
  limitChildren(root, source, treeLevelsMax);
  return root;
}

function limitChildren(node: Nodes, source: string, levels: number): void {
  if (!("children" in node) || node.children.length === 0) return;
  if (levels > 0) {
    for (const child of node.children) limitChildren(child, source, levels - 1);
    return;
  }
  const start = node.children[0]?.position?.start.offset;
  const end = node.children.at(-1)?.position?.end.offset;
  node.children = [{ type: "text", value: source.slice(start, end) }];
}
