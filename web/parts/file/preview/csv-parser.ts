import { createLazyModule } from "#web/ui/lazy-module.ts";

export const csvParser = createLazyModule(
  () => import("papaparse"),
  (module) => ({ parse: module.default.parse }),
);
