import { lazy, Suspense } from "react";
import { CatchBoundary } from "@tanstack/react-router";
import { closeShareDialog, useSharedThread } from "#web/ui/shared-thread.ts";
import { showToast } from "#web/ui/toast.tsx";
import { loadScreenStrings } from "#web/i18n/load-language.ts";
import { t } from "#web/i18n/translate.ts";

const ShareDialog = lazy(async () => {
  const [{ ShareDialog: component }] = await Promise.all([import("./share-dialog.tsx"), loadScreenStrings()]);
  return { default: component };
});

/** Renders the share dialog while it is open. An error in it closes it and not the page. */
export function ShareDialogHost() {
  const thread = useSharedThread();
  if (thread === undefined) return null;
  return (
    <CatchBoundary getResetKey={() => thread.id} onCatch={closeAfterError} errorComponent={() => null}>
      <Suspense>
        <ShareDialog key={thread.id} thread={thread} />
      </Suspense>
    </CatchBoundary>
  );
}

function closeAfterError(error: unknown): void {
  console.error(error);
  closeShareDialog();
  showToast(t("failure.unexpected"), { tone: "loss" });
}
