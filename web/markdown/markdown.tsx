import { memo, useMemo, useRef } from "react";
import type { List, RootContent } from "mdast";
import { allDefinitions, type Blocks, noBlocks, type Chunk, splitBlocks } from "./blocks.ts";
import { openFence } from "./fence.ts";
import { parseMarkdown } from "./parse.ts";
import { RenderItems, RenderNodes, type Scope, scopeOf } from "./render.tsx";
import { definitionsFor } from "./definitions.ts";
import { completeUnfinished } from "./unfinished.ts";
import styles from "./markdown.module.css";

/** Footnotes that are shown as such. */
const notesMax = 200;
const noteStart = /^ {0,3}\[\^[^\]\s]+\]:/;

/**
 * Renders Markdown. Finished chunks are parsed and rendered once; while the text streams (`isRunning`), only the last
 * chunk is parsed again. Raw HTML is shown as text and never becomes part of the page.
 */
export function Markdown({ text, isRunning = false }: { text: string; isRunning?: boolean }) {
  const blocks = useBlocks(text);
  const topHeading = useMemo(() => topHeadingOf(text), [text]);
  const definitions = useMemo(
    () => (isRunning ? blocks.definitions : allDefinitions(blocks)),
    [blocks, isRunning],
  );
  const groups = groupsOf(
    withoutManyNotes([...blocks.finished, blocks.open]).map((chunk) => ({
      ...chunk,
      before: chunk.isPlain
        ? ""
        : definitionsFor(chunk.source, definitions, isRunning) + (chunk.tableHead ?? ""),
    })),
  );
  return (
    <div className={styles["markdown"]} data-running={isRunning || undefined}>
      {groups.map((chunks, i) => {
        const group = {
          chunks,
          topHeading,
          isOpen: isRunning && i === groups.length - 1,
        };
        // Groups are only added at the end, so the index is a stable key.
        if (chunks[0]?.isPlain) return <PlainText key={i} text={chunks[0].source} />;
        return chunks[0]?.list === undefined ? (
          <Block key={i} {...group} />
        ) : (
          <ListGroup key={i} {...group} />
        );
      })}
    </div>
  );
}

/** Chunks that are rendered together: one block, or the items of one list. */
type GroupProps = { chunks: readonly ReadyChunk[]; topHeading: number; isOpen: boolean };
type ChunkProps = Omit<GroupProps, "chunks"> & Pick<ReadyChunk, "source" | "before">;

/** A chunk, and whether it is shown as it is. */
type ShownChunk = Chunk & { isPlain: boolean };

/** A chunk and what is parsed before it without being shown: definitions and the header of its table. */
type ReadyChunk = ShownChunk & { before: string };

const PlainText = memo(function PlainText({ text }: { text: string }) {
  return (
    <p dir="auto" className={styles["raw"]}>
      {text.trimEnd()}
    </p>
  );
});

/** Joins neighbouring footnotes after the first `notesMax` to plain text, because each one takes time to show. */
function withoutManyNotes(chunks: readonly Chunk[]): ShownChunk[] {
  const shown: ShownChunk[] = [];
  let notes = 0;
  for (const chunk of chunks) {
    const isNote = chunk.list === undefined && noteStart.test(chunk.source);
    if (isNote) notes += 1;
    const isPlain = isNote && notes > notesMax;
    const last = shown.at(-1);
    if (isPlain && last?.isPlain) shown[shown.length - 1] = { ...last, source: last.source + chunk.source };
    else shown.push({ ...chunk, isPlain });
  }
  return shown;
}

function groupsOf(chunks: readonly ReadyChunk[]): ReadyChunk[][] {
  const groups: ReadyChunk[][] = [];
  for (const chunk of chunks) {
    const group = groups.at(-1);
    if (chunk.list !== undefined && group?.[0]?.list === chunk.list) group.push(chunk);
    else groups.push([chunk]);
  }
  return groups;
}

/** Skips rendering a group whose chunks did not change. */
function isSameGroup(before: GroupProps, next: GroupProps): boolean {
  return (
    before.chunks.length === next.chunks.length &&
    before.chunks.every(
      (chunk, i) => chunk.source === next.chunks[i]?.source && chunk.before === next.chunks[i].before,
    ) &&
    before.isOpen === next.isOpen &&
    before.topHeading === next.topHeading
  );
}

const Block = memo(function Block({ chunks, ...context }: GroupProps) {
  const { source = "", before = "" } = chunks[0] ?? {};
  const { nodes, scope } = parseChunk({ ...context, source, before });
  return <RenderNodes nodes={nodes} scope={scope} />;
}, isSameGroup);

/** A list whose items are separate chunks. An incomplete line in the last chunk may come after the list. */
const ListGroup = memo(function ListGroup({ chunks, isOpen, ...context }: GroupProps) {
  const head = chunks[0]?.source ?? "";
  const last = chunks.at(-1);
  const list = useMemo(() => listOf(head), [head]);
  if (list === undefined) return <Block chunks={chunks.slice(0, 1)} isOpen={isOpen} {...context} />;
  const Tag = list.ordered === true ? "ol" : "ul";
  // The first item decides, so that the spacing of a list does not change while it streams.
  const isLoose = chunks.length > 1 && /\n[ \t]*\n\s*$/.test(head);
  return (
    <>
      <Tag
        dir="auto"
        {...(list.ordered === true && list.start !== 1 ? { start: list.start ?? 1 } : {})}
        data-loose={isLoose || undefined}
      >
        {chunks.map(({ source, before }, i) => (
          <Items
            key={i}
            source={source}
            before={before}
            isLoose={isLoose}
            isOpen={isOpen && i === chunks.length - 1}
            {...context}
          />
        ))}
      </Tag>
      <AfterList source={last?.source ?? ""} before={last?.before ?? ""} isOpen={isOpen} {...context} />
    </>
  );
}, isSameGroup);

const Items = memo(function Items({ isLoose, ...chunk }: ChunkProps & { isLoose: boolean }) {
  const { nodes, scope } = parseChunk(chunk);
  const list = nodes[0];
  if (list?.type !== "list") return null;
  return <RenderItems list={list} isLoose={isLoose || list.spread === true} scope={scope} />;
});

const AfterList = memo(function AfterList(chunk: ChunkProps) {
  const { nodes, scope } = parseChunk(chunk);
  const rest = nodes[0]?.type === "list" ? nodes.slice(1) : nodes;
  return rest.length === 0 ? null : <RenderNodes nodes={rest} scope={scope} />;
});

function listOf(source: string): List | undefined {
  const [node] = parse(source);
  return node?.type === "list" ? node : undefined;
}

function parseChunk({ source, before, topHeading, isOpen }: ChunkProps): {
  nodes: RootContent[];
  scope: Scope;
} {
  const fence = isOpen ? openFence(source) : undefined;
  if (fence !== undefined) {
    const code: RootContent = { type: "code", lang: fence.language, value: fence.code };
    return { nodes: [code], scope: scopeOf([], isOpen, topHeading) };
  }
  const all = parse(before + (isOpen ? completeUnfinished(source) : source));
  const nodes = all.filter((node) => (node.position?.end.offset ?? Infinity) > before.length);
  return { nodes, scope: scopeOf(all, isOpen, topHeading) };
}

/** The open chunk of a list is parsed twice per render: for its items and for the text after them. */
let lastParse: { text: string; nodes: RootContent[] } | undefined;

function parse(text: string): RootContent[] {
  if (lastParse?.text !== text) lastParse = { text, nodes: parseMarkdown(text).children };
  return lastParse.nodes;
}

/** The depth of the first heading. Without one it is 2, the depth that most answers start with. */
function topHeadingOf(text: string): number {
  return /^ {0,3}(#{1,6})[ \t]/m.exec(text)?.[1]?.length ?? 2;
}

/** The chunks of a growing text. The ref is only a cache, so React may render in any order. */
function useBlocks(text: string): Blocks {
  const previous = useRef(noBlocks);
  const blocks = splitBlocks(text, previous.current);
  previous.current = blocks;
  return blocks;
}
