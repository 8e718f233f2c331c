import type { AssistantRuntime } from "@assistant-ui/react";
import { useEffect } from "react";
import { useServices } from "#web/data/provider.tsx";

/** Keeps what is in the composer on this device, and puts back what was there when the thread was left. */
export function useDraft(runtime: AssistantRuntime, threadId: string | undefined): void {
  const { drafts } = useServices();
  useEffect(() => {
    const { composer } = runtime.thread;
    const text = () => composer.getState().text;
    const saved = drafts.read(threadId);
    if (text() === "" && saved !== "") composer.setText(saved);
    let last = text();
    const unsubscribe = composer.subscribe(() => {
      if (text() === last) return;
      last = text();
      drafts.write(threadId, last);
    });
    const leave = () => drafts.flush();
    window.addEventListener("pagehide", leave);
    document.addEventListener("visibilitychange", leave);
    return () => {
      unsubscribe();
      window.removeEventListener("pagehide", leave);
      document.removeEventListener("visibilitychange", leave);
      drafts.flush();
    };
  }, [runtime, drafts, threadId]);
}
