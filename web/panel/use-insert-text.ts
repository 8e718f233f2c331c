import { useAui } from "@assistant-ui/react";
import { focusComposer } from "#web/composer/focus-composer.ts";

/** Returns a function that adds a text to the draft, below what is already written, and focuses the composer. */
export function useInsertText(): (text: string) => void {
  const aui = useAui();
  return (text) => {
    const draft = aui.composer.getState().text.trimEnd();
    aui.composer.setText(`${draft === "" ? "" : `${draft}\n\n`}${text}\n\n`);
    focusComposer();
  };
}
