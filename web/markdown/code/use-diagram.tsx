import { type ReactNode, type RefObject, use, useEffect, useRef, useState } from "react";
import { artifactKind } from "#contract/artifacts/artifact-kind.ts";
import { ArtifactOpenerContext } from "./artifact-opener.ts";

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

/** The drawing of a complete block with a diagram. A diagram that cannot be drawn stays code. */
export function useDiagram(code: string, language: string, isOpen: boolean): DiagramOfBlock {
  const Diagram = use(ArtifactOpenerContext)?.Diagram;
  const [state, setState] = useState<"drawn" | "away" | "failed">("away");
  const [showsCode, setShowsCode] = useState(false);
  const change = (next: typeof state) => setState((now) => (now === "failed" ? now : next));
  const stage = useRef<HTMLDivElement>(null);
  const [hasFailed, setHasFailed] = useState(() => failed.has(code));
  useEffect(() => {
    if (state !== "failed" || stage.current === null) return undefined;
    failed.add(code);
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
  }, [state, code]);
  const canDraw = Diagram !== undefined && artifactKind(language, code) === "mermaid";
  const isTried = canDraw && !isOpen && state !== "failed" && !hasFailed;
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
