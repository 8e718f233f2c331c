import type { RootContent } from "mdast";

/** The sources of link definitions by label, and of placeholders for footnotes by label with a "^" before it. */
export type Definitions = ReadonlyMap<string, string>;

/** More definitions than this in one chunk would make parsing slow. References to the others are text. */
const definitionsMax = 200;

const reference = /\[((?:[^[\]\\]|\\.)+)\]/gs;
const footnoteName = /^\^[\w-]{1,20}$/;

/** The definition in `node`, whose source is `source`, as a list of at most one entry. */
export function definitionOf(node: RootContent, source: string): [string, string][] {
  if (node.type === "definition") return [[normalized(node.identifier), `${source.trim()}\n\n`]];
  if (node.type === "footnoteDefinition") {
    return [[normalized(`^${node.identifier}`), placeholder(`^${node.label ?? node.identifier}`)]];
  }
  return [];
}

/**
 * `known` and the definitions that follow. In CommonMark, the first definition of a label wins. If `known` is not `shared`,
 * nobody else has it, so they are added to it.
 */
export function withDefinitions(
  known: Definitions,
  added: readonly [string, string][],
  shared = known,
): Definitions {
  if (added.length === 0) return known;
  const all = known === shared ? new Map(known) : (known as Map<string, string>);
  for (const [label, source] of added) if (!all.has(label)) all.set(label, source);
  return all;
}

/**
 * The definitions that `source` refers to, to be parsed before it. While a text streams (`isRunning`), footnotes whose
 * definition has not arrived get a placeholder.
 */
export function definitionsFor(source: string, definitions: Definitions, isRunning: boolean): string {
  // Every chunk is asked on every frame of a stream, and most texts define nothing.
  if (!source.includes(definitions.size === 0 ? "[^" : "[")) return "";
  const found = new Set<string>();
  for (const [, label = ""] of source.matchAll(reference)) {
    const isExpected = isRunning && footnoteName.test(label);
    const definition = definitions.get(normalized(label)) ?? (isExpected ? placeholder(label) : undefined);
    if (definition !== undefined) found.add(definition);
    if (found.size === definitionsMax) break;
  }
  const [notes, links] = [
    [...found].filter(isPlaceholder),
    [...found].filter((each) => !isPlaceholder(each)),
  ];
  return links.join("") + (notes.length === 0 ? "" : notes.join("") + afterPlaceholders);
}

/** Indented lines would continue a footnote. The comment ends the last one before the text that follows. */
const afterPlaceholders = "\n<!-- -->\n\n";

function placeholder(label: string): string {
  return `[${label}]: .\n`;
}

function isPlaceholder(definition: string): boolean {
  return definition.startsWith("[^");
}

/** Two labels are the same if they differ only in case and white space. */
function normalized(label: string): string {
  return label.replace(/\s+/g, " ").trim().toLowerCase().toUpperCase();
}
