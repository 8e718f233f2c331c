import { lazy, Suspense } from "react";
import { CatchBoundary } from "@tanstack/react-router";
import { closeThreadDialog, useThreadDialog } from "#web/ui/open-thread-dialog.ts";
import { showToast } from "#web/ui/toast.tsx";
import { loadTexts } from "#web/i18n/load-language.ts";
import { t } from "#web/i18n/translate.ts";

const ThreadDialog = lazy(async () => {
  const [{ ThreadDialog: component }] = await Promise.all([
    import("./thread-dialog.tsx"),
    loadTexts("shares", "folders", "screens"),
  ]);
  return { default: component };
});

/** Renders the open dialog for threads. An error in it closes it and not the page. */
export function ThreadDialogHost() {
  const dialog = useThreadDialog();
  if (dialog === undefined) return null;
  return (
    <CatchBoundary getResetKey={() => dialog.kind} onCatch={closeAfterError} errorComponent={() => null}>
      <Suspense>
        <ThreadDialog dialog={dialog} />
      </Suspense>
    </CatchBoundary>
  );
}

function closeAfterError(error: unknown): void {
  console.error(error);
  closeThreadDialog();
  showToast(t("failure.unexpected"), { tone: "danger" });
}
