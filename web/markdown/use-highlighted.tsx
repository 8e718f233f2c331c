import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import type { ElementContent, Root, RootContent } from "hast";
import { loadHighlighter, useHighlighter } from "./highlighter-loading.ts";

/** Code longer than this is coloured when the browser is idle, so that opening a thread is not held up by it. */
const lengthAtOnce = 4_000;

/** While code is written, colouring may take a sixth of the time. */
const rest = 6;

/**
 * `code` with its words coloured. While it is written (`isOpen`) the lines that were there at the last colouring keep
 * theirs and the newest follow plain, so that a long block costs no more per word than a short one.
 */
export function useHighlighted(code: string, language: string, isOpen: boolean): ReactNode {
  const tool = useHighlighter();
  const [done, setDone] = useState<{ code: string; tree: Root | undefined }>();
  const nextAt = useRef(0);

  useEffect(() => {
    if (language !== "" && tool === undefined) void loadHighlighter();
  }, [language, tool]);

  const isSmall = !isOpen && code.length <= lengthAtOnce;
  const atOnce = useMemo(
    () => (isSmall && language !== "" ? tool?.highlight(code, language) : undefined),
    [isSmall, code, language, tool],
  );

  useEffect(() => {
    if (tool === undefined || language === "" || isSmall) return undefined;
    const run = () => {
      const lines = isOpen ? code.slice(0, code.lastIndexOf("\n") + 1) : code;
      const startedAt = performance.now();
      const tree = tool.highlight(lines, language);
      const endedAt = performance.now();
      nextAt.current = endedAt + Math.max(100, (endedAt - startedAt) * rest);
      setDone({ code: lines, tree });
    };
    const waitMs = Math.max(0, nextAt.current - performance.now());
    const timer = setTimeout(run, waitMs);
    return () => clearTimeout(timer);
  }, [tool, code, language, isOpen, isSmall]);

  if (atOnce !== undefined) return draw(atOnce.children);
  if (done?.tree === undefined || !code.startsWith(done.code)) return code;
  return (
    <>
      <Coloured tree={done.tree} />
      {code.slice(done.code.length)}
    </>
  );
}

function Coloured({ tree }: { tree: Root }) {
  return useMemo(() => draw(tree.children), [tree]);
}

function draw(nodes: readonly (RootContent | ElementContent)[]): ReactNode {
  return nodes.map((node, i) => {
    if (node.type === "text") return node.value;
    if (node.type !== "element") return null;
    const names = node.properties["className"];
    return (
      <span key={i} className={Array.isArray(names) ? names.join(" ") : ""}>
        {draw(node.children)}
      </span>
    );
  });
}
