import { readOwnFile } from "#web/data/own-file.ts";
import { createLazyModule } from "#web/ui/lazy-module.ts";

/** Mermaid has over a megabyte, so it is loaded with the first diagram. */
export const mermaid = createLazyModule(
  async () => {
    const { default: url } = await import("mermaid/dist/mermaid.min.js?url");
    return { library: await readOwnFile(url) };
  },
  (module) => module,
);
