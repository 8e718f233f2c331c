import { type ComponentType, useLayoutEffect, useState } from "react";
import { CatchBoundary } from "@tanstack/react-router";
import { createLazyModule, type LazyModule } from "#web/ui/lazy-module.ts";
import { showToast } from "#web/ui/toast.tsx";
import { useLoaded } from "#web/ui/load-failure.tsx";
import { t } from "#web/i18n/translate.ts";
import type { PageEntry } from "./actions.ts";
import { closeDialog, openFind, openPalette, openShortcuts, useOpenDialog } from "../ui/app-dialog.ts";

type AppDialog<Props = object> = ComponentType<Props & { onClose(): void }>;

type Pages = { settingsPages: readonly PageEntry[]; adminPages: LazyModule<readonly PageEntry[]> };
type PaletteProps = Pages & { initialText: string };

const palette = createLazyModule(
  () => import("./palette.tsx"),
  (module): AppDialog<PaletteProps> => module.Palette,
  "palette",
  "screens",
);
const find = createLazyModule(
  () => import("./find-in-thread.tsx"),
  (module): AppDialog<{ initialText: string }> => module.FindInThread,
  "palette",
);
const shortcuts = createLazyModule(
  () => import("./shortcuts-box.tsx"),
  (module): AppDialog => module.ShortcutsBox,
  "palette",
);

/** Renders the open dialog: the palette, the search in a thread or the list of shortcuts. An error in it closes it and not the page. */
export function DialogHost(pages: Pages) {
  const openDialog = useOpenDialog();
  return (
    <CatchBoundary getResetKey={() => openDialog ?? ""} onCatch={closeAfterError} errorComponent={() => null}>
      {openDialog === "palette" && <LazyPalette {...pages} />}
      {openDialog === "find" && <LazyFind />}
      {openDialog === "shortcuts" && <LazyDialog module={shortcuts} reopen={openShortcuts} props={{}} />}
    </CatchBoundary>
  );
}

/** Loads the code of the dialogs in advance. */
export async function loadDialogs(): Promise<void> {
  await palette.load();
  await find.load();
  await shortcuts.load();
}

function LazyPalette(pages: Pages) {
  const loaded = palette.use();
  const initialText = useTypedAhead(loaded === undefined || loaded === "failed");
  return <LazyDialog module={palette} reopen={openPalette} props={{ ...pages, initialText }} />;
}

function LazyFind() {
  const loaded = find.use();
  const initialText = useTypedAhead(loaded === undefined || loaded === "failed");
  return <LazyDialog module={find} reopen={openFind} props={{ initialText }} />;
}

/** Collects what is typed while a dialog loads. Otherwise the page behind it would get the keys. */
function useTypedAhead(isLoading: boolean): string {
  const [typed, setTyped] = useState("");
  useLayoutEffect(() => {
    if (!isLoading) return undefined;
    const collect = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "Escape") closeDialog();
      else if (event.key === "Backspace") setTyped((text) => text.slice(0, -1));
      else if (event.key.length === 1) setTyped((text) => text + event.key);
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    addEventListener("keydown", collect, { capture: true });
    return () => removeEventListener("keydown", collect, { capture: true });
  }, [isLoading]);
  return typed;
}

function LazyDialog<Props extends object>({
  module,
  reopen,
  props,
}: {
  module: LazyModule<AppDialog<Props>>;
  reopen: () => void;
  props: Props;
}) {
  const Loaded = useLoaded(module, { onFailed: closeDialog, retry: reopen });
  return Loaded === undefined ? null : <Loaded {...props} onClose={closeDialog} />;
}

function closeAfterError(error: unknown): void {
  console.error(error);
  closeDialog();
  showToast(t("failure.unexpected"), { tone: "danger" });
}
