import { createLazyModule } from "#web/ui/lazy-module.ts";

const highlighter = createLazyModule(
  () => import("./highlighter.ts"),
  ({ highlight }) => ({ highlight }),
);

/** Loads the highlighter. Until then code has one colour; its layout does not change afterwards. */
export const loadHighlighter = highlighter.load;

export function useHighlighter(): { highlight: typeof import("./highlighter.ts").highlight } | undefined {
  const state = highlighter.use();
  return state === "failed" ? undefined : state;
}
