import { type CSSProperties, type ReactNode, memo, useEffect, useMemo, useRef, useState } from "react";
import type { ElementContent, Root, RootContent } from "hast";
import { loadHighlighter, useHighlighter } from "./highlighter-loading.ts";
import { highlightNext, isHighlighted, lengthOf, nothingHighlighted, piecesOf } from "./code-sections.ts";
import styles from "./code-block.module.css";

/** Longer code, in characters, is highlighted after the render, so that it does not delay opening a thread. */
const synchronousMax = 4_000;

/** Pages of shared threads are rendered on the server, and allow no styles of single elements. */
const isOnServer = typeof location === "undefined";

/** While code streams, the pause between two runs is six times the duration of the last one. */
const pauseFactor = 6;

/**
 * `code` with syntax highlighting. Long code is highlighted in sections, one after the other. While it streams
 * (`isOpen`), finished sections keep their colours and newer text is plain, so that the cost per token does not grow with
 * the length of the block.
 */
export function useHighlighted(code: string, language: string, isOpen: boolean): ReactNode {
  const highlighter = useHighlighter();
  const [done, setDone] = useState(nothingHighlighted);
  const nextAt = useRef(0);

  useEffect(() => {
    if (language !== "" && highlighter === undefined) void loadHighlighter();
  }, [language, highlighter]);

  const isSmall = !isOpen && code.length <= synchronousMax;
  const synchronous = useMemo(
    () => (isSmall && language !== "" ? highlighter?.highlight(code, language) : undefined),
    [isSmall, code, language, highlighter],
  );

  const sections = [...done.finished, done.last];
  const isBeginning = code.startsWith(sections.map((section) => section.code).join(""));

  useEffect(() => {
    if (highlighter === undefined || language === "" || isSmall) return undefined;
    const lines = isOpen ? code.slice(0, code.lastIndexOf("\n") + 1) : code;
    const before = isBeginning ? done : nothingHighlighted;
    if (isHighlighted(lines, before)) return undefined;
    const run = () => {
      const startedAt = performance.now();
      setDone(highlightNext(lines, before, (some) => highlighter.highlight(some, language)));
      const endedAt = performance.now();
      nextAt.current = isOpen ? endedAt + Math.max(100, (endedAt - startedAt) * pauseFactor) : 0;
    };
    const waitMs = Math.max(0, nextAt.current - performance.now());
    const timer = setTimeout(run, waitMs);
    return () => clearTimeout(timer);
  }, [highlighter, code, language, isOpen, isSmall, done, isBeginning]);

  const isCut = !isOnServer && !isOpen && code.length > synchronousMax;
  const pieces = useMemo(() => (isCut ? piecesOf(code) : undefined), [isCut, code]);

  if (synchronous !== undefined) return renderTree(synchronous.children);
  const highlighted = isBeginning ? sections.filter((section) => section.code !== "") : [];
  const length = lengthOf(highlighted);
  return (
    <>
      {highlighted.map(({ code: lines, tree }, i) => (
        <Lines key={`section ${i}`} code={lines} tree={tree} />
      ))}
      {pieces === undefined
        ? code.slice(length)
        : pieces.map(
            (piece) =>
              piece.start + piece.code.length > length && (
                <Lines
                  key={`piece ${piece.start}`}
                  code={piece.code.slice(Math.max(0, length - piece.start))}
                  tree={undefined}
                />
              ),
          )}
    </>
  );
}

/**
 * Lines in a block of their own, so that the browser does not lay out finished lines again, nor lines far from the window,
 * for which the block reserves the size.
 */
const Lines = memo(function Lines({ code, tree }: { code: string; tree: Root | undefined }) {
  const lines = code.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const columns = lines.reduce((most, line) => Math.max(most, columnsOf(line)), 0);
  return (
    <span
      className={styles["section"]}
      style={{ "--lines": lines.length, "--columns": columns } as CSSProperties}
    >
      {tree === undefined ? code : renderTree(tree.children)}
    </span>
  );
});

/** A tab and a character outside the alphabets are up to two columns wide. */
function columnsOf(line: string): number {
  return line.length + (line.match(/[\t\u1100-\uffff]/g)?.length ?? 0);
}

function renderTree(nodes: readonly (RootContent | ElementContent)[]): ReactNode {
  return nodes.map((node, i) => {
    if (node.type === "text") return node.value;
    if (node.type !== "element") return null;
    const names = node.properties["className"];
    return (
      <span key={i} className={Array.isArray(names) ? names.join(" ") : ""}>
        {renderTree(node.children)}
      </span>
    );
  });
}
