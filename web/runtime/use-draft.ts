import type { AssistantRuntime } from "@assistant-ui/react";
import { useEffect } from "react";
import { useServices } from "#web/data/provider.tsx";

/** Saves the composer's text as a draft, restores it, and shows the changes of other tabs. */
export function useDraft(runtime: AssistantRuntime, topic: string): void {
  const { drafts } = useServices();
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
    window.addEventListener("pagehide", drafts.flush);
    window.addEventListener("blur", drafts.flush);
    document.addEventListener("visibilitychange", drafts.flush);
    return () => {
      unsubscribe();
      unfollow();
      window.removeEventListener("pagehide", drafts.flush);
      window.removeEventListener("blur", drafts.flush);
      document.removeEventListener("visibilitychange", drafts.flush);
      drafts.flush();
    };
  }, [runtime, drafts, topic]);
}
