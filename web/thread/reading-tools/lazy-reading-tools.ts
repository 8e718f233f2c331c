import { createLazyModule } from "#web/ui/lazy-module.ts";

export const readingTools = createLazyModule(
  () => import("./reading-tools-bundle.ts"),
  (module) => module,
  "thread",
);

/** Quoting and reading aloud, which are loaded with the first thread that is opened. Without them, it can still be read. */
export function useReadingTools() {
  const tools = readingTools.use();
  return tools === "failed" ? undefined : tools;
}
