import { createLazyModule } from "#web/ui/lazy-module.ts";

const highlighter = createLazyModule(async () => {
  const { highlight } = await import("./highlighter.ts");
  return { highlight };
});

/** Brings the highlighter. Until it is here code is shown in one colour; it takes no more room afterwards. */
export const loadHighlighter = highlighter.load;

export function useHighlighter(): { highlight: typeof import("./highlighter.ts").highlight } | undefined {
  const now = highlighter.use();
  return now === "failed" ? undefined : now;
}
