import { memo, useMemo } from "react";
import type { List, RootContent, Table } from "mdast";
import remend from "remend";
import type { Chunk } from "./blocks.ts";
import { closedFence, openFence } from "./fence.ts";
import { parseMarkdown } from "./parse.ts";
import {
  cellsOf,
  RenderItems,
  RenderNodes,
  RenderRows,
  renderRows,
  RenderTableHead,
  type Scope,
  scopeOf,
} from "./render.tsx";
import { TableFigure } from "./table.tsx";
import styles from "./markdown.module.css";

/** A chunk, and the definitions that are parsed before it without being shown. */
export type ReadyChunk = Chunk & { definitions: string };

/** Chunks that are rendered together: one block, the items of one list or the rows of one table. */
type GroupProps = { chunks: readonly ReadyChunk[]; topHeading: number; isOpen: boolean };
type ChunkProps = Pick<GroupProps, "topHeading" | "isOpen"> & { source: string; before: string };

type SectionProps = Omit<GroupProps, "chunks"> & { groups: readonly GroupProps["chunks"][] };

/** Renders successive groups. React compares one section of a long text instead of its groups while they do not change. */
export const AnswerSection = memo(
  function AnswerSection({ groups, topHeading, isOpen }: SectionProps) {
    return groups.map((chunks, i) => (
      <Group key={i} chunks={chunks} topHeading={topHeading} isOpen={isOpen && i === groups.length - 1} />
    ));
  },
  (before, next) =>
    before.isOpen === next.isOpen &&
    before.topHeading === next.topHeading &&
    before.groups.length === next.groups.length &&
    before.groups.every((chunks, i) => areSame(chunks, next.groups[i])),
);

function areSame(before: GroupProps["chunks"], next: GroupProps["chunks"] = []): boolean {
  return before.length === next.length && before.every((chunk, i) => chunk === next[i]);
}

/** Renders chunks that belong together. Skips it if they did not change. */
const Group = memo(
  function Group(props: GroupProps) {
    const [first] = props.chunks;
    if (first === undefined) return null;
    if (first.isPlain) return <PlainText text={first.source} />;
    if (first.list !== undefined) return <ListGroup {...props} />;
    if (first.table !== undefined) return <TableGroup {...props} />;
    return props.chunks.map((chunk, i) => <Block key={i} {...propsOf(chunk, props)} />);
  },
  (before, next) =>
    before.chunks.length === next.chunks.length &&
    before.chunks.every(
      (chunk, i) =>
        chunk.source === next.chunks[i]?.source && chunk.definitions === next.chunks[i].definitions,
    ) &&
    before.isOpen === next.isOpen &&
    before.topHeading === next.topHeading,
);

function PlainText({ text }: { text: string }) {
  return (
    <p dir="auto" className={styles["raw"]}>
      {text.trimEnd()}
    </p>
  );
}

const Block = memo(function Block(chunk: ChunkProps) {
  const { nodes, scope } = parseChunk(chunk);
  return <RenderNodes nodes={nodes} scope={scope} />;
});

/** A list whose items are separate chunks. */
function ListGroup(props: GroupProps) {
  const head = props.chunks[0]?.source ?? "";
  const list = useMemo(() => listOf(head), [head]);
  const chunks = props.chunks.map((chunk) => propsOf(chunk, props));
  if (list === undefined) return chunks.slice(0, 1).map((chunk, i) => <Block key={i} {...chunk} />);
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
        {chunks.map((chunk, i) => (
          <Items key={i} isLoose={isLoose} {...chunk} />
        ))}
      </Tag>
      {chunks.slice(-1).map((chunk, i) => (
        <AfterGroup key={i} {...chunk} />
      ))}
    </>
  );
}

const Items = memo(function Items({ isLoose, ...chunk }: ChunkProps & { isLoose: boolean }) {
  const { nodes, scope } = parseChunk(chunk);
  const list = nodes[0];
  if (list?.type !== "list") return null;
  return <RenderItems list={list} isLoose={isLoose || list.spread === true} scope={scope} />;
});

/** A table whose rows are in several chunks. */
function TableGroup(props: GroupProps) {
  const chunks = props.chunks.map((chunk) => propsOf(chunk, props));
  const [first] = props.chunks;
  // The chunk after a code block begins with blank lines.
  const head = first?.tableHead ?? /^(?:[ \t]*\n)*.*\n.*\n/.exec(first?.source ?? "")?.[0] ?? "";
  return (
    <>
      <TableFigure
        head={<Head source={head} before={first?.definitions ?? ""} topHeading={0} isOpen={false} />}
        rows={chunks.map((chunk, i) => (
          <Rows key={i} {...chunk} />
        ))}
        allRows={
          props.isOpen
            ? undefined
            : () =>
                chunks.flatMap((chunk) => {
                  const { nodes, scope } = parseChunk(chunk);
                  return renderRows(tableOf(nodes), scope);
                })
        }
        cells={() =>
          chunks.flatMap((chunk, i) => {
            const { nodes, scope } = parseChunk(chunk);
            return cellsOf(tableOf(nodes), scope).slice(i === 0 ? 0 : 1);
          })
        }
      />
      {chunks.slice(-1).map((chunk, i) => (
        <AfterGroup key={i} {...chunk} />
      ))}
    </>
  );
}

const Head = memo(function Head(chunk: ChunkProps) {
  const { nodes, scope } = parseChunk(chunk);
  return <RenderTableHead table={tableOf(nodes)} scope={scope} />;
});

const Rows = memo(function Rows(chunk: ChunkProps) {
  const { nodes, scope } = parseChunk(chunk);
  return <RenderRows table={tableOf(nodes)} scope={scope} />;
});

function tableOf([node]: readonly RootContent[]): Table {
  return node?.type === "table" ? node : { type: "table", children: [] };
}

/** An incomplete line in the last chunk may come after the list or table. */
const AfterGroup = memo(function AfterGroup(chunk: ChunkProps) {
  const { nodes, scope } = parseChunk(chunk);
  const isGroup = nodes[0]?.type === "list" || nodes[0]?.type === "table";
  const rest = isGroup ? nodes.slice(1) : nodes;
  return rest.length === 0 ? null : <RenderNodes nodes={rest} scope={scope} />;
});

function listOf(source: string): List | undefined {
  const [node] = parseMarkdown(source).children;
  return node?.type === "list" ? node : undefined;
}

/** Only the last chunk of an open group may still grow. */
function propsOf(chunk: ReadyChunk, { chunks, isOpen, topHeading }: GroupProps): ChunkProps {
  return {
    source: chunk.source,
    before: chunk.definitions + (chunk.tableHead ?? ""),
    isOpen: isOpen && chunk === chunks.at(-1),
    topHeading,
  };
}

function parseChunk({ source, before, topHeading, isOpen }: ChunkProps): {
  nodes: RootContent[];
  scope: Scope;
} {
  const fence = (isOpen ? openFence(source) : undefined) ?? closedFence(source);
  if (fence !== undefined && (fence.end ?? source.length) === source.length) {
    const code: RootContent = { type: "code", lang: fence.language, value: fence.code };
    return { nodes: [code], scope: scopeOf([], { source, isOpen, topHeading }) };
  }
  const text = before + (isOpen ? completeUnfinished(source) : source);
  const all = parseMarkdown(text).children;
  const nodes = all.filter((node) => (node.position?.end.offset ?? Infinity) > before.length);
  return { nodes, scope: scopeOf(all, { source: text, isOpen, topHeading }) };
}

/** Ends of a text that may become syntax: opening marks, an image, an address, a footnote reference. */
const openMarks = /(^|[\s([{"'])(?:[*_~`]{1,3}|!|!?\[\^?)$/;
const openImage = /!\[[^\]]*\]?(?:\([^)\s]*)?$/;
const openFootnote = /\[\^[^\]\s]*$/;
const bareLabel = /\[([^\]^\d][^\]]*)\]$/;

/** Longer chunks, such as a huge table, are not completed, because that would take time on every frame. */
const charactersMax = 20_000;

const options = {
  linkMode: "text-only",
  // The parser renders these as they are while they are incomplete.
  htmlTags: false,
  comparisonOperators: false,
  singleTilde: false,
  katex: false,
} as const;

/**
 * Prepares the last chunk of a streaming text for display: closes open emphasis, code and links, and removes incomplete
 * marks, so that no raw syntax flashes on the page.
 */
function completeUnfinished(source: string): string {
  if (source.length > charactersMax) return source;
  const trimmed = source.replace(openImage, "").replace(openFootnote, "").replace(openMarks, "$1");
  return remend(trimmed.replace(bareLabel, "$1"), options);
}
