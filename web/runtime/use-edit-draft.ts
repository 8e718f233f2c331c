import { useAui, useAuiState } from "@assistant-ui/react";
import { useEffect, useLayoutEffect, useRef, useSyncExternalStore } from "react";
import { draftOfEdit } from "#web/data/drafts/draft.ts";
import { useServices } from "#web/data/provider.tsx";

/** Whether other words for a message are kept that were neither sent nor thrown away. */
export function useIsEditKept(messageId: string): boolean {
  const { edits } = useServices().drafts;
  return useSyncExternalStore(edits.subscribe, edits.get).has(draftOfEdit(messageId));
}

/**
 * Keeps the other words for the message at hand until they are sent or thrown away, also where the field is closed or
 * the page is loaded anew. `discard` throws them away; it answers how to have them back, where there were any.
 */
export function useEditDraft(messageId: string): { discard: () => (() => void) | undefined } {
  const aui = useAui();
  const { drafts } = useServices();
  const topic = draftOfEdit(messageId);
  const text = useAuiState((s) => s.composer.text);
  const said = useAuiState((s) =>
    s.message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n"),
  );
  const last = useRef(text);
  const original = useRef(said);
  useLayoutEffect(() => {
    original.current = said;
  });

  useLayoutEffect(() => {
    const show = (words: string) => {
      last.current = words === "" ? original.current : words;
      aui.composer.setText(last.current);
    };
    const kept = drafts.read(topic);
    if (kept !== "") show(kept);
    const letGo = drafts.follow(topic, show);
    return () => {
      letGo();
      drafts.flush();
    };
  }, [aui, drafts, topic]);

  useEffect(() => {
    if (text === last.current) return;
    last.current = text;
    drafts.write(topic, text === original.current ? "" : text);
  }, [drafts, topic, text]);

  return {
    discard() {
      const words = drafts.read(topic);
      drafts.write(topic, "");
      drafts.flush();
      return words === "" ? undefined : () => keep(words);
    },
  };

  function keep(words: string): void {
    drafts.write(topic, words);
    drafts.flush();
  }
}
