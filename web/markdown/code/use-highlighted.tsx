import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import type { ElementContent, Root, RootContent } from "hast";
import { loadHighlighter, useHighlighter } from "./highlighter-loading.ts";

/** Longer code, in characters, is highlighted after the render, so that it does not delay opening a thread. */
const synchronousMax = 4_000;

/** While code streams, the pause between two runs is six times the duration of the last one. */
const pauseFactor = 6;

/**
 * `code` with syntax highlighting. While it streams (`isOpen`), the lines of the last run keep their colours and newer
 * text is plain, so that the cost per token does not grow with the length of the block.
 */
export function useHighlighted(code: string, language: string, isOpen: boolean): ReactNode {
  const highlighter = useHighlighter();
  const [done, setDone] = useState<{ code: string; tree: Root | undefined }>();
  const nextAt = useRef(0);

  useEffect(() => {
    if (language !== "" && highlighter === undefined) void loadHighlighter();
  }, [language, highlighter]);

  const isSmall = !isOpen && code.length <= synchronousMax;
  const synchronous = useMemo(
    () => (isSmall && language !== "" ? highlighter?.highlight(code, language) : undefined),
    [isSmall, code, language, highlighter],
  );

  useEffect(() => {
    if (highlighter === undefined || language === "" || isSmall) return undefined;
    const run = () => {
      const lines = isOpen ? code.slice(0, code.lastIndexOf("\n") + 1) : code;
      const startedAt = performance.now();
      const tree = highlighter.highlight(lines, language);
      const endedAt = performance.now();
      nextAt.current = endedAt + Math.max(100, (endedAt - startedAt) * pauseFactor);
      setDone({ code: lines, tree });
    };
    const waitMs = Math.max(0, nextAt.current - performance.now());
    const timer = setTimeout(run, waitMs);
    return () => clearTimeout(timer);
  }, [highlighter, code, language, isOpen, isSmall]);

  if (synchronous !== undefined) return renderTree(synchronous.children);
  if (done?.tree === undefined || !code.startsWith(done.code)) return code;
  return (
    <>
      <Coloured tree={done.tree} />
      {code.slice(done.code.length)}
    </>
  );
}

function Coloured({ tree }: { tree: Root }) {
  return useMemo(() => renderTree(tree.children), [tree]);
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
