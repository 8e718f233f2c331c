import { createLazyModule } from "#web/ui/lazy-module.ts";

type Renderer = typeof import("./markdown.tsx").Markdown;

const renderer = createLazyModule(
  () => import("./markdown.tsx"),
  (module) => module.Markdown,
);

/**
 * Loads the Markdown renderer, which the first paint does not need. The thread view waits for it together with the
 * messages. It is not a `React.lazy` component: React would not show one that loads during a stream until the stream
 * pauses. If it does not load, answers are shown as plain text.
 */
export const loadRenderer = renderer.load;

/** The renderer, once it has loaded. */
export function useRenderer(): Renderer | undefined {
  const state = renderer.use();
  return state === "failed" ? undefined : state;
}

/** Whether the renderer has neither loaded nor failed yet. */
export function useIsRendererPending(): boolean {
  return renderer.use() === undefined;
}
