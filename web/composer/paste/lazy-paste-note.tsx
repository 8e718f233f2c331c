import { useEffect } from "react";
import { createLazyModule } from "#web/ui/lazy-module.ts";

export const pasteNote = createLazyModule(
  () => import("./paste-note.tsx"),
  (module) => module,
  "composer",
);

/** About a printed page and a half. Shorter texts are easier to read in the message. */
const longCharacters = 4_000;

export function isLongPaste(text: string): boolean {
  return text.length >= longCharacters;
}

/** Offers to make a file of the long text that was pasted last. Without it, the text is part of the message. */
export function LazyPasteNote({ pasted }: { pasted: string }) {
  const loaded = pasteNote.use();
  useEffect(() => {
    if (pasted !== "") void pasteNote.load();
  }, [pasted]);
  if (pasted === "" || loaded === undefined || loaded === "failed") return null;
  return <loaded.PasteNote pasted={pasted} />;
}
