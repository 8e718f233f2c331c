import type { AssistantRuntime } from "@assistant-ui/react";
import { useEffect } from "react";
import { useServices } from "#web/data/provider.tsx";
import { useWindowEvent } from "#web/lib/use-window-event.ts";

/** Saves the composer's text as a draft, restores it, and shows the changes of other tabs. */
export function useDraft(runtime: AssistantRuntime, topic: string): void {
  const { drafts } = useServices();
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
    const saved = drafts.read(topic);
    if (last === "" && saved !== "") show(saved);
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
  }, [runtime, drafts, topic]);
}
