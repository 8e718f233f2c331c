import { lazy, Suspense } from "react";
import { closeOpened, useOpened } from "./opened.ts";

const Palette = lazy(async () => ({ default: (await import("./palette.tsx")).Palette }));
const Shortcuts = lazy(async () => ({ default: (await import("./shortcuts-box.tsx")).ShortcutsBox }));

/** Shows the palette or the list of shortcuts while it is open; both are brought when they are first asked for. */
export function PaletteHost() {
  const opened = useOpened();
  if (opened === undefined) return null;
  return (
    <Suspense>
      {opened === "palette" ? <Palette onClose={closeOpened} /> : <Shortcuts onClose={closeOpened} />}
    </Suspense>
  );
}
