import { type ReactNode, use, useState } from "react";
import { artifactKind } from "../artifacts/artifact-kind.ts";
import { ArtifactOpenerContext } from "./artifact-opener.ts";

type DiagramOfBlock = {
  /** Whether the block may be drawn: it then has room for a drawing from the start. */
  canDraw: boolean;
  /** Whether the drawing covers the code. */
  isDrawn: boolean;
  /** The drawing, over the code. */
  drawing: ReactNode;
  /** Whether the person prefers the code; undefined if there is no drawing. */
  showsCode: boolean | undefined;
  toggle(): void;
};

/** The drawing of a complete block with a diagram. A diagram that cannot be drawn stays code. */
export function useDiagram(code: string, language: string, isOpen: boolean): DiagramOfBlock {
  const Diagram = use(ArtifactOpenerContext)?.Diagram;
  const [state, setState] = useState<"drawn" | "away" | "failed">("away");
  const [showsCode, setShowsCode] = useState(false);
  const change = (next: typeof state) => setState((now) => (now === "failed" ? now : next));
  const canDraw = Diagram !== undefined && artifactKind(language, code) === "mermaid";
  const isTried = canDraw && !isOpen && state !== "failed";
  return {
    canDraw,
    isDrawn: isTried && !showsCode && state === "drawn",
    drawing: isTried && !showsCode && <Diagram key={code} code={code} onChange={change} />,
    showsCode: isTried ? showsCode : undefined,
    toggle() {
      setState("away");
      setShowsCode(!showsCode);
    },
  };
}
