import { createLazyModule } from "#web/ui/lazy-module.ts";

/** Loaded when the browser is idle: it warns, and the server is what stops. */
export const budgetNote = createLazyModule(
  () => import("./budget-note.tsx"),
  (module) => module,
  "composer",
);

export function LazyBudgetNote() {
  const loaded = budgetNote.use();
  if (loaded === undefined || loaded === "failed") return null;
  return <loaded.BudgetNote />;
}
