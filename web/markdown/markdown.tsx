import { useMemo, useRef } from "react";
import { allDefinitions, type Blocks, noBlocks, type Chunk, splitBlocks } from "./blocks.ts";
import { WritingContext } from "./code/use-fold.ts";
import { definitionsFor } from "./definitions.ts";
import { type ReadyChunk, AnswerSection } from "./block-groups.tsx";
import styles from "./markdown.module.css";

/** Groups in a section. */
const sectionSize = 32;

/** Footnotes that are shown as such. */
const notesMax = 200;
const noteStart = /^ {0,3}\[\^[^\]\s]+\]:/;

/**
 * Renders Markdown. Finished chunks are parsed and rendered once; while the text streams (`isRunning`), only the last
 * chunk is parsed again. `isWriting`: the text is not only shown step by step, but is still being written. Raw HTML is shown
 * as text and never becomes part of the page.
 */
export function Markdown({
  text,
  isRunning = false,
  isWriting = isRunning,
}: {
  text: string;
  isRunning?: boolean;
  isWriting?: boolean;
}) {
  const blocks = useBlocks(text);
  const topHeading = useMemo(() => topHeadingOf(text), [text]);
  const definitions = useMemo(
    () => (isRunning ? blocks.definitions : allDefinitions(blocks)),
    [blocks, isRunning],
  );
  const groups = groupsOf(
    withoutManyNotes([...blocks.finished, blocks.open]).map((chunk) =>
      readyChunk(chunk, chunk.isPlain ? "" : definitionsFor(chunk.source, definitions, isRunning)),
    ),
  );
  return (
    <WritingContext value={isWriting}>
      <div className={styles["markdown"]} data-running={isRunning || undefined}>
        {sectionsOf(groups).map((section, i, { length }) => (
          // Sections and groups are only added at the end, so the index is a stable key.
          <AnswerSection
            key={i}
            groups={section}
            topHeading={topHeading}
            isOpen={isRunning && i === length - 1}
          />
        ))}
      </div>
    </WritingContext>
  );
}

/** Joins neighbouring footnotes after the first `notesMax` to plain text, because each one takes time to show. */
function withoutManyNotes(chunks: readonly Chunk[]): Chunk[] {
  const shown: Chunk[] = [];
  let notes = 0;
  let isLastNote = false;
  for (const chunk of chunks) {
    const isNote = chunk.list === undefined && noteStart.test(chunk.source);
    if (isNote) notes += 1;
    const isPlainNote = isNote && notes > notesMax;
    const last = shown.at(-1);
    if (!isPlainNote) shown.push(chunk);
    else if (isLastNote && last !== undefined)
      shown[shown.length - 1] = { source: last.source + chunk.source, isPlain: true };
    else shown.push({ source: chunk.source, isPlain: true });
    isLastNote = isPlainNote;
  }
  return shown;
}

/** The chunk with its definitions; the same object until these change. */
function readyChunk(chunk: Chunk, definitions: string): ReadyChunk {
  const known = readyChunks.get(chunk);
  if (known?.definitions === definitions) return known;
  const ready = { ...chunk, definitions };
  readyChunks.set(chunk, ready);
  return ready;
}

const readyChunks = new WeakMap<Chunk, ReadyChunk>();

function sectionsOf(groups: ReadyChunk[][]): ReadyChunk[][][] {
  return Array.from({ length: Math.ceil(groups.length / sectionSize) }, (_, i) =>
    groups.slice(i * sectionSize, (i + 1) * sectionSize),
  );
}

function groupsOf(chunks: readonly ReadyChunk[]): ReadyChunk[][] {
  const groups: ReadyChunk[][] = [];
  for (const chunk of chunks) {
    const group = groups.at(-1);
    const { list, table } = group?.[0] ?? {};
    const isContinued =
      (list !== undefined && chunk.list === list) || (table !== undefined && chunk.table === table);
    if (isContinued) group?.push(chunk);
    else groups.push([chunk]);
  }
  return groups;
}

/** The depth of the first heading. Without one it is 2, the depth that most answers start with. */
function topHeadingOf(text: string): number {
  return text.includes("#") ? (/^ {0,3}(#{1,6})[ \t]/m.exec(text)?.[1]?.length ?? 2) : 2;
}

/** The chunks of a growing text. The ref is only a cache, so React may render in any order. */
function useBlocks(text: string): Blocks {
  const previous = useRef(noBlocks);
  const blocks = splitBlocks(text, previous.current);
  previous.current = blocks;
  return blocks;
}
