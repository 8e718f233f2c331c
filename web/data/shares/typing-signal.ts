import { useCallback, useRef } from "react";
import { limits } from "#contract/limits.ts";
import { useServices } from "../provider.tsx";

/** A new message to the server every 3 seconds of typing, so that what it shows does not expire in between. */
const everyMs = limits.typingMs / 2;

/** Returns what to call on each key: it tells the others in a shared thread. */
export function useTypingSignal(threadId: string, isShared: boolean): () => void {
  const { call } = useServices();
  const lastMs = useRef(Number.NEGATIVE_INFINITY);
  return useCallback(() => {
    if (!isShared || performance.now() - lastMs.current < everyMs) return;
    lastMs.current = performance.now();
    // Whether it arrives does not matter to the person who types.
    call("threadMembers.typing", { params: { thread_id: threadId } }).catch(() => {});
  }, [call, threadId, isShared]);
}
