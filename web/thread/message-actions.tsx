import { useAui, useAuiState } from "@assistant-ui/react";
import Check from "lucide-react/icons/check";
import ChevronLeft from "lucide-react/icons/chevron-left";
import ChevronRight from "lucide-react/icons/chevron-right";
import Copy from "lucide-react/icons/copy";
import Pencil from "lucide-react/icons/pencil";
import RotateCcw from "lucide-react/icons/rotate-ccw";
import { useSiblings } from "#web/runtime/use-siblings.ts";
import { IconButton } from "#web/ui/button.tsx";
import { useCopied } from "#web/ui/copied.ts";
import { t } from "#web/words/words.ts";
import styles from "./message-actions.module.css";

/** What can be done with a message: seen on hover, on focus and always under a finger. */
export function MessageActions({ role, isLast }: { role: "user" | "assistant"; isLast: boolean }) {
  return (
    <div
      role="group"
      aria-label={t("message.actions")}
      data-role={role}
      data-last={isLast || undefined}
      className={styles["actions"]}
    >
      {role === "assistant" && <Branches />}
      {role === "user" && <EditButton />}
      <CopyButton />
      {role === "assistant" && <AgainButton />}
      {role === "user" && <Branches />}
    </div>
  );
}

function CopyButton() {
  const aui = useAui();
  const { isCopied, copy } = useCopied();
  const hasText = useAuiState((s) =>
    s.message.parts.some((part) => part.type === "text" && part.text !== ""),
  );
  if (!hasText) return null;
  return (
    <>
      <IconButton
        icon={isCopied ? Check : Copy}
        size={16}
        label={isCopied ? t("message.copied") : t("message.copy")}
        onClick={() => copy(aui.message.getCopyText())}
      />
      <span aria-live="polite" className={styles["said"]}>
        {isCopied && t("message.copied")}
      </span>
    </>
  );
}

function AgainButton() {
  const aui = useAui();
  const isBusy = useAuiState((s) => s.thread.isRunning || s.thread.isDisabled);
  return (
    <IconButton
      icon={RotateCcw}
      size={16}
      label={t("message.again")}
      disabled={isBusy}
      onClick={() => aui.message.reload()}
    />
  );
}

function EditButton() {
  const aui = useAui();
  return (
    <IconButton icon={Pencil} size={16} label={t("message.edit")} onClick={() => aui.composer.beginEdit()} />
  );
}

/** `‹ 2 / 3 ›`: the versions of a message, also while one of them is being written. */
function Branches() {
  const id = useAuiState((s) => s.message.id);
  const siblings = useSiblings(id);
  if (siblings === undefined) return null;
  const { index, count, previous, next } = siblings;
  const number = index + 1;
  return (
    <div role="group" aria-label={t("message.branches")} className={styles["branches"]}>
      <IconButton
        icon={ChevronLeft}
        size={16}
        label={t("message.branchPrevious")}
        disabled={previous === undefined}
        className={styles["turn"]}
        onClick={previous}
      />
      <span role="img" aria-label={t("message.branch", { number, count })} className={styles["count"]}>
        {number} / {count}
      </span>
      <IconButton
        icon={ChevronRight}
        size={16}
        label={t("message.branchNext")}
        disabled={next === undefined}
        className={styles["turn"]}
        onClick={next}
      />
    </div>
  );
}
