import { useAui, useAuiState } from "@assistant-ui/react";
import { useEffect, useLayoutEffect, useRef, useSyncExternalStore } from "react";
import { draftOfEdit } from "#web/data/drafts/draft.ts";
import { useServices } from "#web/data/provider.tsx";

/** Whether the message has an unsent edit. */
export function useHasEditDraft(messageId: string): boolean {
  const { edits } = useServices().drafts;
  return useSyncExternalStore(edits.subscribe, edits.get).has(draftOfEdit(messageId));
}

/**
 * Saves the edit of a message until it is sent or discarded, even when the field is closed or the page is reloaded.
 * `discard` deletes it and returns the function that restores it, or `undefined` if there was none.
 */
export function useEditDraft(messageId: string): { discard: () => (() => void) | undefined } {
  const aui = useAui();
  const { drafts } = useServices();
  const topic = draftOfEdit(messageId);
  const text = useAuiState((s) => s.composer.text);
  const messageText = useAuiState((s) =>
    s.message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n"),
  );
  const last = useRef(text);
  const original = useRef(messageText);
  useLayoutEffect(() => {
    original.current = messageText;
  });

  useLayoutEffect(() => {
    const show = (draft: string) => {
      last.current = draft === "" ? original.current : draft;
      aui.composer.setText(last.current);
    };
    const saved = drafts.read(topic);
    if (saved !== "") show(saved);
    const unfollow = drafts.follow(topic, show);
    return () => {
      unfollow();
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
      const discarded = drafts.read(topic);
      save("");
      return discarded === "" ? undefined : () => save(discarded);
    },
  };

  function save(draft: string): void {
    drafts.write(topic, draft);
    drafts.flush();
  }
}
