import { memo, useMemo, useRef } from "react";
import type { List, RootContent } from "mdast";
import { allDefinitions, type Blocks, noBlocks, type Piece, splitBlocks } from "./blocks.ts";
import { openFence } from "./fence.ts";
import { parseMarkdown } from "./parse.ts";
import { RenderItems, RenderNodes, type Scope, scopeOf } from "./render.tsx";
import { completeUnfinished, expectedFootnotes } from "./unfinished.ts";
import styles from "./markdown.module.css";

/**
 * A Markdown text as a page. Pieces that are finished are read and drawn once; while it grows (`isRunning`), only the
 * last piece is read again. Raw HTML is shown as it is written and never becomes a page.
 */
export function Markdown({ text, isRunning = false }: { text: string; isRunning?: boolean }) {
  const blocks = useBlocks(text);
  const topHeading = useMemo(() => topHeadingOf(text), [text]);
  const groups = groupsOf([...blocks.finished, blocks.open]);
  const definitions = useMemo(
    () => (isRunning ? blocks.definitions + expectedFootnotes(text) : allDefinitions(blocks)),
    [blocks, isRunning, text],
  );
  return (
    <div className={styles["markdown"]} data-running={isRunning || undefined}>
      {groups.map((pieces, i) => {
        const group = {
          pieces,
          definitions,
          topHeading,
          isOpen: isRunning && i === groups.length - 1,
        };
        // Groups are only ever added at the end, so that their places are their names.
        return pieces[0]?.list === undefined ? (
          <Block key={i} {...group} />
        ) : (
          <ListGroup key={i} {...group} />
        );
      })}
    </div>
  );
}

/** Pieces that are shown together: a block alone, or the items of one list. */
type GroupProps = { pieces: readonly Piece[]; definitions: string; topHeading: number; isOpen: boolean };
type PieceProps = Omit<GroupProps, "pieces"> & { source: string };

function groupsOf(pieces: readonly Piece[]): Piece[][] {
  const groups: Piece[][] = [];
  for (const piece of pieces) {
    const group = groups.at(-1);
    if (piece.list !== undefined && group?.[0]?.list === piece.list) group.push(piece);
    else groups.push([piece]);
  }
  return groups;
}

/** Finished pieces keep their identity, so a group that did not change is known by them and drawn no more. */
function isSameGroup(before: GroupProps, next: GroupProps): boolean {
  return (
    before.pieces.length === next.pieces.length &&
    before.pieces.every((piece, i) => piece.source === next.pieces[i]?.source) &&
    before.isOpen === next.isOpen &&
    before.topHeading === next.topHeading &&
    (before.definitions === next.definitions || !next.pieces.some(({ source }) => source.includes("[")))
  );
}

const Block = memo(function Block({ pieces, ...facts }: GroupProps) {
  const { nodes, scope } = read({ ...facts, source: pieces[0]?.source ?? "" });
  return <RenderNodes nodes={nodes} scope={scope} />;
}, isSameGroup);

/** A list whose items came as pieces. What follows the list in its last piece (a line not complete) stands after it. */
const ListGroup = memo(function ListGroup({ pieces, isOpen, ...facts }: GroupProps) {
  const head = pieces[0]?.source ?? "";
  const list = useMemo(() => listOf(head), [head]);
  if (list === undefined) return <Block pieces={pieces.slice(0, 1)} isOpen={isOpen} {...facts} />;
  const Tag = list.ordered === true ? "ol" : "ul";
  // Decided by the first item, so that a list does not change its spacing while it is written.
  const isLoose = pieces.length > 1 && /\n[ \t]*\n\s*$/.test(head);
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
            isLoose={isLoose}
            isOpen={isOpen && i === pieces.length - 1}
            {...facts}
          />
        ))}
      </Tag>
      <AfterList source={pieces.at(-1)?.source ?? ""} isOpen={isOpen} {...facts} />
    </>
  );
}, isSameGroup);

const Items = memo(function Items({ isLoose, ...piece }: PieceProps & { isLoose: boolean }) {
  const { nodes, scope } = read(piece);
  const list = nodes[0];
  if (list?.type !== "list") return null;
  return <RenderItems list={list} isLoose={isLoose || list.spread === true} scope={scope} />;
});

const AfterList = memo(function AfterList(piece: PieceProps) {
  const { nodes, scope } = read(piece);
  const rest = nodes[0]?.type === "list" ? nodes.slice(1) : nodes;
  return rest.length === 0 ? null : <RenderNodes nodes={rest} scope={scope} />;
});

function listOf(source: string): List | undefined {
  const [node] = parse(source);
  return node?.type === "list" ? node : undefined;
}

function read({ source, definitions, topHeading, isOpen }: PieceProps): {
  nodes: RootContent[];
  scope: Scope;
} {
  const fence = isOpen ? openFence(source) : undefined;
  if (fence !== undefined) {
    const code: RootContent = { type: "code", lang: fence.language, value: fence.code };
    return { nodes: [code], scope: scopeOf([], isOpen, topHeading) };
  }
  const before = source.includes("[") ? definitions : "";
  const all = parse(before + (isOpen ? completeUnfinished(source) : source));
  const nodes = all.filter((node) => (node.position?.end.offset ?? Infinity) > before.length);
  return { nodes, scope: scopeOf(all, isOpen, topHeading) };
}

/** The open piece of a list is asked for twice in one drawing: for its items and for what follows. */
let lastParse: { text: string; nodes: RootContent[] } | undefined;

function parse(text: string): RootContent[] {
  if (lastParse?.text !== text) lastParse = { text, nodes: parseMarkdown(text).children };
  return lastParse.nodes;
}

/** The depth of the first heading; 2 where there is none, which is what most answers begin with. */
function topHeadingOf(text: string): number {
  return /^ {0,3}(#{1,6})[ \t]/m.exec(text)?.[1]?.length ?? 2;
}

/** The pieces of a text that may grow. What was read before only saves work, so holding it aside from React is safe. */
function useBlocks(text: string): Blocks {
  const known = useRef(noBlocks);
  const blocks = splitBlocks(text, known.current);
  known.current = blocks;
  return blocks;
}
