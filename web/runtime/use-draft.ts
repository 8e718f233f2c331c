import type { AssistantRuntime } from "@assistant-ui/react";
import { useEffect, useRef } from "react";
import { draftOf } from "#web/data/drafts/draft.ts";
import { temporaryDraft } from "#web/data/drafts/temporary-storage.ts";
import { useServices } from "#web/data/provider.tsx";
import { useWindowEvent } from "#web/lib/use-window-event.ts";

/** Saves the composer's text as a draft, restores it, and shows the changes of other tabs. */
export function useDraft(runtime: AssistantRuntime, topic: string): void {
  const { drafts, uploads } = useServices();
  const shown = useRef(topic);
  useWindowEvent("pagehide", drafts.flush);
  useWindowEvent("blur", drafts.flush);
  useWindowEvent("visibilitychange", drafts.flush);
  useEffect(() => {
    const { composer } = runtime.thread;
    const text = () => composer.getState().text;
    let last = text();
    const show = (draft: string) => {
      last = draft;
      composer.setText(draft);
    };
    const former = shown.current;
    shown.current = topic;
    const saved = drafts.read(topic);
    if (isNew(former) && isNew(topic) && former !== topic) {
      // The switch makes the new chat temporary, or an ordinary one again: it takes its draft along.
      uploads.move(former, topic);
      drafts.write(former, "");
      show([saved, last].filter((text) => text !== "").join("\n\n"));
      drafts.write(topic, last);
    } else if (last === "" && saved !== "") show(saved);
    const unfollow = drafts.follow(topic, show);
    const unsubscribe = composer.subscribe(() => {
      if (text() === last) return;
      last = text();
      drafts.write(topic, last);
    });
    return () => {
      unsubscribe();
      unfollow();
      drafts.flush();
    };
  }, [runtime, drafts, uploads, topic]);
}

function isNew(topic: string): boolean {
  return topic === temporaryDraft || topic === draftOf(undefined);
}
