import { type ReactNode, type RefObject, use, useEffect, useRef, useState } from "react";
import { artifactKind } from "#contract/artifacts/artifact-kind.ts";
import { ArtifactOpenerContext, type DiagramProps } from "./artifact-opener-context.ts";

type DiagramOfBlock = {
  /** Whether the block has room for a drawing. A block that may be drawn has it from the start. */
  hasRoom: boolean;
  stage: RefObject<HTMLDivElement | null>;
  /** Whether the drawing covers the code. */
  isDrawn: boolean;
  /** The drawing, over the code. */
  drawing: ReactNode;
  /** Whether the person prefers the code; undefined if there is no drawing. */
  showsCode: boolean | undefined;
  toggle(): void;
};

/** The code of diagrams that could not be drawn: they have no room for a drawing when they are shown again. */
const failed = new Set<string>();
const failedMax = 100;

/** "failed": the code has a mistake. "stopped": the program did not load or took too long, which can change. */
type DrawingState = Parameters<DiagramProps["onChange"]>[0];

/** The drawing of a complete block with a diagram. A diagram that cannot be drawn stays code. */
export function useDiagram(code: string, language: string, isOpen: boolean): DiagramOfBlock {
  const Diagram = use(ArtifactOpenerContext)?.Diagram;
  const [state, setState] = useState<DrawingState>("away");
  const [showsCode, setShowsCode] = useState(false);
  const isOver = state === "failed" || state === "stopped";
  const change = (next: DrawingState) =>
    setState((now) => (now === "failed" || now === "stopped" ? now : next));
  const stage = useRef<HTMLDivElement>(null);
  const [hasFailed, setHasFailed] = useState(() => failed.has(code));
  useEffect(() => {
    if (!isOver || stage.current === null) return undefined;
    if (failed.size >= failedMax) failed.clear();
    if (state === "failed") failed.add(code);
    // Text below the block that is in the window must not move.
    const watch = new IntersectionObserver(
      (entries) =>
        entries.forEach(({ boundingClientRect, rootBounds }) => {
          if (rootBounds !== null && boundingClientRect.bottom >= rootBounds.bottom) setHasFailed(true);
        }),
      { threshold: [0, 1] },
    );
    watch.observe(stage.current);
    return () => watch.disconnect();
  }, [isOver, state, code]);
  const canDraw = Diagram !== undefined && artifactKind(language, code) === "mermaid";
  const isTried = canDraw && !isOpen && !isOver && !hasFailed;
  return {
    hasRoom: canDraw && !hasFailed,
    stage,
    isDrawn: isTried && !showsCode && state === "drawn",
    drawing: isTried && !showsCode && <Diagram key={code} code={code} onChange={change} />,
    showsCode: isTried ? showsCode : undefined,
    toggle() {
      setState("away");
      setShowsCode(!showsCode);
    },
  };
}
