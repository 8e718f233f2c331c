import { createStore } from "#web/ui/store.ts";
import { loadHighlighter } from "./highlighter-loading.ts";

type Renderer = typeof import("./markdown.tsx").Markdown;

/** `undefined` while it is on its way, `failed` when it did not come. */
const renderer = createStore<{ Markdown: Renderer } | "failed" | undefined>(undefined);
let loading: Promise<void> | undefined;

/**
 * Brings what turns answers into pages, once; a first paint does without it. The thread view waits for it together
 * with the messages and is never suspended: a lazy component that arrives while words stream would not be shown
 * before they pause.
 */
export function loadRenderer(): Promise<void> {
  loading ??= import("./markdown.tsx").then(
    ({ Markdown }) => renderer.set({ Markdown }),
    () => {
      // Off line, say: answers are shown as they were written, and whoever asks next tries again.
      renderer.set("failed");
      loading = undefined;
    },
  );
  return loading;
}

/** The renderer, when it is here. */
export function useRenderer(): Renderer | undefined {
  const now = renderer.use();
  return typeof now === "object" ? now.Markdown : undefined;
}

/** Whether it is worth waiting for the renderer. */
export function useRendererComes(): boolean {
  return renderer.use() === undefined;
}

/** Brings everything that an answer may need, when the browser has nothing else to do. */
export function loadInTime(): void {
  const run = () => void loadRenderer().then(loadHighlighter);
  if (typeof requestIdleCallback === "function") requestIdleCallback(run, { timeout: 2_000 });
  else setTimeout(run, 300);
}
