import { useBlocker } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Confirm } from "#web/ui/confirm.tsx";
import { t } from "#web/i18n/translate.ts";

/** Asks before the person leaves the screen or closes the page, while `asks` says so. Renders the question. */
export function useAskBeforeLeaving(asks: () => boolean, text?: string): ReactNode {
  const blocker = useBlocker({ shouldBlockFn: asks, enableBeforeUnload: asks, withResolver: true });
  if (blocker.status !== "blocked") return null;
  return (
    <Confirm
      text={text ?? t("form.leave")}
      label={t("form.leaveYes")}
      cancelLabel={t("form.leaveNo")}
      onConfirm={blocker.proceed}
      onCancel={blocker.reset}
    />
  );
}
