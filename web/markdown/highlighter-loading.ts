import { createStore } from "#web/ui/store.ts";

type Highlight = typeof import("./highlighter.ts").highlight;

const highlighter = createStore<{ highlight: Highlight } | undefined>(undefined);
let loading: Promise<void> | undefined;

/** Brings the highlighter, once. Until it is here code is shown in one colour; it takes no more room afterwards. */
export function loadHighlighter(): Promise<void> {
  loading ??= import("./highlighter.ts").then(
    ({ highlight }) => highlighter.set({ highlight }),
    () => void (loading = undefined), // Colours are a nicety: the next code block asks again.
  );
  return loading;
}

export function useHighlighter(): { highlight: Highlight } | undefined {
  return highlighter.use();
}
