import { type ComponentType, useEffect } from "react";
import { CatchBoundary } from "@tanstack/react-router";
import { sayMissing } from "#web/ui/load-failure.ts";
import { createPiece, type Piece } from "#web/ui/lazy-module.ts";
import { showToast } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import { closeOpened, openPalette, openShortcuts, useOpened } from "../ui/app-dialog.ts";

type Box = ComponentType<{ onClose(): void }>;

const palette = createPiece<Box>(async () => (await import("./palette.tsx")).Palette);
const shortcuts = createPiece<Box>(async () => (await import("./shortcuts-box.tsx")).ShortcutsBox);

/** Shows the palette or the list of shortcuts while it is open; what goes wrong with them stays with them. */
export function PaletteHost() {
  const opened = useOpened();
  return (
    <CatchBoundary getResetKey={() => opened ?? ""} onCatch={giveUp} errorComponent={() => null}>
      {opened === "palette" && <Opened piece={palette} again={openPalette} />}
      {opened === "shortcuts" && <Opened piece={shortcuts} again={openShortcuts} />}
    </CatchBoundary>
  );
}

/** Brings both before they are asked for. */
export async function bringBoxes(): Promise<void> {
  await palette.bring();
  await shortcuts.bring();
}

function Opened({ piece, again }: { piece: Piece<Box>; again: () => void }) {
  const Box = piece.use();
  useEffect(() => {
    let isLeft = false;
    void piece.bring().then((came) => {
      if (came || isLeft) return;
      closeOpened();
      void sayMissing(again);
    });
    return () => void (isLeft = true);
  }, [piece, again]);
  return Box === undefined || Box === "failed" ? null : <Box onClose={closeOpened} />;
}

function giveUp(error: unknown): void {
  console.error(error);
  closeOpened();
  showToast(t("failure.unexpected"), { tone: "loss" });
}
