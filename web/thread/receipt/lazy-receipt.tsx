import { createLazyModule } from "#web/ui/lazy-module.ts";

const dialog = createLazyModule(
  () => import("./receipt-dialog.tsx"),
  (module) => module.ReceiptDialog,
  "thread",
  "usage",
);

/** Loads the code of receipts. Returns whether it is there. */
export const loadReceipt = dialog.load;

/** The receipt of an answer: what was sent to which model. Call `loadReceipt` first. */
export function LazyReceipt({ runId, onClose }: { runId: string; onClose: () => void }) {
  const Dialog = dialog.use();
  return typeof Dialog === "function" ? <Dialog runId={runId} onClose={onClose} /> : null;
}
