import { type ReactNode, memo, useEffect, useMemo, useRef, useState } from "react";
import type { ElementContent, RootContent } from "hast";
import { loadHighlighter, useHighlighter } from "./highlighter-loading.ts";
import { highlightNext, isHighlighted, lengthOf, nothingHighlighted, type Section } from "./sections.ts";
import styles from "./code-block.module.css";

/** Longer code, in characters, is highlighted after the render, so that it does not delay opening a thread. */
const synchronousMax = 4_000;

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

  if (synchronous !== undefined) return renderTree(synchronous.children);
  if (!isBeginning) return code;
  return (
    <>
      {sections.map((section, i) => (
        <SectionView key={i} section={section} />
      ))}
      {code.slice(lengthOf(sections))}
    </>
  );
}

/** A block of its own, so that the browser does not lay out finished sections again. */
const SectionView = memo(function SectionView({ section: { code, tree } }: { section: Section }) {
  return <span className={styles["section"]}>{tree === undefined ? code : renderTree(tree.children)}</span>;
});

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
