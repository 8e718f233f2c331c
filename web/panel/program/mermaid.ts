import { readOwnScript } from "#web/data/own-script.ts";
import { createLazyModule } from "#web/ui/lazy-module.ts";

/** Mermaid has over a megabyte, so it is loaded with the first diagram. */
export const mermaid = createLazyModule(
  async () => {
    const { default: url } = await import("mermaid/dist/mermaid.min.js?url");
    return { library: await readOwnScript(url) };
  },
  (module) => module,
);
