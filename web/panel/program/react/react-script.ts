import { readOwnScript } from "#web/data/own-script.ts";
import { createLazyModule } from "#web/ui/lazy-module.ts";

/** The script that compiles and runs React programs, with React. It is built like a worker: one file without imports. */
export const reactScript = createLazyModule(
  async () => {
    const { default: url } = await import("./react-runtime.ts?worker&url");
    return { script: await readOwnScript(url) };
  },
  (module) => module,
);
