import { createLazyModule } from "#web/ui/lazy-module.ts";

/** Reads what calls of the tool `artifact` write, which few answers need. */
export const lazyWrittenArtifact = createLazyModule(
  () => import("./written-artifact.ts"),
  (module) => module,
);
