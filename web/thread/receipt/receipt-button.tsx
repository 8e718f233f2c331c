import { useEffect, useState } from "react";
import { useAuiState } from "@assistant-ui/react";
import ReceiptText from "lucide-react/icons/receipt-text";
import { useReply } from "#web/data/threads/reply.ts";
import { IconButton } from "#web/ui/button.tsx";
import { createLazyModule } from "#web/ui/lazy-module.ts";
import { showToast } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";

const dialog = createLazyModule(
  () => import("./receipt-dialog.tsx"),
  (module) => module.ReceiptDialog,
);

/** Opens the receipt of an answer: what was sent to which model. */
export function ReceiptButton() {
  const runId = useReply(useAuiState((s) => s.message.id))?.runId;
  const [isOpen, setOpen] = useState(false);
  const Dialog = dialog.use();
  useEffect(() => {
    if (!isOpen || Dialog !== "failed") return;
    setOpen(false);
    showToast(t("missing.title"));
  }, [isOpen, Dialog]);
  if (runId === undefined) return null;
  return (
    <>
      <IconButton
        icon={ReceiptText}
        size={16}
        label={t("receipt.open")}
        onClick={() => {
          setOpen(true);
          void dialog.load();
        }}
      />
      {isOpen && typeof Dialog === "function" && <Dialog runId={runId} onClose={() => setOpen(false)} />}
    </>
  );
}
