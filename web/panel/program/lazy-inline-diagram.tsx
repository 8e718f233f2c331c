import { useEffect } from "react";
import type { DiagramProps } from "#web/markdown/code/artifact-opener.ts";
import { createLazyModule } from "#web/ui/lazy-module.ts";

export const inlineDiagram = createLazyModule(
  () => import("./inline-diagram.tsx"),
  (module) => module.InlineDiagram,
);

/** A diagram within an answer. If its code does not load, the answer has the code of the diagram. */
export function LazyInlineDiagram(props: DiagramProps) {
  const InlineDiagram = inlineDiagram.use();
  useEffect(() => void inlineDiagram.load(), []);
  return InlineDiagram === undefined || InlineDiagram === "failed" ? null : <InlineDiagram {...props} />;
}
