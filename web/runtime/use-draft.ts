import type { AssistantRuntime } from "@assistant-ui/react";
import { useEffect } from "react";
import { useServices } from "#web/data/provider.tsx";

/** Keeps what is in the composer on this device, puts back what was there, and shows what other tabs write of it. */
export function useDraft(runtime: AssistantRuntime, topic: string): void {
  const { drafts } = useServices();
  useEffect(() => {
    const { composer } = runtime.thread;
    const text = () => composer.getState().text;
    let last = text();
    const show = (words: string) => {
      last = words;
      composer.setText(words);
    };
    const saved = drafts.read(topic);
    if (last === "" && saved !== "") show(saved);
    const letGo = drafts.follow(topic, show);
    const unsubscribe = composer.subscribe(() => {
      if (text() === last) return;
      last = text();
      drafts.write(topic, last);
    });
    const leave = () => drafts.flush();
    window.addEventListener("pagehide", leave);
    window.addEventListener("blur", leave);
    document.addEventListener("visibilitychange", leave);
    return () => {
      unsubscribe();
      letGo();
      window.removeEventListener("pagehide", leave);
      window.removeEventListener("blur", leave);
      document.removeEventListener("visibilitychange", leave);
      drafts.flush();
    };
  }, [runtime, drafts, topic]);
}
