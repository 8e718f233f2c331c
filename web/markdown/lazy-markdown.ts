import { createLazyModule } from "#web/ui/lazy-module.ts";

type Renderer = typeof import("./markdown.tsx").Markdown;

const renderer = createLazyModule(async () => (await import("./markdown.tsx")).Markdown);

/**
 * Brings what turns answers into pages; a first paint does without it. The thread view waits for it together with the
 * messages and is never suspended: a lazy component that arrives while words stream would not be shown before they
 * pause. Where it does not come, answers are shown as they were written.
 */
export const loadRenderer = renderer.load;

/** The renderer, when it is here. */
export function useRenderer(): Renderer | undefined {
  const now = renderer.use();
  return now === "failed" ? undefined : now;
}

/** Whether it is worth waiting for the renderer. */
export function useRendererComes(): boolean {
  return renderer.use() === undefined;
}
