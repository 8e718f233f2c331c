import { memo, useRef } from "react";
import type { List, RootContent } from "mdast";
import { type Blocks, noBlocks, type Piece, splitBlocks } from "./blocks.ts";
import { openFence } from "./fence.ts";
import { parseMarkdown } from "./parse.ts";
import { RenderItems, RenderNodes, type Scope, scopeOf } from "./render.tsx";
import styles from "./markdown.module.css";

/**
 * A Markdown text as a page. Pieces that are finished are read and drawn once; while it grows (`isRunning`), only the
 * last piece is read again. Raw HTML is shown as it is written and never becomes a page.
 */
export function Markdown({ text, isRunning = false }: { text: string; isRunning?: boolean }) {
  const blocks = useBlocks(text);
  const pieces = [...blocks.finished, blocks.open];
  const last = pieces.length - 1;
  return (
    <div className={styles["markdown"]} data-running={isRunning || undefined}>
      {groupsOf(pieces).map(({ first, items }) => {
        const isOpen = isRunning && first + items.length - 1 === last;
        const definitions = (piece: Piece) => (piece.source.includes("[") ? blocks.definitions : "");
        const [head] = items;
        if (head === undefined) return null;
        if (head.list !== undefined) {
          return <ListGroup key={first} pieces={items} definitions={blocks.definitions} isOpen={isOpen} />;
        }
        return <Block key={first} source={head.source} definitions={definitions(head)} isOpen={isOpen} />;
      })}
    </div>
  );
}

type Group = { first: number; items: Piece[] };

/** Pieces as they are shown: neighbours of one list together, every other one alone. */
function groupsOf(pieces: readonly Piece[]): Group[] {
  const groups: Group[] = [];
  for (const [i, piece] of pieces.entries()) {
    const group = groups.at(-1);
    if (piece.list !== undefined && group?.items[0]?.list === piece.list) group.items.push(piece);
    else groups.push({ first: i, items: [piece] });
  }
  return groups;
}

const Block = memo(function Block({
  source,
  definitions,
  isOpen,
}: {
  source: string;
  definitions: string;
  isOpen: boolean;
}) {
  const { nodes, scope } = read(source, definitions, isOpen);
  return <RenderNodes nodes={nodes} scope={scope} />;
});

/** A list whose items came as pieces. What follows the list in its last piece (a line not complete) stands after it. */
function ListGroup({
  pieces,
  definitions,
  isOpen,
}: {
  pieces: Piece[];
  definitions: string;
  isOpen: boolean;
}) {
  const head = pieces[0]?.source ?? "";
  const { list, isLoose } = headOf(head, pieces.length > 1);
  if (list === undefined) return <Block source={head} definitions={definitions} isOpen={isOpen} />;
  const Tag = list.ordered === true ? "ol" : "ul";
  const tail = pieces.at(-1)?.source ?? "";
  return (
    <>
      <Tag
        dir="auto"
        {...(list.ordered === true && list.start !== 1 ? { start: list.start ?? 1 } : {})}
        data-loose={isLoose || undefined}
      >
        {pieces.map(({ source }, i) => (
          <Items
            key={i}
            source={source}
            definitions={source.includes("[") ? definitions : ""}
            isLoose={isLoose}
            isOpen={isOpen && i === pieces.length - 1}
          />
        ))}
      </Tag>
      <AfterList source={tail} definitions={tail.includes("[") ? definitions : ""} isOpen={isOpen} />
    </>
  );
}

type ItemsProps = { source: string; definitions: string; isLoose: boolean; isOpen: boolean };

const Items = memo(function Items({ source, definitions, isLoose, isOpen }: ItemsProps) {
  const { nodes, scope } = read(source, definitions, isOpen);
  const list = nodes[0];
  return list?.type === "list" ? (
    <RenderItems list={list} isLoose={isLoose || list.spread === true} scope={scope} />
  ) : null;
});

const AfterList = memo(function AfterList({
  source,
  definitions,
  isOpen,
}: {
  source: string;
  definitions: string;
  isOpen: boolean;
}) {
  const { nodes, scope } = read(source, definitions, isOpen);
  const rest = nodes[0]?.type === "list" ? nodes.slice(1) : nodes;
  return rest.length === 0 ? null : <RenderNodes nodes={rest} scope={scope} />;
});

function headOf(source: string, hasMore: boolean): { list: List | undefined; isLoose: boolean } {
  const [node] = read(source, "", false).nodes;
  // Decided by the first item, so that a list does not change its spacing while it is written.
  return {
    list: node?.type === "list" ? node : undefined,
    isLoose: hasMore && /\n[ \t]*\n\s*$/.test(source),
  };
}

type Read = { nodes: RootContent[]; scope: Scope };

function read(source: string, definitions: string, isOpen: boolean): Read {
  const fence = isOpen ? openFence(source) : undefined;
  if (fence !== undefined) {
    const code: RootContent = { type: "code", lang: fence.language, value: fence.code };
    return { nodes: [code], scope: scopeOf([], true) };
  }
  const all = parse(definitions + source);
  const nodes = all.filter((node) => (node.position?.end.offset ?? Infinity) > definitions.length);
  return { nodes, scope: scopeOf(all, isOpen) };
}

/** The open piece of a list is asked for three times in one drawing: its head, its items and what follows. */
let lastParse: { text: string; nodes: RootContent[] } | undefined;

function parse(text: string): RootContent[] {
  if (lastParse?.text !== text) lastParse = { text, nodes: parseMarkdown(text).children };
  return lastParse.nodes;
}

/** The pieces of a text that may grow. What was read before only saves work, so holding it aside from React is safe. */
function useBlocks(text: string): Blocks {
  const known = useRef(noBlocks);
  const blocks = splitBlocks(text, known.current);
  known.current = blocks;
  return blocks;
}
