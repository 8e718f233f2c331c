import { useEffect } from "react";
import type { DiagramProps } from "#web/markdown/code/artifact-opener-context.ts";
import { panelModule } from "../with-panel.tsx";

/** A diagram within an answer. If its code does not load, the answer has the code of the diagram. */
export function LazyInlineDiagram(props: DiagramProps) {
  const loaded = panelModule.use();
  useEffect(() => void panelModule.load(), []);
  return loaded === undefined || loaded === "failed" ? null : <loaded.InlineDiagram {...props} />;
}
