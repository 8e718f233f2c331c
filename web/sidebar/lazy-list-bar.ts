import { createLazyModule } from "#web/ui/lazy-module.ts";

/** The bar above the list while threads are selected. */
export const listBar = createLazyModule(
  async () => await import("./list-bar.tsx"),
  ({ ListBar }) => ({ ListBar }),
);
